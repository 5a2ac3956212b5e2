import type { EventObject } from 'xstate';
import { addressFor } from '../../../machines/kernel/address.ts';
import { timing } from '../../../machines/kernel/timing.ts';

/** An event with all that it carries. */
export type Said = EventObject & Readonly<Record<string, unknown>>;

/**
 * One payload or more for each order among the events that are sent to a machine, so that the compiler asks for a new
 * one. `Facts` are those that travel the same way and tell what has happened: nobody waits for what they lead to.
 */
export type OrdersOf<Order extends EventObject, Facts extends Order['type'] = never> = {
  readonly [Type in Exclude<Order['type'], Facts>]: readonly Omit<Extract<Order, { type: Type }>, 'type'>[];
};

/**
 * Everything that may come to a machine, one payload for each way that it can take: what the walks over charts are
 * made of. Whoever speaks is named, because only who lives can speak.
 */
export interface Sample {
  readonly input: object;
  /** By type: what its owner or its host may ask of it. */
  readonly orders: Readonly<Record<string, readonly object[]>>;
  /** By the id under which a port is invoked: the facts that it states. */
  readonly leaves?: Readonly<Record<string, readonly Said[]>>;
  /** By the kind of root that it opens: what that says, and how it can end as done. */
  readonly owned?: Readonly<Record<string, Owned>>;
  /** To any question that it has asked; the id is filled in. */
  readonly answers?: readonly Said[];
  /** Facts of its owner, or of whoever else knows its address. */
  readonly told?: readonly Said[];
  /** What of the context tells two states apart; small, or the walk does not end. Default: nothing of it. */
  readonly tellApart?: (context: Record<string, unknown>, value: unknown) => unknown;
  /** Facts that nobody can state any more once it was told to close: its port has promised so. */
  readonly notAfterClose?: readonly string[];
  /** States in which nobody ever rests, so that a walk does not see them. */
  readonly passedThrough?: readonly string[];
}
export interface Owned {
  readonly says?: readonly Said[];
  /** Default: one end without an output. */
  readonly outputs?: readonly unknown[];
}

export const placed = { self: 'owner/it#1', owner: 'owner#1', timing };
export const failure = { code: 'ServerLost', message: 'gone' } as const;
export const seat = { office: 'o', role: 'computer', name: 'c' } as const;
export const request = {
  ticket: 't',
  reqId: 'r',
  agent: null,
  tool: 'x',
  params: {},
  timeoutMs: 1,
  isConfirmed: false,
  meta: null,
  hasOutput: false,
  replyTo: addressFor('host'),
};
export const refusals = [
  { type: 'ask.refused', failure, sent: true },
  { type: 'ask.refused', failure, sent: false },
  { type: 'ask.refused', failure, sent: true, lost: true },
];
export const answers = [{ type: 'ask.answered', result: { tools: [] } }, ...refusals];
