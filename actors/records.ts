import type { EventObject, InspectionEvent } from 'xstate';
import type { Address } from '../machines/address.ts';
import type { Letter } from '../machines/effects.ts';

/**
 * What the directory reports, in order, over all its actor systems. `in` is all that the world does to us and
 * all that a replay needs; everything else follows from it and can be compared.
 */
export type DirectoryRecord =
  | {
      readonly k: 'in';
      readonly via: 'start' | 'host' | 'leaf' | 'ask' | 'timer' | 'deadline';
      /** The root, or the leaf, that it is for. */
      readonly a: Address;
      /** The number of the timer. */
      readonly n?: number;
      /** The id of the question. */
      readonly id?: string;
      readonly ev?: EventObject;
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
      readonly will?: Letter;
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
    }
  /** A command to a leaf, a question, or the end of either. */
  | { readonly k: 'out'; readonly port: string; readonly a: Address; readonly ev: EventObject }
  /** Something that must not happen, at an address. */
  | { readonly k: 'defect'; readonly a: Address; readonly what: string };

/** Somebody who watches. It may throw: the tap leaves it out from then on. */
export interface Observer {
  record?(record: DirectoryRecord): void;
  /** Steps of the machines; costs about a quarter more CPU, so only while somebody looks. */
  inspect?(event: InspectionEvent): void;
}
