import type { EventObject } from 'xstate';
import { addressFor } from '../../../machines/kernel/effects.ts';
import { timing } from '../../../machines/kernel/timing.ts';

/** Event with its payload. */
export type Said = EventObject & Readonly<Record<string, unknown>>;

/**
 * Payloads for each order that a machine accepts, at least one per type, so that the compiler demands one for a new
 * order. `Facts` names the types that only report what has happened, with no answer to wait for.
 */
export type OrdersOf<Order extends EventObject, Facts extends Order['type'] = never> = {
  readonly [Type in Exclude<Order['type'], Facts>]: readonly Omit<Extract<Order, { type: Type }>, 'type'>[];
};

/**
 * Events that may come to a machine, one payload for each way that it can take; the walks over charts are made of
 * them. Each is listed under its sender, because only a living actor can send.
 */
export interface Sample {
  readonly input: object;
  /** Orders from owner or host, by type. */
  readonly orders: Readonly<Record<string, readonly object[]>>;
  /** Facts of ports that the machine invokes, by the id under which a port is invoked. */
  readonly leaves?: Readonly<Record<string, readonly Said[]>>;
  /** Events and outputs of owned root actors, by kind. */
  readonly owned?: Readonly<Record<string, Owned>>;
  /** Answers to any question of the machine; the question's id is filled in. */
  readonly answers?: readonly Said[];
  /** Facts sent by the owner, or by another actor that knows the address. */
  readonly told?: readonly Said[];
  /**
   * Selects the part of the context that distinguishes two states, none by default; it has to be small, or the walk
   * does not end.
   */
  readonly tellApart?: (context: Record<string, unknown>, value: unknown) => unknown;
  /** Facts that cannot come after a close order, as the port has promised. */
  readonly notAfterClose?: readonly string[];
  /** States in which the machine never rests, so that a walk does not see them. */
  readonly passedThrough?: readonly string[];
}
export interface Owned {
  readonly says?: readonly Said[];
  /** Outputs with which the machine can end; a single end without output by default. */
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
