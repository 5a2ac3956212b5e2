/** What a machine does upon an event, as a rule says it: its action `take` does it, in this order. */
import { enqueueActions, type ActionFunction, type EventObject, type MachineContext } from 'xstate';
import type { Deadline, Open, PortRequest, Post, TellOwned } from './effects.ts';

export interface Taken<C, Later = never> {
  readonly opens?: readonly Open[];
  readonly messages?: readonly Post[];
  readonly told?: readonly TellOwned[];
  readonly requests?: readonly PortRequest[];
  /** Ids of questions. */
  readonly withdrawn?: readonly string[];
  readonly deadline?: Deadline;
  /** Ids of timers. */
  readonly cancels?: readonly string[];
  /** Events that come back after a delay; a timer of the same id is replaced. */
  readonly timers?: readonly { readonly id: string; readonly delay: number; readonly event: Later }[];
  /** Events that come back at once. */
  readonly raised?: readonly Later[];
  readonly next?: Partial<C>;
}

interface Enqueue {
  (action: { readonly type: string; readonly params: object }): void;
  readonly assign: (next: object) => void;
  readonly cancel: (id: string) => void;
  readonly raise: (event: EventObject, timer?: { readonly id: string; readonly delay: number }) => void;
}
export function perform(enqueue: unknown, taken: Taken<object, EventObject>): void {
  const { opens = [], messages = [], told = [], requests = [], withdrawn = [], deadline } = taken;
  const { cancels = [], timers = [], raised = [], next } = taken;
  const queue = enqueue as Enqueue;
  if (opens.length > 0) queue({ type: 'openAll', params: { opens } });
  if (messages.length > 0) queue({ type: 'postAll', params: { messages } });
  for (const order of told) queue({ type: 'tellOwned', params: order });
  for (const request of requests) queue({ type: 'request', params: request });
  for (const id of withdrawn) queue({ type: 'cancel', params: { id } });
  if (deadline) queue({ type: 'setDeadline', params: deadline });
  for (const id of cancels) queue.cancel(id);
  for (const { event, ...timer } of timers) queue.raise(event, timer);
  for (const event of raised) queue.raise(event);
  if (next) queue.assign(next);
}
/** For the setup of a machine. */
export const take = <C extends MachineContext, E extends EventObject, Later = never>() =>
  enqueueActions(({ enqueue }, taken: Taken<object, EventObject>) =>
    perform(enqueue, taken),
  ) as never as ActionFunction<C, E, E, Taken<C, Later>, never, never, never, never, never>;
/** Action of a chart: what the rule says. */
export const takes = <C, E, Later = never>(rule: (context: C, event: E) => Taken<C, Later>) =>
  ({
    type: 'take',
    params: ({ context, event }: { readonly context: C; readonly event: E }) => rule(context, event),
  }) as const;
