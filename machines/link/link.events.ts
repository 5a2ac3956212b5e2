import type { BlobShown, BlobWanted } from '../blobs/blobs.rules.ts';
import type { CallProgressed, CallSettled, ComputerCall } from '../call/call.rules.ts';
import { kindOf, type Address, type AddressFor, type OwnedEnded } from '../kernel/effects.ts';
import type { TimingOf } from '../kernel/timing.ts';
import type { LinkFact, LinkInput } from '../ports/link.ts';
import type { Missing, SmcpTool } from '../protocol/messages/collections.ts';
import type { NotificationOrder } from '../protocol/notifications.ts';
import type { AggregateWanted, ResourceWanted } from '../resources/aggregator.rules.ts';
import type { AggregateShown, ResourceRead } from '../resources/collections.ts';
import type { ResourcesShown, ResourcesWanted } from '../resources/resource-pages.ts';
import type { SkillShown, SkillsShown, SkillsWanted, SkillWanted } from '../skills/skills.rules.ts';
import type { PartTaken, PartWanted } from '../uploads/upload.rules.ts';

export interface LinkStart extends Omit<LinkInput, 'key' | 'version'> {
  readonly timing: TimingOf<'link'>;
}
export type LinkOrder =
  | NotificationOrder
  | ToolsListed
  | ConfigShown
  | AggregateShown
  | ResourceRead
  | ResourcesShown
  | SkillsShown
  | SkillShown
  | PartTaken
  | BlobShown
  | CallSettled
  | CallProgressed
  | { readonly type: 'deadline.passed' }
  | { readonly type: 'close' };
export const linkKind = kindOf<LinkStart, LinkOrder>('link');
interface ConfigShown {
  readonly type: 'config.shown';
  readonly ticket: string;
  readonly config: object;
}
interface ToolsListed {
  readonly type: 'tools.listed';
  readonly ticket: string;
  readonly reqId: string;
  readonly tools: readonly SmcpTool[];
  readonly missing?: readonly Missing[];
  /** A list that was sent as an answer is not announced again. */
  readonly signature: string;
}
export interface ToolsWanted {
  readonly type: 'tools.wanted';
  readonly ticket: string;
  readonly reqId: string;
  readonly replyTo: AddressFor<ToolsListed>;
}
interface ConfigWanted {
  readonly type: 'config.wanted';
  readonly ticket: string;
  readonly reqId: string;
  readonly replyTo: AddressFor<ConfigShown>;
}
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
  | ToolsWanted
  | ConfigWanted
  | Omit<AggregateWanted, 'history'>
  | Omit<ResourceWanted, 'history'>
  | ResourcesWanted
  | SkillsWanted
  | SkillWanted
  | PartWanted
  | BlobWanted
  | { readonly type: 'call.cancel'; readonly ticket: string; readonly reason: string }
  | { readonly type: 'asker.lost'; readonly asker: Address; readonly reason?: string }
  | Extract<LinkFact, { type: `computer.${string}` }>;

export const linkGivenUp = ({ error, why }: OwnedEnded): Extract<LinkNews, { type: 'link.changed' }> => ({
  type: 'link.changed',
  stage: 'closed',
  reason: `its machine failed too often: ${error ?? why}`,
  refusal: null,
});
