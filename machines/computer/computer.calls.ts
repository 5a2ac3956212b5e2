/** Routing of tool calls. A call of an unknown tool waits, within its limit, for servers still starting. */
import { defaultRemembered } from '../call/history.ts';
import { callKind, settledBy, type ComputerCall } from '../call/call.rules.ts';
import { findTool, isDenied, unresolved, type AbsentServer } from '../catalog/tool-table.ts';
import type { ToolEntry } from '../catalog/tool.ts';
import type { ServerCall } from '../client/client.events.ts';
import { childOf, type Address, message, post, type CheckedMessage, type Post } from '../kernel/effects.ts';
import { extended } from '../kernel/objects.ts';
import type { ClientWaits } from '../ports/session.ts';
import { notActive, stillStarting } from '../process/server-failure.ts';
import type { Failure } from '../protocol/failure.ts';
import { withoutKey } from '../protocol/json.ts';
import { absentServers, withdrawnRefusal, whyWithdrawn, withdrawnFrom } from './absence.rules.ts';
import { clientOf, isWantedServer, isTrying, type Consequences } from './computer.rules.ts';
import { isApproved } from './approvals.rules.ts';
import { nameIn, type ComputerContext, type CallCancel, type CallOverdue } from './computer.events.ts';

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
export const callTaken = (c: ComputerContext, order: ComputerCall): Consequences => {
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
export const mustWait = (c: ComputerContext, call: ComputerCall): boolean =>
  !call.refused && mayCome(c, call.tool);
export const isWaitingFull = (c: ComputerContext): boolean =>
  c.waiting.length + Object.keys(c.waited).length >= mostWaiting;
export const messagesOfFull = (c: ComputerContext, order: ComputerCall): Post[] =>
  isWaitingFull(c)
    ? [refuseWaiting(order, 'refused', stillStarting(order.tool, startingServers(c), c.waits))]
    : [];

export const patienceTimer = (ticket: string): string => `overdue.${ticket}`;
export const patienceOf = (call: ComputerCall): number => Math.min(call.timeoutMs, longestMs);
export const afterKept = (c: ComputerContext, order: ComputerCall): Partial<ComputerContext> =>
  isWaitingFull(c) ? {} : { waiting: [...c.waiting, order] };

export const decidedCalls = (c: ComputerContext): readonly ComputerCall[] =>
  c.waiting.filter((call) => !mayCome(c, call.tool));
export const afterDecided = (c: ComputerContext): Pick<ComputerContext, 'waiting' | 'waited'> => {
  const some = decidedCalls(c);
  const sent = some.flatMap((call): [string, string][] => {
    const entry = findTool(c.table, call.tool);
    return entry && call.timeoutMs > 0 ? [[call.ticket, entry.server]] : [];
  });
  return {
    waiting: c.waiting.filter((order) => !some.includes(order)),
    waited: { ...c.waited, ...Object.fromEntries(sent) },
  };
};
export const recentAfterDecided = (c: ComputerContext): Partial<ComputerContext> => {
  let recent: Partial<ComputerContext> = {};
  for (const order of decidedCalls(c)) recent = { ...recent, ...callTaken({ ...c, ...recent }, order).next };
  return recent;
};
export const messagesOfDecided = (c: ComputerContext): Post[] =>
  decidedCalls(c).map((order) => messageOfCall(c, order));

const refuseWaiting = (
  call: ComputerCall,
  end: 'refused' | 'timedOut' | 'cancelled',
  failure: Failure,
): Post => post(call.replyTo, settledBy(extended(call, { server: '' }), end, failure), { optional: true });

/** A call that ran before goes on, until its server answers or the computer closes. */
export const refuseDraining = (order: ComputerCall): Post =>
  refuseWaiting(order, 'refused', {
    code: 'ServerNotActive',
    message: `Call '${order.reqId}' was not sent: its computer is about to close and takes no new calls`,
  });
export function messagesOfOverdue(c: ComputerContext, { ticket }: CallOverdue): Post[] {
  const order = c.waiting.find((call) => call.ticket === ticket);
  if (order)
    return [refuseWaiting(order, 'timedOut', stillStarting(order.tool, startingServers(c), c.waits))];
  const server = c.waited[ticket];
  if (server === undefined) return [];
  // The call's own timer started only when its server was known.
  const to = childOf(clientOf(c, server), callKind, ticket);
  return [post(to, { type: 'deadline.passed' }, { optional: true })];
}
export const afterOverdue = (c: ComputerContext, { ticket }: CallOverdue): Partial<ComputerContext> => ({
  waiting: c.waiting.filter((call) => call.ticket !== ticket),
  waited: withoutKey(c.waited, ticket),
});

const cancelledBy = (reqId: string, reason: string): Failure => ({
  code: 'ToolCallCancelled',
  message: `Call '${reqId}' was cancelled: ${reason}`,
  details: { cancel_reason: reason },
});
export type CallWithdrawal = CallCancel | { readonly type: 'asker.lost'; readonly asker: Address };
const isWithdrawnBy = (order: ComputerCall, event: CallWithdrawal): boolean =>
  event.type === 'asker.lost' ? order.replyTo === event.asker : order.ticket === event.ticket;
export const withdrawnCalls = (c: ComputerContext, event: CallWithdrawal): readonly ComputerCall[] =>
  c.waiting.filter((order) => isWithdrawnBy(order, event));
export const messagesOfCancel = (c: ComputerContext, event: CallWithdrawal): Post[] =>
  withdrawnCalls(c, event).map((order) =>
    refuseWaiting(
      order,
      'cancelled',
      cancelledBy(order.reqId, event.type === 'asker.lost' ? 'who asked is gone' : event.reason),
    ),
  );
export const afterCancel = (c: ComputerContext, event: CallWithdrawal): Partial<ComputerContext> => ({
  waiting: c.waiting.filter((order) => !isWithdrawnBy(order, event)),
});
export const messagesOfClosing = (c: ComputerContext): Post[] =>
  c.waiting.map((order) =>
    refuseWaiting(order, 'cancelled', cancelledBy(order.reqId, 'its computer is being closed')),
  );
