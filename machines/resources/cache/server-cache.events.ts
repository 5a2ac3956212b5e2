/** What a server cache is told, what it tells, and what it remembers. */
import { kindOf, type Address, type AddressFor } from '../../kernel/address.ts';
import type { TimingOf } from '../../kernel/timing.ts';
import type { Refused, ResourceCollection } from '../collections/index.ts';
import type { Slots } from './server-cache.slots.ts';

export interface CacheStart {
  readonly server: string;
  readonly collection: ResourceCollection;
  /** The address that opened the session: questions go there. */
  readonly session: Address;
  readonly timing: TimingOf<'cache'>;
}
export type CacheOrder =
  /** These are listed from now on; what is known of others is forgotten. */
  | { readonly type: 'cache.list'; readonly uris: readonly string[] }
  /** What it knows of these is old. */
  | { readonly type: 'cache.invalidate'; readonly uris: readonly string[] }
  /**
   * Somebody wants all of it; these are read for him whatever is known of them already. `isFresh`: that was asked for, so
   * those that were too slow are waited for as well. Answered by `cache.refreshed` with this number or a later one.
   */
  | {
      readonly type: 'cache.refresh';
      readonly n: number;
      readonly anew: readonly string[];
      readonly isFresh: boolean;
      /** Nothing but this one is wanted: it is read at once, and waits for no other. */
      readonly only?: string;
    }
  /** Whoever wants all of it with this number waits no longer: what is there is told at once. */
  | { readonly type: 'cache.tell'; readonly n: number }
  /** `isNow`: nobody is there any more to answer, so what is asked is given up at once. */
  | { readonly type: 'close'; readonly isNow?: true };
export const cacheKind = kindOf<CacheStart, CacheOrder>('cache');
/** What is on it now. */
export interface CacheRefreshed {
  readonly type: 'cache.refreshed';
  readonly server: string;
  readonly items: readonly object[];
  /** Why it is not known how all of it is; null: it is. */
  readonly reason: string | null;
  /** What could not be read, and what was read and is none: each spoils itself only. */
  readonly refused: readonly Refused[];
  /** How often it had been told of a change when it was asked: what it was told of later is not in it. */
  readonly changes: number;
  /** None of it has changed since it was read, as far as its server says. */
  readonly isFresh: boolean;
  /** Whoever wanted it with this number or an earlier one has his answer. */
  readonly upTo: number;
  /** Orders for one entry (`only`) that have their answer with it. */
  readonly alone?: readonly Granted[];
  /** There is what was told to be missing. */
  readonly isNews: boolean;
}
/** `isRead`: it is there, or its server refused it; else it has not come. */
export interface Granted {
  readonly n: number;
  readonly isRead: boolean;
}
/** One read on its way. */
export interface Asked {
  readonly uri: string;
  /** The tick after which it was asked. */
  readonly at: number;
  /** It holds no place any more: it is waited for, and others are asked beside it. */
  readonly isAside: boolean;
}
/** One order for one entry. */
export interface Wish {
  readonly n: number;
  readonly uri: string;
}
export type Input = CacheStart & { readonly self: Address; readonly owner: AddressFor<CacheRefreshed> };
export interface Context extends Input {
  readonly uris: readonly string[];
  readonly slots: Slots;
  /** To be read, in order, but for the first ones, which were asked for: as many as `begun` says. */
  readonly stale: readonly string[];
  readonly begun: number;
  /** Being read, the oldest first. */
  readonly asked: readonly Asked[];
  /** Ticks so far: the age of a read is counted in them. */
  readonly ticks: number;
  /** Its server was asked whether it lives while reads hang. */
  readonly isPinging: boolean;
  /** Orders for one entry that wait. */
  readonly wishes: readonly Wish[];
  /** These did not come in time: nobody waits for them, and they are asked for by and by. */
  readonly slow: readonly string[];
  /** Of these, being read. */
  readonly probed: readonly string[];
  /** How many were slow when that began, and how often in a row none of them came. */
  readonly slowBefore: number;
  readonly tries: number;
  /** How often somebody has wanted all of it. */
  readonly round: number;
  /** Asked for a second time in this round. */
  readonly twice: readonly string[];
  /** These changed again and again while they were read: read the next time. */
  readonly later: readonly string[];
  /** Who wants it since this round began: by the end of it, and by the end of the next, in which these are read anew. */
  readonly refresh: number;
  readonly nextRefresh: number;
  readonly again: readonly string[];
  /** Whoever wanted it with this number or an earlier one was told. */
  readonly told: number;
  /** How many were told to be missing because they did not come in time. */
  readonly toldMissing: number;
  readonly changes: number;
}
