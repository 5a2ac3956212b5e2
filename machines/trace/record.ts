import type { EventObject } from 'xstate';
import type { Address } from '../kernel/address.ts';
import type { Message } from '../kernel/effects.ts';

/** An error that was thrown, as a trace keeps it. */
export interface Thrown {
  /** Such as `TypeError`. */
  readonly name: string;
  /** Of the error, as it was thrown. */
  readonly message: string;
}
/**
 * What the directory reports, in order, over all its actor systems. `in` and `draw` are all that the world does
 * to us and all that a replay needs; everything else follows from them and can be compared.
 */
export type DirectoryRecord =
  | {
      readonly k: 'in';
      /** `outlet`: a listener of the host comes or goes. `abandon`: the host ends a tree by force. */
      readonly via: 'start' | 'host' | 'abandon' | 'outlet' | 'leaf' | 'ask' | 'timer' | 'deadline';
      /** The root, the port instance or the subscriber that it is for. */
      readonly a: Address;
      /** The number of the timer. */
      readonly n?: number;
      /** The id of the question. */
      readonly id?: string;
      readonly ev?: EventObject;
      readonly orElse?: Message;
      /** Config that the host gave, where its machines get the plan made from it. */
      readonly given?: object;
    }
  /** What the world answered at once, without an event: a number by chance, a judgement, an error that was thrown. */
  | {
      readonly k: 'draw';
      readonly a: Address;
      /** `random`, `judge`, or the port that threw, or `outlet`. */
      readonly port: string;
      /** A number in [0, 1) of `random`, a judgement or null of `judge`. */
      readonly v?: unknown;
      readonly threw?: Thrown;
      /** Which message to that subscriber. */
      readonly n?: number;
    }
  | {
      readonly k: 'post';
      readonly from: Address;
      readonly a: Address;
      readonly ev: EventObject;
      /** Nobody lives there: `expected` when the sender said that this is fine. */
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
      /** It was due, and is cleared before it has fired: the host was busy. */
      readonly late?: true;
    }
  /** A command to a port instance, a question, or the end of either. */
  | { readonly k: 'out'; readonly port: string; readonly a: Address; readonly ev: EventObject }
  /** Something that must not happen, at an address. */
  | { readonly k: 'defect'; readonly a: Address; readonly what: string };
