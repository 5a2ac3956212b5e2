/** Questions of an agent to its office and computers, and the views that it keeps of them. */
import {
  downloadKind,
  downloadOpen,
  type DownloadNews,
  type DownloadOrder,
} from '../blobs/download.rules.ts';
import {
  callKind,
  settledBy,
  type CallStart,
  type CallProgressed,
  type CallRequest,
  type CallSettled,
} from '../call/call.rules.ts';
import {
  addressFor,
  childOf,
  keyOf,
  kindOf,
  type Address,
  type AddressFor,
  type Kind,
  message,
  open,
  post,
  toOwned,
  type CheckedMessage,
  type Open,
  type OwnedEnded,
  type Post,
  type TellOwned,
  type DirectoryEvent,
} from '../kernel/effects.ts';
import { extended } from '../kernel/objects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import type { ConnectionFact } from '../ports/link.ts';
import { timingOf, type Timing } from '../kernel/timing.ts';
import { linkKind, type LinkNews, type LinkStart } from '../link/link.events.ts';
import type { Failure } from '../protocol/failure.ts';
import { readRoom } from '../protocol/messages/lists.ts';
import { isForHost, viewOf, type NotificationFact, type HostFact } from '../protocol/notifications.ts';
import { events } from '../protocol/protocol.ts';
import { collections, type Collection, type Followed } from './collections.ts';
import { newsOf, type ViewNews, type ViewOrder, type ViewStart } from './view.machine.ts';
export const linkLost = (reason: string | null): Failure => ({
  code: 'LinkLost',
  message: `The connection to the office was lost${reason === null ? '' : `: ${reason}`}; whether the call took effect is unknown`,
  remedy: 'It is made again by itself; look at what the call did before you repeat it.',
});
export const offlineFailure: Failure = {
  code: 'LinkLost',
  message: 'Not connected to an office: the call was not sent',
  remedy: 'Wait until the link is joined again.',
};
export const closingFailure: Failure = { code: 'LinkLost', message: 'The agent is closing' };
/** Converts ms to whole seconds, rounded up, because the wire has whole seconds. */
const secondsOf = (ms: number): number => Math.ceil(ms / 1000);
/** Time in ms after the limit of a call in which the answer of its computer may still come. */
const graceMs = 250;
/** Longest time in seconds that a person may take, for the office; the computer has a limit of its own. */
const personSeconds = 600;
/** Settings of a call that a computer executes; limits, policy and starting servers are left to that computer. */
const othersLimits = {
  agent: null,
  totalMs: 0,
  idleMs: 0,
  policy: null,
  keeper: addressFor(''),
  isPending: false,
} as const;
export const callStart = (
  c: AgentContext,
  { type: _, computer, trace, meta, ...call }: AgentCall,
): CallStart =>
  extended(call, {
    server: '',
    computer,
    withdrawal: {
      method: events.cancelToolCall,
      params: { agent: c.link.name, req_id: call.reqId },
      ms: c.timing.cancelMs,
    },
    timeoutMs: call.mostMs ?? call.timeoutMs,
    graceMs,
    ...othersLimits,
    request: {
      target: linkAt(c),
      method: 'client:tool_call',
      params: {
        agent: c.link.name,
        req_id: call.reqId,
        computer,
        tool_name: call.tool,
        params: call.params,
        timeout: secondsOf(call.timeoutMs),
        ...(call.mostMs !== undefined && { timeout_total: secondsOf(call.mostMs) }),
        ...(call.wantsProgress === true && { progress: true, timeout_person: personSeconds }),
        ...(meta && { meta }),
        ...trace,
      },
    },
  });
export const queryStart = (
  c: AgentContext,
  { type: _, method, request, timeoutMs = c.timing.queryMs + c.timing.agentMarginMs, ...query }: AgentQuery,
): CallStart =>
  extended(query, {
    server: '',
    tool: method,
    params: {},
    timeoutMs,
    ...othersLimits,
    request: {
      target: linkAt(c),
      method,
      params: { agent: c.link.name, req_id: query.reqId, ...request },
    },
  });
export const callOf = (call: AgentCall | AgentQuery) =>
  call.type === 'agent.call'
    ? extended(call, { server: '' })
    : extended(call, { server: '', tool: call.method });
const lastWill = (call: AgentCall | AgentQuery): CheckedMessage =>
  message(
    call.replyTo,
    settledBy(
      callOf(call),
      'unknown',
      { code: 'Crashed', message: 'The machine of this call failed; its effect is unknown' },
      'unknown',
    ),
  );
export const callOpen = (call: AgentCall | AgentQuery, input: CallStart): Open =>
  open(callKind, input, { key: call.ticket, lastWill: lastWill(call) });
/** Largest number of times in a row that a download asks without an answer: about two minutes, with the pauses. */
const mostTries = 60;
export const downloadStart = (c: AgentContext, { type: _, ...asked }: AgentDownload): Open =>
  downloadOpen({
    ...asked,
    agent: c.link.name,
    link: linkAt(c),
    mostTries,
    timing: timingOf.download(c.timing),
  });
export const downloadRefused = ({ ticket, replyTo }: AgentDownload): Post =>
  post(replyTo, { type: 'download.ended', ticket, end: 'failed', failure: closingFailure });
export const downloadTold = (c: AgentContext, { ticket, order }: DownloadToldOrder): Post =>
  post(childOf(c.self, downloadKind, ticket), order, { optional: true });
const kinds: Readonly<Record<Collection, Kind<ViewStart, ViewOrder>>> = {
  tools: kindOf('view'),
  desktop: kindOf('desktopView'),
  finder: kindOf('finderView'),
  skills: kindOf('skillsView'),
};
const allViews = Object.keys(kinds) as Collection[];
export const linkAt = (c: AgentContext): Address => childOf(c.self, linkKind);
const segmentOf = (computer: string, collection: Collection): string =>
  `${kinds[collection]}:${keyOf(computer)}`;
const viewAt = (c: AgentContext, computer: string, collection: Collection): AddressFor<ViewOrder> =>
  childOf(c.self, kinds[collection], computer);
export const viewOpen = (c: AgentContext, computer: string, collection: Collection): Open =>
  open(
    kinds[collection],
    {
      computer,
      agent: c.link.name,
      collection,
      link: linkAt(c),
      timing: timingOf.view(c.timing),
    },
    { key: computer },
  );
export const viewsOfComers = (c: AgentContext, computers: readonly string[]): Open[] =>
  computers.flatMap((computer) =>
    (['tools', ...c.follows] as const).map((collection) => viewOpen(c, computer, collection)),
  );
export const computersIn = (c: AgentContext, result: unknown): string[] => {
  const read = readRoom(result, reqIdOf(c));
  return read.ok ? read.body.filter((s) => s.role === 'computer').map((s) => s.name) : [];
};
export const reqIdOf = (c: AgentContext): string => `room.${c.link.name}.${c.asked}`;

interface Viewed {
  readonly computer: string;
  readonly collection: Collection;
}
export const viewedBy = (c: AgentContext, { key }: OwnedEnded): Viewed | undefined =>
  c.computers
    .flatMap((computer) => allViews.map((collection) => ({ computer, collection })))
    .find(({ computer, collection }) => key === segmentOf(computer, collection));

export const viewsClosed = (c: AgentContext, computer: string): Post[] =>
  allViews.map((collection) => post(viewAt(c, computer, collection), { type: 'close' }, { optional: true }));
export const allViewsClosed: readonly TellOwned[] = allViews.map((collection) =>
  toOwned(kinds[collection], { type: 'close' }),
);
export function postsAfter(c: AgentContext, fact: NotificationFact): Post[] {
  const told = isForHost(fact) ? [post(c.owner, fact)] : [];
  if (viewOf(fact) !== 'tools') return told;
  const view = viewAt(c, fact.computer, 'tools');
  return [...told, post(view, { type: 'view.refresh' }, { optional: true })];
}
/** A view that is already open is refreshed instead (`open.refused`). */
export function opensAfter(c: AgentContext, fact: NotificationFact): Open[] {
  const view = viewOf(fact);
  if (!view || view === 'tools') return [];
  return c.computers.includes(fact.computer) ? [viewOpen(c, fact.computer, view)] : [];
}
/** Wakes the view that follows what the host has just asked for, because the view may have given up asking. */
export function viewWoken(c: AgentContext, { method, request }: AgentQuery): Post[] {
  const collection = allViews.find((each) => collections[each].method === method);
  const { computer } = request as { readonly computer?: unknown };
  if (collection === undefined || typeof computer !== 'string') return [];
  return [post(viewAt(c, computer, collection), { type: 'view.wake' }, { optional: true })];
}
export function viewAgain(c: AgentContext, ended: OwnedEnded): Open[] {
  const viewed = viewedBy(c, ended);
  return viewed ? [viewOpen(c, viewed.computer, viewed.collection)] : [];
}
/** It stays closed until its computer joins again or announces a change. */
export function viewGivenUp(c: AgentContext, ended: OwnedEnded): ViewNews[] {
  const viewed = viewedBy(c, ended);
  const message = `Its view failed too often: ${ended.error ?? ended.why}`;
  return viewed ? [newsOf(viewed.collection, viewed.computer, null, { code: 'Crashed', message })] : [];
}
export interface AgentStart {
  readonly link: Omit<LinkStart, 'timing' | 'role'>;
  readonly timing: Timing;
}
/** The computer receives `timeoutMs`; the agent itself waits a little longer. */
export interface AgentCall extends Omit<CallRequest, 'type' | 'agent'> {
  readonly type: 'agent.call';
  readonly computer: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}
export interface AgentQuery {
  readonly type: 'agent.query';
  readonly ticket: string;
  readonly reqId: string;
  readonly method: string;
  readonly request: object;
  /** Time limit set by the host in ms; by default the time that an office allows, plus a margin. */
  readonly timeoutMs?: number;
  readonly replyTo: AddressFor<CallSettled | CallProgressed>;
}
export interface AgentDownload {
  readonly type: 'agent.download';
  readonly ticket: string;
  readonly computer: string;
  readonly handle: string;
  readonly replyTo: AddressFor<DownloadNews>;
}
export interface DownloadToldOrder {
  readonly type: 'download.told';
  readonly ticket: string;
  readonly order: DownloadOrder;
}
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
/** Empty when the office does not list them. Later arrivals are reported one by one. */
interface RoomKnown {
  readonly type: 'room.known';
  readonly computers: readonly string[];
}
export type AgentNews =
  | RoomKnown
  | Extract<LinkNews, { type: 'link.changed' }>
  | Extract<ConnectionFact, { type: 'computer.entered' | 'computer.left' }>
  | HostFact
  | ViewNews;
export type AgentInput = AgentStart & { readonly self: Address; readonly owner: AddressFor<AgentNews> };
export interface AgentContext extends AgentInput {
  readonly computers: readonly string[];
  readonly follows: readonly Followed[];
  readonly asked: number;
  readonly reopens: number;
}
export type AgentEvent = AgentOrder | LinkNews | ViewNews | RequestFact | DirectoryEvent;
