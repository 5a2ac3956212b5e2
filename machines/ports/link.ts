/** Port `link`: the seat of this host in an office, as a Socket.IO client. */
import type { Address } from '../kernel/effects.ts';
import { callbackPort } from '../kernel/ports.ts';
import type { CancelReason, Progress } from '../protocol/messages/messages.ts';
import type { Notification, NotificationFact } from '../protocol/notifications.ts';

/** Collections that a computer builds from the resources of its servers: Desktop and Finder. */
export type ResourceCollection = 'desktop' | 'finder';

export interface LinkInput {
  readonly url: string;
  readonly role: 'agent' | 'computer';
  readonly name: string;
  readonly office: string;
  readonly key: Address;
  readonly version: string;
}
export type LinkCommand =
  | { readonly type: 'link.join' }
  /** After all pending calls are answered. */
  | { readonly type: 'link.leave' }
  /** An unknown ticket (its connection is gone) is ignored. */
  | { readonly type: 'link.answer'; readonly ticket: string; readonly body: unknown }
  /** When reports come too fast, only the latest is sent. */
  | ({ readonly type: 'link.progress'; readonly ticket: string; readonly held?: boolean } & Progress)
  | { readonly type: 'link.announce'; readonly event: Notification['event'] };
/** `ticket`: the pending acknowledgement; `reqId`: the id chosen by the agent. */
export interface AgentCalled {
  readonly type: 'agent.called';
  readonly ticket: string;
  readonly reqId: string;
  /** Registered name, which the office wrote into the call. */
  readonly agent: string;
  readonly tool: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** 0 = no limit. */
  readonly timeoutMs: number;
  readonly mostMs?: number;
  /** Members for `_meta` of the request to the server. */
  readonly trace?: Readonly<Record<string, unknown>>;
  readonly wantsProgress?: boolean;
  readonly waitsForPersons?: boolean;
}
/** Without the questions of agents (`machines/link/questions.ts`). */
export type ConnectionFact =
  | { readonly type: 'link.up' }
  /** `refusal`: the office rejected our version or credential; `version`: the protocol version of the office. */
  | {
      readonly type: 'link.refused';
      readonly reason: string;
      readonly refusal?: 'version' | 'credential';
      readonly version?: string;
    }
  | { readonly type: 'link.down'; readonly reason: string }
  | { readonly type: 'join.accepted' }
  | { readonly type: 'join.refused'; readonly text: string }
  | { readonly type: 'leave.done' }
  | AgentCalled
  /** Its `reqId` is already in use by a pending call on this link. */
  | (Omit<AgentCalled, 'type'> & { readonly type: 'agent.repeated' })
  /** By its agent or (with a `reason`) by the office. */
  | { readonly type: 'agent.cancelled'; readonly ticket: string; readonly reason?: CancelReason }
  /** The calls of that agent need no answer any more. */
  | { readonly type: 'agent.left'; readonly agent: string }
  | { readonly type: 'computer.entered'; readonly computer: string }
  | { readonly type: 'computer.left'; readonly computer: string }
  | NotificationFact;
export const linkPort = callbackPort<LinkInput, LinkCommand>('link');
