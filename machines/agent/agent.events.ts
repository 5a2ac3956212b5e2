/** Messages to and from the machine of an agent, and its memory. */
import type { Address, AddressFor } from '../kernel/address.ts';
import type { CallProgressed, CallRequest, CallSettled } from '../call/messages.ts';
import type { DirectoryEvent } from '../kernel/effects.ts';
import type { LinkNews, LinkStart } from '../link/link.machine.ts';
import type { RequestFact, LinkFact, ResourceCollection } from '../kernel/ports.ts';
import type { HostFact } from '../protocol/notifications.ts';
import type { Timing } from '../kernel/timing.ts';
import type { ViewNews } from './view.machine.ts';

export interface AgentStart {
  readonly link: Omit<LinkStart, 'timing' | 'role'>;
  readonly timing: Timing;
}
/** `timeoutMs` is what the computer gets; the agent itself waits a little longer for its answer. */
export interface AgentCall extends Omit<CallRequest, 'type' | 'agent'> {
  readonly type: 'agent.call';
  readonly computer: string;
}
/** Another question of the host: to the office (`server:list_room`) or to a computer. */
export interface AgentQuery {
  readonly type: 'agent.query';
  readonly ticket: string;
  readonly reqId: string;
  readonly method: string;
  /** The payload, without `agent` and `req_id`. */
  readonly request: object;
  /** Limit that the host gives; without one the time that an office gives, and a margin. */
  readonly timeoutMs?: number;
  readonly replyTo: AddressFor<CallSettled | CallProgressed>;
}
/** Order to follow the Desktop, or the Finder, of every computer, also of those that never tell of a change. */
export interface AgentFollow {
  readonly type: 'agent.follow';
  readonly collection: ResourceCollection;
}
export type AgentOrder =
  | AgentCall
  | AgentQuery
  | AgentFollow
  | { readonly type: 'call.cancel'; readonly ticket: string; readonly reason: string }
  | { readonly type: 'close' };
/** The computers that sat in its office when it came; none where the office does not tell. Those that come later are told by themselves. */
interface RoomKnown {
  readonly type: 'room.known';
  readonly computers: readonly string[];
}
export type AgentNews =
  | RoomKnown
  | Extract<LinkNews, { type: 'link.changed' }>
  | Extract<LinkFact, { type: 'computer.entered' | 'computer.left' }>
  | HostFact
  | ViewNews;
export type AgentInput = AgentStart & { readonly self: Address; readonly owner: AddressFor<AgentNews> };
export interface AgentContext extends AgentInput {
  readonly computers: readonly string[];
  /** Collections of them that the host follows, beside their tools. */
  readonly follows: readonly ResourceCollection[];
  readonly asked: number;
  /** How often its link or a view was opened again after its machine had failed. */
  readonly reopens: number;
}
export type AgentEvent = AgentOrder | LinkNews | ViewNews | RequestFact | DirectoryEvent;
