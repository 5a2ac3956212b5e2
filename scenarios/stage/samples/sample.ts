import type { EventObject } from 'xstate';
import { addressFor } from '../../../machines/kernel/effects.ts';
import { timing } from '../../../machines/kernel/timing.ts';

export type Said = EventObject & Readonly<Record<string, unknown>>;

/** At least one per order; `Facts` only report what has happened, with no answer to wait for. */
export type OrdersOf<Order extends EventObject, Facts extends Order['type'] = never> = {
  readonly [Type in Exclude<Order['type'], Facts>]: readonly Omit<Extract<Order, { type: Type }>, 'type'>[];
};

/** One payload for each way it can take; listed under its sender, because only a living actor can send. */
export interface Sample {
  readonly input: object;
  readonly orders: Readonly<Record<string, readonly object[]>>;
  /** By the id under which the port is invoked. */
  readonly leaves?: Readonly<Record<string, readonly Said[]>>;
  /** By kind, with their outputs. */
  readonly owned?: Readonly<Record<string, Owned>>;
  /** The question's id is filled in. */
  readonly answers?: readonly Said[];
  /** Sent by the owner, or by another actor that knows the address. */
  readonly told?: readonly Said[];
  /** None of the context by default; it has to be small, or the walk does not end. */
  readonly tellApart?: (context: Record<string, unknown>, value: unknown) => unknown;
  /** Facts that cannot come after a close order, as the port has promised. */
  readonly notAfterClose?: readonly string[];
  /** The machine never rests in them, so that a walk does not see them. */
  readonly passedThrough?: readonly string[];
}
export interface Owned {
  readonly says?: readonly Said[];
  /** A single end without output by default. */
  readonly outputs?: readonly unknown[];
}

export const placed = { self: 'owner/it#1', owner: 'owner#1', timing };
export const failure = { code: 'ServerLost', message: 'gone' } as const;
export const seat = { office: 'o', role: 'computer', name: 'c' } as const;
export const host = addressFor('host');
/** Wait for a server. */
export const waits = { for: 'initialize', since: '2026-11-23T05:00:00.000Z', came: '' };
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
  replyTo: host,
};
export const refusals = [
  { type: 'ask.refused', failure, sent: true },
  { type: 'ask.refused', failure, sent: false },
  { type: 'ask.refused', failure, sent: true, lost: true },
];
export const answers = [{ type: 'ask.answered', result: { tools: [] } }, ...refusals];
