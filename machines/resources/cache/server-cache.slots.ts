/** What a server cache knows of each URI, in chunks: each read copies what it changes, and that must not be all of thousands. */
import type { Failure } from '../../protocol/failure.ts';
import type { Refused } from '../collections/index.ts';

/** What is known of one URI. */
export interface Slot {
  readonly items: readonly object[];
  readonly refused: readonly Refused[];
  readonly failure: Failure | null;
  /** The round in which it was read last; 0: never. */
  readonly round: number;
}
export const unread: Slot = { items: [], refused: [], failure: null, round: 0 };

/** In the order of the URIs. */
export type Slots = readonly (readonly Slot[])[];
const perChunk = 64;

export const chunked = (slots: readonly Slot[]): Slots =>
  Array.from({ length: Math.ceil(slots.length / perChunk) }, (_, n) =>
    slots.slice(n * perChunk, (n + 1) * perChunk),
  );
export const slotAt = (slots: Slots, at: number): Slot | undefined =>
  slots[Math.floor(at / perChunk)]?.[at % perChunk];
export function withSlot(slots: Slots, at: number, slot: Slot): Slots {
  const n = Math.floor(at / perChunk);
  return slots.with(n, (slots[n] ?? []).with(at % perChunk, slot));
}
