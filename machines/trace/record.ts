import type { Address, AnyEvent } from '../kernel/address.ts';
import type { Message } from '../kernel/effects.ts';

/** Error that was thrown, in the form a trace stores. */
export interface Thrown {
  /** Name of the error class, such as `TypeError`. */
  readonly name: string;
  /** Message of the error. */
  readonly message: string;
}
/**
 * Record that the directory reports, in order, over all its actor systems. `in` and `draw` are all the input
 * from the world and all that a replay needs; everything else follows from them and can be compared.
 */
export type DirectoryRecord =
  | {
      readonly k: 'in';
      /**
       * Source of the input. `outlet`: a listener of the host is added or removed. `abandon`: the host ends a
       * tree of actors by force.
       */
      readonly via: 'start' | 'host' | 'abandon' | 'outlet' | 'leaf' | 'ask' | 'timer' | 'deadline';
      /** Address of the root, port instance or subscriber that receives the input. */
      readonly a: Address;
      /** Number of the timer that fired. */
      readonly n?: number;
      /** Id of the question that was answered. */
      readonly id?: string;
      readonly ev?: AnyEvent;
      readonly orElse?: Message;
      /** Config as the host gave it, when the machines receive a plan made from it. */
      readonly given?: object;
    }
  /**
   * Value that the world returned at once, without an event: a random number, a verdict of a judge, or an
   * error that was thrown.
   */
  | {
      readonly k: 'draw';
      readonly a: Address;
      /** Source of the value: `random`, `judge`, `outlet`, or the port that threw. */
      readonly port: string;
      /** The value: a number in [0, 1) from `random`, a verdict or null from `judge`. */
      readonly v?: unknown;
      readonly threw?: Thrown;
      /** Number of the message that was being delivered to a subscriber when it threw. */
      readonly n?: number;
    }
  | {
      readonly k: 'post';
      readonly from: Address;
      readonly a: Address;
      readonly ev: AnyEvent;
      /**
       * Set when the receiver no longer exists: `expected` when the sender marked the message as optional,
       * else `lost`.
       */
      readonly dead?: 'lost' | 'expected';
    }
  | {
      readonly k: 'open';
      readonly a: Address;
      readonly kind: string;
      readonly from: Address;
      readonly input: object;
      readonly will?: Message;
    }
  | {
      readonly k: 'end';
      readonly a: Address;
      readonly by?: Address;
      readonly why: 'done' | 'failed' | 'closed';
      readonly output?: unknown;
      readonly error?: string;
    }
  | {
      readonly k: 'timer';
      readonly op: 'set' | 'clear';
      readonly via?: 'timer' | 'deadline';
      readonly a: Address;
      readonly n: number;
      readonly ms?: number;
      /** Purpose of a timer that is set: the name of its delay, such as `connectTimeout`. */
      readonly for?: string;
      /** True for a timer cleared after it was due but before it fired, because the host was busy. */
      readonly late?: true;
    }
  /** Command to a port instance, a question, or the end of either. */
  | { readonly k: 'out'; readonly port: string; readonly a: Address; readonly ev: AnyEvent }
  /** Violation of an invariant, reported at the address where it occurred. */
  | { readonly k: 'defect'; readonly a: Address; readonly what: string };
