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
const isWithdrawn = ({ standing }: C): boolean => standing === 'withdrawn';
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
  if (isSame && c.standing !== 'away') return isSameOrder(c, entries) ? {} : { entries };
  const revision = isSame ? c.revision : c.revision + 1;
  return { entries, revision, why };
}
const isSameOrder = (c: C, entries: readonly Entry[]): boolean =>
  keysOf(c, entries).join('\n') === keysOf(c, c.entries).join('\n');
/** A first list is awaited until its session has an end. */
const withoutQuestion = ({ awaits }: C): Partial<C> => ({ awaits: awaits === 'first' ? awaits : 'none' });
/** The entries stay known, with the first reason for the loss. */
const withoutServer = (c: C): Partial<C> => ({
  ...withoutQuestion(c),
  standing: isWithdrawn(c) ? 'withdrawn' : 'away',
  why: 'its server is back',
  rush: 0,
});
/** Such a list does not exist, which is no failure. */
const forgotten = (c: C): Partial<C> => ({
  ...withEntries(c, [], 'its server does not know this list'),
  came: 'over',
  failure: null,
  failures: 0,
  standing: 'held',
  rush: 0,
});
const whyWithdrawn = ({ failures, refreshFailures, failure }: C): string =>
  (failures >= refreshFailures ? `${failures} refreshes in a row failed: ` : 'it cannot be had: ') +
  (failure?.message ?? '');
function afterFailure(c: C, { failure, lost, alone }: Refusal): Partial<C> {
  // `session.lost` follows then; a question that was lost alone does not count.
  const isLost = isForgotten(failure) || (lost === true && alone !== true);
  const next = { awaits: isLost ? 'lost' : 'none', asking: {} } as const;
  if (isUnknown(failure)) return { ...next, ...forgotten(c) };
  const isMissed = c.isOptional && c.entries.length === 0 && !isLost;
  const isWorn = c.failures >= c.refreshFailures || isTooLarge(failure);
  if (!(c.awaits === 'first' ? isMissed : isWorn)) return next;
  return { ...next, ...withEntries(c, [], whyWithdrawn(c)), standing: 'withdrawn', rush: 0 };
}
function whyAsked(c: C, { type }: { readonly type: string }): string {
  if (type === 'deadline.passed') return 'a look at the server';
  if (hasAny(c.owed)) return 'a new read was requested';
  return isWithdrawn(c) && c.awaits !== 'first' ? 'its server answers again' : c.why;
}
/** The first list of the session has arrived or failed. */
const hasSettled = (before: C, c: C): boolean => before.awaits === 'first' && c.awaits !== 'first';
const optional = { optional: true } as const;
function tellChange(before: C, c: C): readonly Post[] {
  if (before.entries === c.entries) return [];
  const changes = changesIn(before, c.entries);
  if (isNoChange(changes)) return [];
  const { server, list, entries, revision, why } = c;
  const about = { server, list, entries, revision, why, isWithdrawn: isWithdrawn(c) };
  return [post(c.reader, { type: 'catalog.changed', ...about, ...changes }, optional)];
}
function isToBeListed(before: C, c: C, isChanged: boolean): boolean {
  // A caller can then be told why a tool is missing.
  if (c.list === 'tools') return isWithdrawn(c) ? c.failure !== before.failure : isWithdrawn(before);
  if (c.list !== 'resources') return false;
  const isBack = before.came === 'failed' && c.came === 'whole';
  return (
    hasSettled(before, c) ||
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
  const { owner, list, failure } = c;
  const is = c.awaits === 'later';
  const refreshing = post(owner, { type: 'catalog.refreshing', list, isOver: !is }, optional);
  const changed = tellChange(before, c);
  const listed = isToBeListed(before, c, changed.length > 0) ? [tellListed(before, c)] : [];
  const lost = c.awaits === 'lost';
  return [
    ...((before.awaits === 'later') === is ? [] : [refreshing]),
    // Withdrawals are reported first, while the names of the tools are still known.
    ...(isWithdrawn(c) ? [...listed, ...changed] : [...changed, ...listed]),
    ...(hasSettled(before, c) ? [post(owner, { type: 'catalog.settled', list, failure, lost })] : []),
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
    why: 'its server is connected',
    standing: 'held',
    awaits: 'none',
    rush: 0,
    asking: {},
    owed: {},
  }),
  asked: (c, event) => ({
    awaits: c.awaits === 'first' ? 'first' : 'later',
    why: whyAsked(c, event),
    asking: { ...c.asking, ...c.owed },
    owed: {},
  }),
  ask: ({ session, list }) => ({ id: 'list', target: session, method: listMethods[list] }),
  read: (c, result) => ({
    step: 'whole',
    next: {
      ...withEntries(c, entriesIn(c, result), c.why),
      awaits: 'none',
      standing: 'held',
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
    const fewest = c.awaits === 'first' || c.awaits === 'later' ? 2 : 1;
    return { why, rush: Math.min(Math.max(c.rush + 1, fewest), mostRush) };
  },
  calmed: () => ({ rush: 0 }),
  mustAsk: ({ owed }) => hasAny(owed),
  orders: {
    'catalog.open': {
      to: 'asking',
      take: (_, { isDeclared, isOptional = false }) => {
        const fresh = { awaits: 'first', failures: 0, failure: null } as const;
        return { isDeclared, isOptional, ...fresh };
      },
    },
    'catalog.rest': { to: 'standby', take: withoutServer },
    'catalog.forget': { to: 'standby', take: (c) => ({ ...forgotten(c), ...withoutQuestion(c) }) },
    'list.wanted': { take: ({ owed }, { by, n }) => ({ owed: { ...owed, [by]: n } }) },
  },
  tell,
};
export const catalogMachine = followMachine(catalogRules);
