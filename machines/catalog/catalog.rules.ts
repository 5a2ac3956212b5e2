/** Messages, memory and timing rules of a catalog, the machine of one list of one server. */
import type { Follow } from '../follow/follow.rules.ts';
import { kindOf, type Address, type AddressFor } from '../kernel/effects.ts';
import type { TimingOf } from '../kernel/timing.ts';
import type { Failure } from '../protocol/failure.ts';
import { changesOf, type Changes } from './changes.ts';
import { keyOfEntry, type CatalogList, type Entry } from './entries.ts';

export interface CatalogStart {
  readonly server: string;
  readonly list: CatalogList;
  readonly session: Address;
  readonly reader: AddressFor<CatalogNews | CatalogListed | CatalogRestless>;
  /** From the last successful run; offered only while the server is on standby. */
  readonly cached: readonly Entry[] | null;
  /** Number of failed refreshes in a row after which the entries are withdrawn. */
  readonly refreshFailures: number;
  readonly timing: TimingOf<'catalog'>;
}
export type CatalogOrder =
  /** `isDeclared`: the server announces changes. `isOptional`: the server is useful without this list. */
  | { readonly type: 'catalog.open'; readonly isDeclared: boolean; readonly isOptional?: boolean }
  /** `why` becomes the reason why the entries are missing. */
  | { readonly type: 'catalog.rest' }
  | { readonly type: 'catalog.forget'; readonly why: string }
  /** The list has changed, or may have: `why` says how that is known, by default because the server said so. */
  | { readonly type: 'list.changed'; readonly why?: string }
  /** The answer carries the number `n`, even when nothing changed. */
  | { readonly type: 'list.wanted'; readonly by: string; readonly n: number }
  | { readonly type: 'close' };
export const catalogKind = kindOf<CatalogStart, CatalogOrder>('catalog');
export interface CatalogNews {
  readonly type: 'catalog.changed';
  readonly server: string;
  readonly list: CatalogList;
  readonly entries: readonly Entry[];
  readonly revision: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly why: string;
  /** True when withdrawn because the list could not be read any more. */
  readonly isWithdrawn: boolean;
}
/** Resources: the first list arrived or failed, or the order changed. Tools: withdrawn, or (null) back. */
export interface CatalogListed {
  readonly type: 'catalog.listed';
  readonly server: string;
  readonly list: CatalogList;
  readonly entries: readonly Entry[];
  /** `entries` are then the last known ones; null after a success. */
  readonly failure: Failure | null;
  /** Numbers of the `list.wanted` requests that this read satisfies, by reader. */
  readonly upTo?: Readonly<Record<string, number>>;
}
/**
 * Report to the reader that a server announces a change after each read of a list, which is therefore read more rarely;
 * with null it is steady again.
 */
export interface CatalogRestless {
  readonly type: 'catalog.restless';
  readonly server: string;
  readonly list: CatalogList;
  readonly failure: Failure | null;
}
/** Once in each session: the first list has arrived or could not be read. */
export interface CatalogSettled {
  readonly type: 'catalog.settled';
  readonly list: CatalogList;
  readonly failure: Failure | null;
  /** True when the session was lost before an answer came; `session.lost` follows. */
  readonly lost: boolean;
}
export interface CatalogRefreshing {
  readonly type: 'catalog.refreshing';
  readonly list: CatalogList;
  readonly isOver: boolean;
}
export type CatalogInput = CatalogStart & {
  readonly self: Address;
  readonly owner: AddressFor<CatalogSettled | CatalogRefreshing>;
};
export interface CatalogContext extends CatalogInput, Follow {
  readonly entries: readonly Entry[];
  readonly revision: number;
  readonly isDeclared: boolean;
  readonly isOptional: boolean;
  readonly why: string;
  /** `away`: known, but their server has no session. */
  readonly standing: 'held' | 'away' | 'withdrawn';
  /** The list that is awaited: the first of a session, or a later one. `lost`: the session went before the answer. */
  readonly awaits: 'first' | 'later' | 'none' | 'lost';
  /** Number of changes in a row that were announced soon after a read. */
  readonly rush: number;
  /** The running request answers those in `asking`; those in `owed` came after it was sent. */
  readonly asking: Readonly<Record<string, number>>;
  readonly owed: Readonly<Record<string, number>>;
}

export const toldByServer = 'the server said that its list changed';
export const spokeOfAnother = 'the server spoke of a resource that it had not listed';

export const listMethods: Readonly<Record<CatalogList, string>> = {
  tools: 'tools/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
};

export const changesIn = (c: CatalogContext, entries: readonly Entry[]): Changes =>
  changesOf(c.entries, entries, (entry) => keyOfEntry(c.list, entry));

/** Largest count of announcements in a row; a higher one would not lengthen the pause. */
export const mostRush = 17;
/** Pause in ms before a list is read that changes, or is said to, after each read: it doubles each time up to `pollMs`. */
export const pauseMs = ({ timing: t, rush }: Pick<CatalogContext, 'timing' | 'rush'>): number =>
  Math.min(
    Math.min(t.quietMs, t.longestQuietMs) * 2 ** Math.max(0, rush - 2),
    Math.max(t.pollMs, t.longestQuietMs),
  );
/** Such a list is read more rarely than any other. */
export const isRestless = (c: CatalogContext): boolean => pauseMs(c) > c.timing.longestQuietMs;
