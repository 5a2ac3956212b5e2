import type { Address } from '../kernel/address.ts';
import type { Message } from '../kernel/effects.ts';

/**
 * Resource that a root actor holds besides its machine, such as a timer or a question, listed in the order of
 * acquisition.
 */
export type HeldFrame =
  /**
   * `id` and `ev` are the delayed event that XState sends when the timer fires; a deadline has none. `left`
   * is the time until it fires, in ms.
   */
  | {
      readonly held: 'timer';
      readonly n: number;
      readonly id: string;
      readonly ev: { readonly type: string };
      readonly left?: number;
    }
  | { readonly held: 'deadline'; readonly n: number; readonly left?: number }
  | { readonly held: 'leaf'; readonly port: string; readonly a: Address }
  | { readonly held: 'ask'; readonly id: string };
export interface RootFrame {
  readonly a: Address;
  readonly kind: string;
  readonly key: string;
  /** Address of the living root that owns this one. `tells` is the root told of its end. */
  readonly owner: Address | null;
  readonly tells: Address;
  readonly will?: Message;
  /** Last numbers this root has given to its child roots, leaves and timers. */
  readonly opened: number;
  readonly leaves: number;
  readonly timers: number;
  /** Time since the root was opened, in ms; only for people to read. */
  readonly age?: number;
  /** Time since the root entered its current state, in ms; only for people to read. */
  readonly inState?: number;
  readonly holds: readonly HeldFrame[];
  /** Snapshot as XState persists it: state value, context and children by name. */
  readonly snapshot: unknown;
}
/**
 * Complete state of a directory between two inputs. A replay can start from it instead of from the start of
 * the host, so a ring buffer that lost its beginning can still be replayed.
 */
export interface Checkpoint {
  readonly k: 'key';
  /** Last number given to a root without an owner. */
  readonly opened: number;
  readonly outlets: readonly { readonly a: Address; readonly letters: number }[];
  /** Frames of the live roots; owners come before the roots they own. */
  readonly roots: readonly RootFrame[];
}
