/** What a computer does with calls: sent to whom they name, or kept for a while where that is not known yet. */
import { routeCall } from './computer.messages.ts';
import { itself, parts, passToClients } from './computer.setup.ts';
import * as waiting from './computer.waiting.ts';
import type { CallOverdue, ComputerContext, ToolCall } from './computer.events.ts';

type At<E = unknown> = { readonly context: ComputerContext; readonly event: E };
const letters = <E>(of: (c: ComputerContext, event: E) => ReturnType<typeof waiting.lettersOfDecided>) =>
  ({
    type: 'postAll',
    params: ({ context, event }: At<E>) => ({ letters: of(context, event) }),
  }) as const;

/** Its time begins when it comes, whoever turns out to have its tool. */
const startPatience = parts.enqueueActions(({ context, event, enqueue }) => {
  const order = event as ToolCall;
  const delay = waiting.patienceOf(order);
  const { ticket } = order.call;
  if (delay > 0 && !waiting.isFull(context))
    enqueue.raise({ type: 'call.overdue', ticket }, { delay, id: waiting.timerOf(ticket) });
});
/** The clock of one that came under the same ticket before says nothing of this one. */
const stopPatience = parts.enqueueActions(({ context, event, enqueue }) => {
  const { ticket } = (event as ToolCall).call;
  if (Object.hasOwn(context.waited, ticket)) enqueue.cancel(waiting.timerOf(ticket));
});
/** Nobody's time runs any more of those that are answered without a server. */
const stopDecided = parts.enqueueActions(({ context, enqueue }) => {
  const { waited } = waiting.afterDecided(context);
  for (const { call } of waiting.decided(context))
    if (!Object.hasOwn(waited, call.ticket)) enqueue.cancel(waiting.timerOf(call.ticket));
});
const stopWithdrawn = parts.enqueueActions(({ context, event, enqueue }) => {
  for (const { call } of waiting.meant(context, event as waiting.Withdrawn))
    enqueue.cancel(waiting.timerOf(call.ticket));
});
export const take = [
  {
    guard: { type: 'mustWait', params: itself<ToolCall> },
    actions: [
      letters<ToolCall>((c, order) => waiting.lettersOfFull(c, order)),
      startPatience,
      { type: 'wait', params: itself<ToolCall> },
    ],
  },
  { actions: [stopPatience, routeCall, { type: 'noteCall', params: itself<ToolCall> }] },
] as const;
export const takeAtOnce = { actions: routeCall } as const;
export const sendDecided = {
  guard: 'hasDecided',
  actions: [letters((c) => waiting.lettersOfDecided(c)), stopDecided, 'noteDecided', 'forgetDecided'],
} as const;
export const overdue = {
  actions: [
    letters<CallOverdue>((c, event) => waiting.lettersOfOverdue(c, event)),
    { type: 'forgetOverdue', params: itself<CallOverdue> },
  ],
} as const;
export const withdraw = {
  actions: [
    letters<waiting.Withdrawn>((c, event) => waiting.lettersOfCancel(c, event)),
    stopWithdrawn,
    { type: 'forgetCancelled', params: itself<waiting.Withdrawn> },
    passToClients,
  ],
} as const;
export const endWaiting = [letters((c) => waiting.lettersOfClosing(c)), 'forgetWaiting'] as const;
