import { fromCallback, type CallbackActorLogic, type EventObject } from 'xstate';
import type { Address, AnyEvent } from './effects.ts';
import type { Failure } from '../protocol/failure.ts';
import type { Progress } from '../protocol/messages/messages.ts';

/** In order; the directory unpacks the batch, so adapters never see it. */
export interface Batch<Command extends EventObject> {
  readonly type: 'batch';
  readonly commands: readonly Command[];
}

const names = new WeakMap<object, string>();
/** A host plugs an adapter in under its name, a scenario a fake; both pass `scenarios/contracts`. */
export function callbackPort<Input, Command extends EventObject>(
  name: string,
): CallbackActorLogic<Command | Batch<Command>, Input> {
  const port = fromCallback<Command | Batch<Command>, Input>(() => {
    throw new Error(`port not provided: ${name}`);
  });
  names.set(port, name);
  return port;
}
/** Undefined for actors that are no ports. */
export const portNameOf = (logic: unknown): string | undefined => names.get(logic as object);

/** Facts about a `PortRequest` (effects.ts): any number of interim facts, then exactly one answer. */
export type RequestFact =
  /** Reports that the question was not sent yet; `ahead` others in the queue come first. */
  | { readonly type: 'ask.waiting'; readonly id: string; readonly ahead: number }
  /** Reports that the question was taken from the queue and is sent now. */
  | { readonly type: 'ask.began'; readonly id: string }
  | ({ readonly type: 'ask.progress'; readonly id: string } & Progress)
  /** Reports that the other side waits for an answer of this host to its request `method`; until `ask.freed`. */
  | { readonly type: 'ask.held'; readonly id: string; readonly method: string }
  /** Reports that this host owes no answer any more, after `ms`. */
  | { readonly type: 'ask.freed'; readonly id: string; readonly ms: number }
  | {
      readonly type: 'ask.answered';
      readonly id: string;
      readonly result: unknown;
      /** Size in bytes of the message with the result of a tool; given from `manyBytes` on (protocol/protocol.ts). */
      readonly bytes?: number;
    }
  /**
   * Reports a question without a result. `sent: false`: it surely never reached the other side. `lost: true`: it was
   * sent and will not be answered; with `alone` the connection survives, so no further fact follows. Otherwise the
   * other side answered with an error.
   */
  | {
      readonly type: 'ask.refused';
      readonly id: string;
      readonly failure: Failure;
      readonly sent: boolean;
      readonly lost?: boolean;
      readonly alone?: boolean;
    };

const passing: ReadonlySet<string> = new Set([
  'ask.waiting',
  'ask.began',
  'ask.progress',
  'ask.held',
  'ask.freed',
] satisfies RequestFact['type'][]);
/** No more facts about the question follow it. */
export const isAnswer = (type: string | undefined): boolean => type !== undefined && !passing.has(type);

/** Reports a fact to the owner of a port: immediately, in order, and never after the port was closed. */
export type Emit<Fact> = (fact: Fact) => void;
/**
 * Running instance of a port; it lives as long as the state that invoked it. `close` is final, synchronous and never
 * throws.
 */
export interface PortInstance<Command = AnyEvent> {
  /** Gives the port a command; ignored after `close`. */
  tell(command: Command): void;
  /** Closes the port, whatever it is doing. */
  close(): void;
}
/** Opens an instance. A method, so that each port has an input, commands and facts of its own. */
export type OpenPort<Input = object, Command = AnyEvent, Fact = AnyEvent> = {
  open(at: Address, input: Input, emit: Emit<Fact>): PortInstance<Command>;
}['open'];
/** What machines of a host can reach: ports that they invoke by name, and others that they ask. */
export interface Ports {
  open(port: string, ...opening: Parameters<OpenPort>): PortInstance;
  request: RequestPort;
}
/** Asks a question; the returned function withdraws it (a question in flight is cancelled at the other side). */
export type RequestPort = (
  from: Address,
  request: { id: string; target: Address; method: string; params?: unknown; limiter?: string },
  emit: Emit<RequestFact>,
) => () => void;
