import type { CallProgressed, CallSettled, ComputerCall } from '../call/call.rules.ts';
import { kindOf, type Address, type OwnedEnded } from '../kernel/effects.ts';
import type { TimingOf } from '../kernel/timing.ts';
import type { ConnectionFact, LinkInput } from '../ports/link.ts';
import type { NotificationOrder } from '../protocol/notifications.ts';
import type { ConfigShown, QuestionShown, QuestionWanted, ToolsListed } from './questions.ts';

export interface LinkStart extends Omit<LinkInput, 'key' | 'version'> {
  readonly timing: TimingOf<'link'>;
}
export type LinkOrder =
  | NotificationOrder
  | ToolsListed
  | ConfigShown
  | QuestionShown
  | CallSettled
  | CallProgressed
  | { readonly type: 'deadline.passed' }
  | { readonly type: 'close' };
export const linkKind = kindOf<LinkStart, LinkOrder>('link');
/** Kind of refusal by an office: the seat (already taken), our protocol version, or our credential. */
export type LinkRefusal = 'seat' | 'version' | 'credential';
/** Stage of the connection of an agent or a computer to its office. */
export type LinkStage = 'connecting' | 'joined' | 'waiting' | 'closed';
/** `reason` is the original text of the office or the network. */
export type LinkNews =
  | {
      readonly type: 'link.changed';
      readonly stage: LinkStage;
      readonly reason: string | null;
      readonly refusal: LinkRefusal | null;
    }
  | ComputerCall
  | QuestionWanted
  | { readonly type: 'call.cancel'; readonly ticket: string; readonly reason: string }
  | { readonly type: 'asker.lost'; readonly asker: Address; readonly reason?: string }
  | Extract<ConnectionFact, { type: `computer.${string}` }>;

export const linkGivenUp = ({ error, why }: OwnedEnded): Extract<LinkNews, { type: 'link.changed' }> => ({
  type: 'link.changed',
  stage: 'closed',
  reason: `its machine failed too often: ${error ?? why}`,
  refusal: null,
});
