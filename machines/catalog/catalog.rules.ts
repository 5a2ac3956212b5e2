/** What a catalog hears, tells and remembers, and how soon it reads its list again. */
import { kindOf, type Address, type AddressFor } from '../kernel/address.ts';
import { post } from '../kernel/effects.ts';
import { backoffOfList, type TimingOf } from '../kernel/timing.ts';
import { listRestless } from '../process/server-failure.ts';
import type { Failure } from '../protocol/failure.ts';
import { changesOf, type History, type Changes } from './changes.ts';
import { isNoChange, keyOfEntry, type CatalogList, type Entry } from './entries.ts';

export interface CatalogStart {
  readonly server: string;
  readonly list: CatalogList;
  /** The address that opened the session: questions go there. */
  readonly session: Address;
  /** Who is told of changes, beside the owner. */
  readonly reader: AddressFor<CatalogNews | CatalogListed | CatalogRestless>;
  /** From the last good run; offered only where its server rests until it is needed. */
  readonly cached: readonly Entry[] | null;
  /** So many refreshes in a row that fail take its entries back. */
  readonly refreshFailures: number;
  readonly timing: TimingOf<'catalog'>;
}
export type CatalogOrder =
  /**
   * There is a session, and the server has such a list. `isDeclared`: it will say when the list changes. `isOptional`: its
   * server is of use without it.
   */
  | { readonly type: 'catalog.open'; readonly isDeclared: boolean; readonly isOptional?: boolean }
  /** There is no session any more; `why` is kept as the reason why its entries are gone. */
  | { readonly type: 'catalog.rest'; readonly why: string }
  /** The server has no such list (any more). */
  | { readonly type: 'catalog.forget'; readonly why: string }
  | { readonly type: 'list.changed' }
  /** It may have changed: its server speaks of something that it has not listed. It is asked for by and by. */
  | { readonly type: 'list.doubted' }
  /** Somebody wants it as it is now: the reader is told when it has come, with this number, whatever has. */
  | { readonly type: 'list.wanted'; readonly by: string; readonly n: number }
  | { readonly type: 'close' };
export const catalogKind = kindOf<CatalogStart, CatalogOrder>('catalog');
/** What the reader hears, only when the entries are others than before. Snapshots are never changed. */
export interface CatalogNews {
  readonly type: 'catalog.changed';
  readonly server: string;
  readonly list: CatalogList;
  readonly entries: readonly Entry[];
  readonly revision: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** Why: a sentence for a person. */
  readonly why: string;
  /** Taken back because they could not be had any more. */
  readonly isWithdrawn: boolean;
}
/**
 * What the reader hears of resources besides: the first list of a session is there, or could not be had, or the server lists
 * the same in another order. Who shows them has to know whether there is nothing, or nothing yet, and in which order. Of tools: they
 * were withdrawn, and are so still, with the last `failure`; or, with null, they are back.
 */
export interface CatalogListed {
  readonly type: 'catalog.listed';
  readonly server: string;
  readonly list: CatalogList;
  readonly entries: readonly Entry[];
  /** Why not: the entries are the last that were known. */
  readonly failure: Failure | null;
  /** It was asked for after they wanted it, up to these numbers (`list.wanted`). */
  readonly upTo?: Readonly<Record<string, number>>;
}
/** What the reader hears of a list that is another one each time it is read: it is read ever less often; null: it is steady again. */
export interface CatalogRestless {
  readonly type: 'catalog.restless';
  readonly server: string;
  readonly list: CatalogList;
  readonly failure: Failure | null;
}
/** What the owner hears once a session: the first list is there, or could not be had. */
export interface CatalogSettled {
  readonly type: 'catalog.settled';
  readonly list: CatalogList;
  readonly failure: Failure | null;
  /** It was not asked for, or nobody will answer: was the session lost? Then `session.lost` says so, too. */
  readonly lost: boolean;
}
/** What the owner hears as a list that is known is asked for anew, and when that is over, however it went. */
export interface CatalogRefreshing {
  readonly type: 'catalog.refreshing';
  readonly list: CatalogList;
  readonly isOver: boolean;
}
export type CatalogInput = CatalogStart & {
  readonly self: Address;
  readonly owner: AddressFor<CatalogSettled | CatalogRefreshing>;
};
export interface CatalogContext extends CatalogInput {
  readonly entries: readonly Entry[];
  /** Counts changes of the entries, over all sessions. */
  readonly revision: number;
  readonly history: History;
  /** Refreshes in a row that failed. */
  readonly failures: number;
  readonly failure: Failure | null;
  readonly isDeclared: boolean;
  readonly isOptional: boolean;
  /** Its entries were taken back, because they cannot be had. */
  readonly isWithdrawn: boolean;
  /** Why the entries are about to change: said with the change. */
  readonly why: string;
  /** Its entries are not offered, because there is no session. */
  readonly isGone: boolean;
  /** Changes in a row that were told and were none. */
  readonly lies: number;
  /** The server says that it changed just after we read it; and how often in a row it was another one then. */
  readonly isEcho: boolean;
  readonly echoes: number;
  /** It is to be asked for because it may have changed; and how often in a row it had not. */
  readonly isDoubted: boolean;
  readonly doubts: number;
  /** Who wants it as it is now: was there before it was asked for last, or came since. */
  readonly asking: Readonly<Record<string, number>>;
  readonly owed: Readonly<Record<string, number>>;
}

// ── how soon a list is read again ─────────────────────────────────────────────────────────────────────
/** Why a list is asked for anew: its server said so. */
export const toldByServer = 'the server said that its list changed';
export const spokeOfAnother = 'the server spoke of a resource that it had not listed';

export const listMethods: Readonly<Record<CatalogList, string>> = {
  tools: 'tools/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
};

/** What is another than before. */
export const changesIn = (c: CatalogContext, entries: readonly Entry[]): Changes =>
  changesOf(c.entries, entries, (entry) => keyOfEntry(c.list, entry));

/** A look at the server brings nothing most of the time, and says nothing of its word. */
export function liesAfter(c: CatalogContext, entries: readonly Entry[]): number {
  if (!isNoChange(changesIn(c, entries))) return 0;
  return c.why === toldByServer ? Math.min(c.lies + 1, mostLies) : c.lies;
}
/** Only a look for that reason says something of its word. */
export function doubtsAfter(c: CatalogContext, entries: readonly Entry[]): number {
  if (!isNoChange(changesIn(c, entries))) return 0;
  return c.why === spokeOfAnother ? Math.min(c.doubts + 1, mostLies) : c.doubts;
}
/** Beyond that it makes no difference any more. */
const mostLies = 16;

/** A look or a session that begins says nothing of what our reading does. */
export const echoesAfter = (c: CatalogContext, entries: readonly Entry[]): number =>
  c.isEcho && !isNoChange(changesIn(c, entries)) ? Math.min(c.echoes + 1, mostLies) : 0;
/** Before a list is read that was another one so often right after it was read. */
export const echoMs = ({ timing: t }: CatalogContext, echoes: number): number =>
  Math.min(Math.min(t.quietMs, t.longestQuietMs) * 2 ** echoes, Math.max(t.pollMs, t.longestQuietMs));
/** It is read less often than any other. */
const isRestless = (c: CatalogContext, echoes: number): boolean =>
  echoMs(c, echoes) > c.timing.longestQuietMs;
/** Told once, and once when it is over. */
export const restlessMessages = (c: CatalogContext, echoes: number) => {
  const is = isRestless(c, echoes);
  if (is === isRestless(c, c.echoes)) return [];
  const { server, list } = c;
  const failure = is ? listRestless(server, listMethods[list], c.timing.pollMs) : null;
  const event: CatalogRestless = { type: 'catalog.restless', server, list, failure };
  return [post(c.reader, event, { optional: true })];
};

/** Twice as long after each change that was none: some servers tell of one whenever they are asked. */
export const settledMs = ({ timing: t, lies }: CatalogContext): number =>
  Math.min(t.quietMs * 2 ** lies, t.longestQuietMs);
/** A server that speaks of others for ever is asked for its list twice as late each time, so that it makes no storm. */
const doubtMs = ({ timing: t, doubts }: CatalogContext): number =>
  Math.min(t.quietMs * 2 ** doubts, backoffOfList(t, Infinity));
/** Asked for anew after a while, in case nobody says that it changed: ± 10 %, so that servers do not ask in step. */
export const startPoll = {
  type: 'setDeadline',
  params: ({ context: c }: { context: CatalogContext }) => {
    const { isDeclared, isDoubted, timing: t } = c;
    if (isDoubted) return { ms: doubtMs(c), for: 'poll' };
    return { ms: Math.round((isDeclared ? t.pollDeclaredMs : t.pollMs) * 0.9), for: 'poll', spread: 2 / 9 };
  },
} as const;
