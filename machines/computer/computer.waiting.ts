/** Calls of a tool that nobody has yet, while servers still start: they wait for those, within their caller's time. */
import { childOf, type Address } from '../kernel/address.ts';
import { callKind, settledBy, type ComputerCall } from '../call/messages.ts';
import type { CallCancel, CallOverdue, ComputerContext } from './computer.events.ts';
import { findTool, isDenied } from '../catalog/index.ts';
import { clientOf, isTrying } from './computer.rules.ts';
import { route, routed } from './computer.routing.ts';
import { post, type Post } from '../kernel/effects.ts';
import { extended } from '../kernel/objects.ts';
import { stillStarting } from '../process/server-failure.ts';
import type { ClientWaits } from '../kernel/ports.ts';
import type { Failure } from '../protocol/failure.ts';
import { withoutKey } from '../protocol/json.ts';

/** So many wait, or have waited and are in their time still: each is an answer that somebody holds open, and a timer. */
export const mostWaiting = 1_000;
/** Timers go no further. */
const longestMs = 2 ** 31 - 1;

/** Servers that may have any tool, for they have not said yet which they have. */
export const starting = (c: ComputerContext): string[] =>
  c.servers
    .map((s) => s.rules.server)
    .filter((server) => c.catalogs[server] === undefined && isTrying(c.stages[server]));
/** Said of a handshake that is going on, by a server that is in the config. */
export const noteWaits = (c: ComputerContext, { server, waits }: ClientWaits): Partial<ComputerContext> =>
  c.stages[server] === 'connecting' ? { waits: { ...c.waits, [server]: waits } } : {};
export const withoutWaits = ({ waits = {} }: ComputerContext, server: string): Partial<ComputerContext> =>
  server in waits ? { waits: withoutKey(waits, server) } : {};
const mayCome = (c: ComputerContext, tool: string): boolean =>
  !findTool(c.table, tool) && !isDenied(c.table, tool) && starting(c).length > 0;
export const mustWait = (c: ComputerContext, call: ComputerCall): boolean =>
  !call.refused && mayCome(c, call.tool);
export const isFull = (c: ComputerContext): boolean =>
  c.waiting.length + Object.keys(c.waited).length >= mostWaiting;
export const messagesOfFull = (c: ComputerContext, order: ComputerCall): Post[] =>
  isFull(c) ? [refuse(order, 'refused', stillStarting(order.tool, starting(c), c.waits))] : [];

export const timerOf = (ticket: string): string => `overdue.${ticket}`;
export const patienceOf = (call: ComputerCall): number => Math.min(call.timeoutMs, longestMs);
export const waited = (c: ComputerContext, order: ComputerCall): Partial<ComputerContext> =>
  isFull(c) ? {} : { waiting: [...c.waiting, order] };

/** Those of which it is known by now who has the tool, or that nobody has it. */
export const decided = (c: ComputerContext): readonly ComputerCall[] =>
  c.waiting.filter((call) => !mayCome(c, call.tool));
export const afterDecided = (c: ComputerContext): Pick<ComputerContext, 'waiting' | 'waited'> => {
  const some = decided(c);
  const sent = some.flatMap((call): [string, string][] => {
    const entry = findTool(c.table, call.tool);
    return entry && call.timeoutMs > 0 ? [[call.ticket, entry.server]] : [];
  });
  return {
    waiting: c.waiting.filter((order) => !some.includes(order)),
    waited: { ...c.waited, ...Object.fromEntries(sent) },
  };
};
/** Remembers the server of a call: its windows are shown first from then on. */
export const noted = (c: ComputerContext): Partial<ComputerContext> => {
  let recent: Partial<ComputerContext> = {};
  for (const order of decided(c)) recent = { ...recent, ...routed({ ...c, ...recent }, order).next };
  return recent;
};
export const messagesOfDecided = (c: ComputerContext): Post[] => decided(c).map((order) => route(c, order));

const refuse = (call: ComputerCall, end: 'refused' | 'timedOut' | 'cancelled', failure: Failure): Post =>
  post(call.replyTo, settledBy(extended(call, { server: '' }), end, failure), { optional: true });

export function messagesOfOverdue(c: ComputerContext, { ticket }: CallOverdue): Post[] {
  const order = c.waiting.find((call) => call.ticket === ticket);
  if (order) return [refuse(order, 'timedOut', stillStarting(order.tool, starting(c), c.waits))];
  const server = c.waited[ticket];
  if (server === undefined) return [];
  // The clock of the call itself began when its server was known.
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
export type Withdrawn = CallCancel | { readonly type: 'asker.lost'; readonly asker: Address };
const isMeant = (order: ComputerCall, event: Withdrawn): boolean =>
  event.type === 'asker.lost' ? order.replyTo === event.asker : order.ticket === event.ticket;
export const meant = (c: ComputerContext, event: Withdrawn): readonly ComputerCall[] =>
  c.waiting.filter((order) => isMeant(order, event));
export const messagesOfCancel = (c: ComputerContext, event: Withdrawn): Post[] =>
  meant(c, event).map((order) =>
    refuse(
      order,
      'cancelled',
      cancelledBy(order.reqId, event.type === 'asker.lost' ? 'who asked is gone' : event.reason),
    ),
  );
export const afterCancel = (c: ComputerContext, event: Withdrawn): Partial<ComputerContext> => ({
  waiting: c.waiting.filter((order) => !isMeant(order, event)),
});
/** It closes: nobody starts any more. */
export const messagesOfClosing = (c: ComputerContext): Post[] =>
  c.waiting.map((order) =>
    refuse(order, 'cancelled', cancelledBy(order.reqId, 'its computer is being closed')),
  );
