/**
 * Follower (`follow.machine.ts`) of one list of one MCP server: tools, resources, resource templates or prompts. Without a
 * session it is on standby and keeps the known entries. Entries that can no longer be had are withdrawn: after too many
 * failures in a row, or after the first when the server is useful without them; a later success brings them back.
 *
 * The reader hears of entries before the owner hears that the list has arrived, so that a server reported as ready already
 * has all its tools.
 */
import { followMachine } from '../follow/follow.machine.ts';
import type { FollowRules, Refusal } from '../follow/follow.rules.ts';
import { post, type Post } from '../kernel/effects.ts';
import { backoffOfList } from '../kernel/timing.ts';
import { failureOfStep, isHopeless, isTooLarge, listRestless } from '../process/server-failure.ts';
import { isForgotten, isUnknown } from '../protocol/failure.ts';
import {
  changesIn,
  isRestless,
  listMethods,
  mostRush,
  pauseMs,
  toldByServer,
  type CatalogContext,
  type CatalogInput,
  type CatalogOrder,
} from './catalog.rules.ts';
import { keyOfEntry, type Entry } from './entries.ts';
import { isNoChange } from './changes.ts';

type C = CatalogContext;
const keysOf = ({ list }: C, entries: readonly Entry[]): readonly string[] =>
  entries.map((entry) => keyOfEntry(list, entry));
const hasAny = (numbers: Readonly<Record<string, number>>): boolean => Object.keys(numbers).length > 0;
/** With unusable ones (tools that are not valid in MCP), which are shown to people but never offered. */
const entriesIn = ({ list }: C, result: unknown): readonly Entry[] => {
  const { [list]: entries = [], unusable = [] } = result as Readonly<Record<string, readonly Entry[]>>;
  return unusable.length === 0 ? entries : [...entries, ...unusable];
};
/** A new revision, only another order, or nothing new. */
function withEntries(c: C, entries: readonly Entry[], why: string): Partial<C> {
  const changes = changesIn(c, entries);
  const isSame = isNoChange(changes);
  if (isSame && !c.isGone) return isSameOrder(c, entries) ? {} : { entries };
  const revision = isSame ? c.revision : c.revision + 1;
  return { entries, revision, isGone: false, why };
}
const isSameOrder = (c: C, entries: readonly Entry[]): boolean =>
  keysOf(c, entries).join('\n') === keysOf(c, c.entries).join('\n');
/** The entries stay known, with the first reason for the loss. */
const withoutServer: Partial<C> = { isGone: true, isRefreshing: false, why: 'its server is back', rush: 0 };
/** Such a list does not exist, which is no failure. */
const forgotten = (c: C): Partial<C> => ({
  ...withEntries(c, [], 'its server does not know this list'),
  came: 'over',
  failure: null,
  failures: 0,
  isRefreshing: false,
  isWithdrawn: false,
  rush: 0,
});
const whyWithdrawn = ({ failures, refreshFailures, failure }: C): string =>
  (failures >= refreshFailures ? `${failures} refreshes in a row failed: ` : 'it cannot be had: ') +
  (failure?.message ?? '');
function afterFailure(c: C, { failure, lost, alone }: Refusal): Partial<C> {
  // `session.lost` follows then; a question that was lost alone does not count.
  const isLost = isForgotten(failure) || (lost === true && alone !== true);
  const next = { isFirst: false, isRefreshing: false, isLost, asking: {} };
  if (isUnknown(failure)) return { ...next, ...forgotten(c) };
  const isMissed = c.isOptional && c.entries.length === 0 && !isLost;
  const isWorn = c.failures >= c.refreshFailures || isTooLarge(failure);
  if (!(c.isFirst ? isMissed : isWorn)) return next;
  return { ...next, ...withEntries(c, [], whyWithdrawn(c)), isWithdrawn: true, rush: 0 };
}
function whyAsked({ owed, isFirst, isWithdrawn, why }: C, { type }: { readonly type: string }): string {
  if (type === 'deadline.passed') return 'a look at the server';
  if (hasAny(owed)) return 'a new read was requested';
  return isWithdrawn && !isFirst ? 'its server answers again' : why;
}
const optional = { optional: true } as const;
function tellChange(before: C, c: C): readonly Post[] {
  if (before.entries === c.entries) return [];
  const changes = changesIn(before, c.entries);
  if (isNoChange(changes)) return [];
  const { server, list, entries, revision, why, isWithdrawn } = c;
  const about = { server, list, entries, revision, why, isWithdrawn };
  return [post(c.reader, { type: 'catalog.changed', ...about, ...changes }, optional)];
}
function isToBeListed(before: C, c: C, isChanged: boolean): boolean {
  // A caller can then be told why a tool is missing.
  if (c.list === 'tools') return c.isWithdrawn ? c.failure !== before.failure : before.isWithdrawn;
  if (c.list !== 'resources') return false;
  const isBack = before.came === 'failed' && c.came === 'whole';
  return (
    (before.isFirst && !c.isFirst) ||
    (hasAny(before.asking) && !hasAny(c.asking)) ||
    (!isChanged && (isBack || before.entries !== c.entries))
  );
}
function tellListed(before: C, c: C): Post {
  const { server, list, failure } = c;
  const entries = failure ? before.entries : c.entries;
  const upTo = hasAny(before.asking) && { upTo: before.asking };
  return post(c.reader, { type: 'catalog.listed', server, list, entries, failure, ...upTo }, optional);
}
function tellRestless(before: C, c: C): readonly Post[] {
  if (isRestless(before) === isRestless(c)) return [];
  const { server, list, timing } = c;
  const failure = isRestless(c) ? listRestless(server, listMethods[list], timing.pollMs) : null;
  return [post(c.reader, { type: 'catalog.restless', server, list, failure }, optional)];
}
function tell(before: C, c: C): readonly Post[] {
  const { owner, list, failure, isRefreshing: is } = c;
  const refreshing = post(owner, { type: 'catalog.refreshing', list, isOver: !is }, optional);
  const changed = tellChange(before, c);
  const listed = isToBeListed(before, c, changed.length > 0) ? [tellListed(before, c)] : [];
  const lost = failure !== null && c.isLost;
  return [
    ...(before.isRefreshing === is ? [] : [refreshing]),
    // Withdrawals are reported first, while the names of the tools are still known.
    ...(c.isWithdrawn ? [...listed, ...changed] : [...changed, ...listed]),
    ...(before.isFirst && !c.isFirst ? [post(owner, { type: 'catalog.settled', list, failure, lost })] : []),
    ...tellRestless(before, c),
  ];
}

export type {
  CatalogListed,
  CatalogNews,
  CatalogOrder,
  CatalogRestless,
  CatalogRefreshing,
  CatalogSettled,
  CatalogStart,
} from './catalog.rules.ts';

export const catalogRules: FollowRules<CatalogInput, CatalogContext, CatalogOrder> = {
  id: 'catalog',
  changed: 'list.changed',
  startsOpen: false,
  pace: {
    limitMs: ({ timing }) => timing.listMs,
    quietMs: pauseMs,
    longestQuietMs: (c) => Math.max(c.timing.longestQuietMs, pauseMs(c)),
    pollMs: ({ isDeclared, timing: t }) => (isDeclared ? t.pollDeclaredMs : t.pollMs),
    retryMs: ({ timing: t, failures, failure }) =>
      Math.max(backoffOfList(t, failures), isTooLarge(failure) ? t.pollDeclaredMs : 0),
  },
  begin: (input) => ({
    ...input,
    entries: input.cached ?? [],
    revision: 0,
    isDeclared: false,
    isOptional: false,
    isWithdrawn: false,
    why: 'its server is connected',
    isGone: false,
    isFirst: false,
    isRefreshing: false,
    isLost: false,
    rush: 0,
    asking: {},
    owed: {},
  }),
  asked: (c, event) => ({
    isRefreshing: !c.isFirst,
    why: whyAsked(c, event),
    asking: { ...c.asking, ...c.owed },
    owed: {},
  }),
  ask: ({ session, list }) => ({ id: 'list', target: session, method: listMethods[list] }),
  read: (c, result) => ({
    step: 'whole',
    next: {
      ...withEntries(c, entriesIn(c, result), c.why),
      isFirst: false,
      isRefreshing: false,
      isWithdrawn: false,
      asking: {},
    },
  }),
  // Without a session: neither success nor failure. A refusal by the server is an answer.
  isPassing: ({ sent, lost, alone, failure }) =>
    alone !== true && (lost === true || (sent === false && !isHopeless(failure))),
  failed: afterFailure,
  timeout: ({ server, list, timing: { listMs } }) =>
    failureOfStep(server, listMethods[list], `no answer to ${listMethods[list]} within ${listMs} ms`),
  noted: (c, { why = toldByServer }: { readonly type: string; readonly why?: string }) => {
    // Told during a read, it came soon after the one before.
    const fewest = c.isFirst || c.isRefreshing ? 2 : 1;
    return { why, rush: Math.min(Math.max(c.rush + 1, fewest), mostRush) };
  },
  calmed: () => ({ rush: 0 }),
  mustAsk: ({ owed }) => hasAny(owed),
  orders: {
    'catalog.open': {
      to: 'asking',
      take: (_, { isDeclared, isOptional = false }) => {
        const fresh = { isFirst: true, failures: 0, failure: null };
        return { isDeclared, isOptional, ...fresh };
      },
    },
    'catalog.rest': { to: 'standby', take: () => withoutServer },
    'catalog.forget': { to: 'standby', take: forgotten },
    'list.wanted': { take: ({ owed }, { by, n }) => ({ owed: { ...owed, [by]: n } }) },
  },
  tell,
};
export const catalogMachine = followMachine(catalogRules);
