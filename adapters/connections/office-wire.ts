import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import type { CarriedName, NoticeName } from '../../machines/protocol/events.ts';
import type { Gate } from '../../machines/office/rooms/limits.ts';
import type { Cluster } from './nodes/cluster.ts';
import type { LocalOffice } from './nodes/questions.ts';
import type { CallLimits } from '../../machines/office/rooms/pending.ts';
import type { Tracing } from '../../machines/kernel/tracing.ts';

export type Ack = (...args: unknown[]) => void;

/** What it needs of a transport, Socket.IO or the scripted network. None of it may call back at once. */
export interface OfficeWire {
  send(socket: string, event: CarriedName, body: object, onAck: Ack): void;
  /** The same to each of them, without an answer. */
  deliver(sockets: readonly string[], event: NoticeName, body: object): void;
  /** Tells why, and closes its connection when all that was said has gone out. */
  part(socket: string, failure: Failure): void;
  /** Asks its transport for a sign of life. */
  probe(socket: string, onAlive: () => void): void;
  /** Ends a connection that does not answer. */
  cut(socket: string): void;
  /** To one socket, without an answer. */
  notify(socket: string, event: NoticeName, body: object): void;
}

/** What was answered to an event of a socket, as the arguments of its ack; after how many ms, where there is a clock. */
export type OfficeAnswered = (
  event: string,
  payload: unknown,
  ack: readonly unknown[],
  ms: number | undefined,
) => void;

/** Who hears what it answers, and how much it takes. */
export interface OfficeWatch {
  readonly answered?: OfficeAnswered | undefined;
  /** In ms, for how long that took. */
  readonly clock?: (() => number) | undefined;
  readonly gate?: Gate;
  readonly limits?: CallLimits;
  /** Makes a span of each call that is relayed. */
  readonly tracing?: Tracing | undefined;
  /** It is one of several nodes. */
  readonly cluster?: ((local: LocalOffice) => Cluster) | undefined;
}

/** Said to whoever comes, joins or asks while an office ends. */
export const draining: Failure = {
  code: wireCodes.unavailable,
  message: 'The office is closing: connect again',
  details: { reason: 'closing' },
};
export const internal: Failure = { code: wireCodes.internal, message: 'The office failed on this event' };
export const silent: Ack = () => {};

/** The arguments of an event: its payload, and the ack if one is wanted. */
export function splitArgs(args: readonly unknown[]): { payload: unknown; ack: Ack | undefined } {
  const last = args.at(-1);
  const ack = typeof last === 'function' ? (last as Ack) : undefined;
  return { payload: ack && args.length === 1 ? undefined : args[0], ack };
}
/** The same ack, of which somebody hears, too. */
export function heardBy(
  { answered, clock }: Pick<OfficeWatch, 'answered' | 'clock'>,
  event: string,
  payload: unknown,
  ack: Ack | undefined,
): Ack | undefined {
  if (!answered || !ack) return ack;
  const began = clock?.();
  return (...args) => {
    ack(...args);
    try {
      answered(event, payload, args, clock && clock() - (began ?? 0));
    } catch {
      // Whoever listens is no part of an answer.
    }
  };
}
