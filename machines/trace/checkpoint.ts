import type { Address } from '../kernel/address.ts';
import type { Message } from '../kernel/effects.ts';

/** What a root holds besides its machine, in the order in which it took it. */
export type HeldFrame =
  /** `event`, `id`: what XState sends when it fires; absent for a deadline. `left`: ms until it fires. */
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
  /** The living root that owns it, and who is told of its end. */
  readonly owner: Address | null;
  readonly tells: Address;
  readonly will?: Message;
  /** The last numbers that it gave: of roots, leaves, timers. */
  readonly opened: number;
  readonly leaves: number;
  readonly timers: number;
  /** ms since it was opened; for people. */
  readonly age?: number;
  /** ms since it came into its state; for people. */
  readonly inState?: number;
  readonly holds: readonly HeldFrame[];
  /** As XState persists it: state value, context, children by name. */
  readonly snapshot: unknown;
}
/**
 * Everything that a directory knows, between two inputs. A replay may begin here instead of at the start of the
 * host, so a ring that has lost the beginning can still be replayed.
 */
export interface Checkpoint {
  readonly k: 'key';
  /** The last number of a root without an owner. */
  readonly opened: number;
  readonly outlets: readonly { readonly a: Address; readonly letters: number }[];
  /** Owners before those they own. */
  readonly roots: readonly RootFrame[];
}
