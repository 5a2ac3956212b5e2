/** Routing of tool calls. A call of an unknown tool waits, within its limit, for servers still starting. */
import { defaultRemembered } from '../call/history.ts';
import { callKind, settledBy, type ComputerCall } from '../call/call.rules.ts';
import { findTool, isDenied, unresolved, type AbsentServer } from '../catalog/tool-table.ts';
import type { ToolEntry } from '../catalog/tool.ts';
import { clientKind, type ServerCall } from '../client/client.events.ts';
import {
  childOf,
  type Address,
  message,
  post,
  toOwned,
  toOwnersOf,
  type CheckedMessage,
  type Post,
} from '../kernel/effects.ts';
import { extended } from '../kernel/objects.ts';
import type { ClientWaits } from '../ports/session.ts';
import { notActive, stillStarting } from '../process/server-failure.ts';
import type { Failure } from '../protocol/failure.ts';
import { withoutKey } from '../protocol/json.ts';
import { absentServers, withdrawnRefusal, whyWithdrawn, withdrawnFrom } from './absence.rules.ts';
import { clientOf, isWantedServer, isTrying } from './computer.rules.ts';
import { isApproved } from './approvals.rules.ts';
import {
  nameIn,
  type ComputerContext,
  type CallCancel,
  type CallOverdue,
  type Taken,
} from './computer.events.ts';

/** Windows of recently called servers are shown first. */
const recentAfterCall = (c: ComputerContext, server: string): Partial<ComputerContext> => {
  const most = Math.max(0, c.remembered ?? defaultRemembered);
  const kept = c.recent.slice(Math.max(0, c.recent.length + 1 - most));
  return { recent: most === 0 ? [] : [...kept, { server }] };
};
/** They are starting, or their last start failed. */
const silentServers = (c: ComputerContext): AbsentServer[] =>
  c.servers
    .filter(
      (s) => isWantedServer(s) && c.catalogs[nameIn(s)] === undefined && c.stages[nameIn(s)] !== 'ready',
    )
    .filter((s) => whyWithdrawn(c, nameIn(s)) === undefined)
    .map((s) => {
      const reason = c.reasons[nameIn(s)];
      return { server: nameIn(s), ...(reason !== undefined && { reason }) };
    });
const whyNotCallable = (c: ComputerContext, tool: string): Failure =>
  (isDenied(c.table, tool) ? undefined : withdrawnRefusal(c, tool)) ??
  unresolved(c.table, tool, [...silentServers(c), ...absentServers(c)]);
const ownerOfTool = (c: ComputerContext, tool: string): string => {
  const { disabled, refused } = c.table;
  if (Object.hasOwn(disabled, tool)) return disabled[tool]?.server ?? '';
  return refused.find(({ name }) => name === tool)?.server ?? withdrawnFrom(c, tool) ?? '';
};
export const messageOfCall = (c: ComputerContext, order: ComputerCall): Post =>
  callMessageTo(c, order, findTool(c.table, order.tool));
const callTaken = (c: ComputerContext, order: ComputerCall): Taken => {
  const entry = findTool(c.table, order.tool);
  return {
    messages: [callMessageTo(c, order, entry)],
    next: entry && !order.refused ? recentAfterCall(c, entry.server) : {},
  };
};
const callMessageTo = (c: ComputerContext, call: ComputerCall, entry?: ToolEntry): Post => {
  const server = entry?.server ?? ownerOfTool(c, call.tool);
  const refuse = (failure: Failure): CheckedMessage =>
    message(
      call.replyTo,
      settledBy({ ticket: call.ticket, reqId: call.reqId, server, tool: call.tool }, 'failed', failure),
    );
  if (call.refused) return refuse(call.refused);
  if (!entry) return refuse(whyNotCallable(c, call.tool));
  const request: ServerCall = extended(call, {
    tool: entry.tool.name,
    isConfirmed: call.isConfirmed || isApproved(c, entry.server, entry.tool.name, call),
    meta: entry.meta,
    hasOutput: entry.tool.outputSchema !== undefined,
  });
  const onUndelivered = refuse(notActive(entry.server, 'closed', null, null));
  return post(clientOf(c, entry.server), request, { onUndelivered });
};

/** Includes calls sent after a wait, until their limit: each keeps an answer open and a timer running. */
export const mostWaiting = 1_000;
/** Longest delay of a JavaScript timer, in ms. */
const longestMs = 2 ** 31 - 1;

/** Not listed yet, so they may have any tool. */
export const startingServers = (c: ComputerContext): string[] =>
  c.servers
    .map((s) => s.rules.server)
    .filter((server) => c.catalogs[server] === undefined && isTrying(c.stages[server]));
export const afterWaits = (c: ComputerContext, { server, waits }: ClientWaits): Partial<ComputerContext> =>
  c.stages[server] === 'connecting' ? { waits: { ...c.waits, [server]: waits } } : {};
export const withoutWaits = ({ waits = {} }: ComputerContext, server: string): Partial<ComputerContext> =>
  server in waits ? { waits: withoutKey(waits, server) } : {};
const mayCome = (c: ComputerContext, tool: string): boolean =>
  !findTool(c.table, tool) && !isDenied(c.table, tool) && startingServers(c).length > 0;
const mustWait = (c: ComputerContext, call: ComputerCall): boolean => !call.refused && mayCome(c, call.tool);
const isWaitingFull = (c: ComputerContext): boolean =>
  c.waiting.length + Object.keys(c.waited).length >= mostWaiting;

const patienceTimer = (ticket: string): string => `overdue.${ticket}`;
/** A call of an unknown tool waits for servers that start; its limit runs from its arrival. */
export function called(c: ComputerContext, order: ComputerCall): Taken {
  if (c.isDraining) return { messages: [refuseDraining(order)] };
  const { ticket, timeoutMs } = order;
  const id = patienceTimer(ticket);
  if (!mustWait(c, order))
    return { ...callTaken(c, order), ...(Object.hasOwn(c.waited, ticket) && { cancels: [id] }) };
  if (isWaitingFull(c)) return { messages: [refuseWaiting(order, 'refused', stillAwaited(c, order))] };
  const delay = Math.min(timeoutMs, longestMs);
  return {
    timers: delay > 0 ? [{ id, delay, event: { type: 'call.overdue', ticket } }] : [],
    next: { waiting: [...c.waiting, order] },
  };
}
const stillAwaited = (c: ComputerContext, { tool }: ComputerCall): Failure =>
  stillStarting(tool, startingServers(c), c.waits);

export const decidedCalls = (c: ComputerContext): readonly ComputerCall[] =>
  c.waiting.filter((call) => !mayCome(c, call.tool));
/** Calls that waited for a server whose tools are known now. */
export function callsDecided(c: ComputerContext): Taken {
  const some = decidedCalls(c);
  const messages: Post[] = [];
  let next: Partial<ComputerContext> = {};
  for (const order of some) {
    const taken = callTaken({ ...c, ...next }, order);
    messages.push(...(taken.messages ?? []));
    next = { ...next, ...taken.next };
  }
  const sent = some.flatMap((call): [string, string][] => {
    const entry = findTool(c.table, call.tool);
    return entry && call.timeoutMs > 0 ? [[call.ticket, entry.server]] : [];
  });
  const waited = { ...c.waited, ...Object.fromEntries(sent) };
  return {
    messages,
    cancels: some.flatMap(({ ticket }) => (Object.hasOwn(waited, ticket) ? [] : [patienceTimer(ticket)])),
    next: { ...next, waited, waiting: c.waiting.filter((order) => !some.includes(order)) },
  };
}

const refuseWaiting = (
  call: ComputerCall,
  end: 'refused' | 'timedOut' | 'cancelled',
  failure: Failure,
): Post => post(call.replyTo, settledBy(extended(call, { server: '' }), end, failure), { optional: true });

/** A call that ran before goes on, until its server answers or the computer closes. */
const refuseDraining = (order: ComputerCall): Post =>
  refuseWaiting(order, 'refused', {
    code: 'ServerNotActive',
    message: `Call '${order.reqId}' was not sent: its computer is about to close and takes no new calls`,
  });
export function callOverdue(c: ComputerContext, { ticket }: CallOverdue): Taken {
  const order = c.waiting.find((call) => call.ticket === ticket);
  const server = c.waited[ticket];
  const messages: Post[] = [];
  if (order) messages.push(refuseWaiting(order, 'timedOut', stillAwaited(c, order)));
  // The call's own timer started only when its server was known.
  else if (server !== undefined)
    messages.push(
      post(childOf(clientOf(c, server), callKind, ticket), { type: 'deadline.passed' }, { optional: true }),
    );
  const waiting = c.waiting.filter((call) => call !== order);
  return { messages, next: { waiting, waited: withoutKey(c.waited, ticket) } };
}
/** The time of a person does not count. */
export const callAsked = (c: ComputerContext, { ticket }: { readonly ticket: string }): Taken =>
  Object.hasOwn(c.waited, ticket)
    ? { cancels: [patienceTimer(ticket)], next: { waited: withoutKey(c.waited, ticket) } }
    : {};

const cancelledBy = (reqId: string, reason: string): Failure => ({
  code: 'ToolCallCancelled',
  message: `Call '${reqId}' was cancelled: ${reason}`,
  details: { cancel_reason: reason },
});
type CallWithdrawal = CallCancel | { readonly type: 'asker.lost'; readonly asker: Address };
export function withdrawn(c: ComputerContext, event: CallWithdrawal): Taken {
  const isLost = event.type === 'asker.lost';
  const some = c.waiting.filter((order) =>
    isLost ? order.replyTo === event.asker : order.ticket === event.ticket,
  );
  const why = isLost ? 'who asked is gone' : event.reason;
  return {
    messages: some.map((order) => refuseWaiting(order, 'cancelled', cancelledBy(order.reqId, why))),
    cancels: some.map(({ ticket }) => patienceTimer(ticket)),
    // The loss of a caller goes to all clients, because its calls are not known here.
    told: [isLost ? toOwned(clientKind, event) : toOwnersOf(clientKind, [callKind, event.ticket], event)],
    next: { waiting: c.waiting.filter((order) => !some.includes(order)) },
  };
}
export const messagesOfClosing = (c: ComputerContext): Post[] =>
  c.waiting.map((order) =>
    refuseWaiting(order, 'cancelled', cancelledBy(order.reqId, 'its computer is being closed')),
  );
