/** What a computer does with calls: sent to whom they name, or kept for a while where that is not known yet. */
import { routeCall } from './computer.messages.ts';
import { routed } from './computer.routing.ts';
import { eventAsParams, parts, passWithdrawal, step } from './computer.setup.ts';
import * as waiting from './computer.waiting.ts';
import type { ComputerCall } from '../call/messages.ts';
import type { CallOverdue, ComputerContext } from './computer.events.ts';

type At<E = unknown> = { readonly context: ComputerContext; readonly event: E };
const messages = <E>(of: (c: ComputerContext, event: E) => ReturnType<typeof waiting.messagesOfDecided>) =>
  ({
    type: 'postAll',
    params: ({ context, event }: At<E>) => ({ messages: of(context, event) }),
  }) as const;

/** Its time begins when it comes, whoever turns out to have its tool. */
const startPatience = parts.enqueueActions(({ context, event, enqueue }) => {
  const order = event as ComputerCall;
  const delay = waiting.patienceOf(order);
  const { ticket } = order;
  if (delay > 0 && !waiting.isFull(context))
    enqueue.raise({ type: 'call.overdue', ticket }, { delay, id: waiting.timerOf(ticket) });
});
/** The clock of one that came under the same ticket before says nothing of this one. */
const sendAtOnce = step<ComputerCall>((c, order) => {
  const { ticket } = order;
  const told = routed(c, order);
  return Object.hasOwn(c.waited, ticket) ? { ...told, cancels: [waiting.timerOf(ticket)] } : told;
});
/** Nobody's time runs any more of those that are answered without a server. */
const stopDecided = parts.enqueueActions(({ context, enqueue }) => {
  const { waited } = waiting.afterDecided(context);
  for (const call of waiting.decided(context))
    if (!Object.hasOwn(waited, call.ticket)) enqueue.cancel(waiting.timerOf(call.ticket));
});
const stopWithdrawn = parts.enqueueActions(({ context, event, enqueue }) => {
  for (const call of waiting.meant(context, event as waiting.Withdrawn))
    enqueue.cancel(waiting.timerOf(call.ticket));
});
export const take = [
  {
    guard: { type: 'mustWait', params: eventAsParams<ComputerCall> },
    actions: [
      messages<ComputerCall>((c, order) => waiting.messagesOfFull(c, order)),
      startPatience,
      { type: 'wait', params: eventAsParams<ComputerCall> },
    ],
  },
  { actions: sendAtOnce },
] as const;
export const takeAtOnce = { actions: routeCall } as const;
export const sendDecided = {
  guard: 'hasDecided',
  actions: [messages((c) => waiting.messagesOfDecided(c)), stopDecided, 'noteDecided', 'forgetDecided'],
} as const;
export const overdue = {
  actions: [
    messages<CallOverdue>((c, event) => waiting.messagesOfOverdue(c, event)),
    { type: 'forgetOverdue', params: eventAsParams<CallOverdue> },
  ],
} as const;
export const withdraw = {
  actions: [
    messages<waiting.Withdrawn>((c, event) => waiting.messagesOfCancel(c, event)),
    stopWithdrawn,
    { type: 'forgetCancelled', params: eventAsParams<waiting.Withdrawn> },
    passWithdrawal,
  ],
} as const;
export const endWaiting = [messages((c) => waiting.messagesOfClosing(c)), 'forgetWaiting'] as const;
