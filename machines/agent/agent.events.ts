/** Messages to and from the machine of an agent, and its data. */
import type { Address, AddressFor } from '../kernel/address.ts';
import type { DownloadNews, DownloadOrder } from '../blobs/download.rules.ts';
import type { CallProgressed, CallRequest, CallSettled } from '../call/messages.ts';
import type { DirectoryEvent } from '../kernel/effects.ts';
import type { LinkNews, LinkStart } from '../link/link.machine.ts';
import type { RequestFact, LinkFact } from '../kernel/ports.ts';
import type { Followed } from './collections.ts';
import type { HostFact } from '../protocol/notifications.ts';
import type { Timing } from '../kernel/timing.ts';
import type { ViewNews } from './view.machine.ts';

export interface AgentStart {
  readonly link: Omit<LinkStart, 'timing' | 'role'>;
  readonly timing: Timing;
}
/**
 * Tool call of an agent. The computer receives `timeoutMs`; the agent itself waits a little longer for the answer.
 */
export interface AgentCall extends Omit<CallRequest, 'type' | 'agent'> {
  readonly type: 'agent.call';
  readonly computer: string;
}
/** Other question of the host, to the office (`server:list_room`) or to a computer. */
export interface AgentQuery {
  readonly type: 'agent.query';
  readonly ticket: string;
  readonly reqId: string;
  readonly method: string;
  /** Payload of the question as sent on the wire, without `agent` and `req_id`. */
  readonly request: object;
  /** Time limit set by the host in ms; by default the time that an office allows, plus a margin. */
  readonly timeoutMs?: number;
  readonly replyTo: AddressFor<CallSettled | CallProgressed>;
}
/** Order to read a large content of a computer, whose parts go to `replyTo`. */
export interface AgentDownload {
  readonly type: 'agent.download';
  readonly ticket: string;
  readonly computer: string;
  readonly handle: string;
  readonly replyTo: AddressFor<DownloadNews>;
}
/** Order to a download of the host. */
export interface DownloadToldOrder {
  readonly type: 'download.told';
  readonly ticket: string;
  readonly order: DownloadOrder;
}
/** Order to follow the Desktop, the Finder or the skills of every computer, including computers that never announce a change. */
export interface AgentFollow {
  readonly type: 'agent.follow';
  readonly collection: Followed;
}
export type AgentOrder =
  | AgentCall
  | AgentQuery
  | AgentFollow
  | AgentDownload
  | DownloadToldOrder
  | { readonly type: 'call.cancel'; readonly ticket: string; readonly reason: string }
  | { readonly type: 'close' };
/**
 * Computers that were in the office when the agent joined; empty when the office does not list them. Later arrivals
 * are reported one by one.
 */
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
  /** Collections that the host follows at every computer, in addition to the tools. */
  readonly follows: readonly Followed[];
  readonly asked: number;
  /** Number of times that the link or a view was reopened after its machine crashed. */
  readonly reopens: number;
}
export type AgentEvent = AgentOrder | LinkNews | ViewNews | RequestFact | DirectoryEvent;
