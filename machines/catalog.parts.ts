/** What the chart of catalog.machine.ts is made of: its words, its memory, its actions and guards. */
import { setup } from 'xstate';
import { nameOf, type Address } from './address.ts';
import { assign } from './assign.ts';
import {
  changesOf,
  isNoChange,
  keyOfEntry,
  remember,
  type CatalogList,
  type Changes,
  type Entry,
  type History,
} from './catalog/index.ts';
import { effects, type DirectoryEvent } from './effects.ts';
import type { AskFact } from './ports.ts';
import { failureOfStep, isForgotten, isHopeless } from './server-failure.ts';
import type { TimingOf } from './timing.ts';
import type { Failure } from './wire/failure.ts';

export interface CatalogStart {
  readonly server: string;
  readonly list: CatalogList;
  /** The address that opened the session: questions go there. */
  readonly session: Address;
  /** Who is told of changes, beside the owner. */
  readonly reader: Address;
  /** From the last good run; offered only where its server rests until it is needed. */
  readonly kept: readonly Entry[] | null;
  /** So many refreshes in a row that fail take its entries back. */
  readonly refreshFailures: number;
  readonly timing: TimingOf<'catalog'>;
}
export type CatalogOrder =
  /** There is a session, and the server has such a list. `isDeclared`: it will say when the list changes. */
  | { readonly type: 'catalog.open'; readonly isDeclared: boolean }
  /** There is no session any more; `why` is kept as the reason why its entries are gone. */
  | { readonly type: 'catalog.rest'; readonly why: string }
  /** The server has no such list (any more). */
  | { readonly type: 'catalog.forget'; readonly why: string }
  | { readonly type: 'list.changed' }
  | { readonly type: 'close' };
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
 * the same in another order. Who shows them has to know whether there is nothing, or nothing yet, and in which order.
 */
export interface CatalogListed {
  readonly type: 'catalog.listed';
  readonly server: string;
  readonly list: CatalogList;
  readonly entries: readonly Entry[];
  /** Why not: the entries are the last that were known. */
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
type Input = CatalogStart & { readonly self: Address; readonly owner: Address };
export interface Context extends Input {
  readonly entries: readonly Entry[];
  /** Counts changes of the entries, over all sessions. */
  readonly revision: number;
  readonly history: History;
  /** Refreshes in a row that failed. */
  readonly failures: number;
  readonly failure: Failure | null;
  readonly isDeclared: boolean;
  /** Why the entries are about to change: said with the change. */
  readonly why: string;
  /** Its entries are not offered, because there is no session. */
  readonly isGone: boolean;
  /** Changes in a row that were told and were none. */
  readonly lies: number;
}
/** Why a list is asked for anew: its server said so. */
export const saidSo = 'the server said that its list changed';

const questions: Readonly<Record<CatalogList, string>> = {
  tools: 'tools/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
  prompts: 'prompts/list',
};
const listQuestion = 'list';
/** A server that does not know the method has no such list: that is no failure. */
const methodNotFound = -32_601;

const entriesOf = (c: Context, result: unknown): readonly Entry[] =>
  (result as Readonly<Record<string, readonly Entry[]>>)[c.list] ?? [];
const isUnknownMethod = ({ details }: Failure): boolean => details?.['code'] === methodNotFound;
const told = (c: Context, entries: readonly Entry[]): Changes =>
  changesOf(c.entries, entries, (entry) => keyOfEntry(c.list, entry));

/** The entries as they are from now on, and what changed with them: nothing when they are the same. */
function taken(c: Context, entries: readonly Entry[], why: string): Partial<Context> {
  const changes = told(c, entries);
  const isSame = isNoChange(changes);
  if (isSame && !c.isGone) return isReordered(c, entries) ? { entries } : {};
  const revision = isSame ? c.revision : c.revision + 1;
  const back = c.isGone ? { ...changes, added: entries.map((entry) => keyOfEntry(c.list, entry)) } : changes;
  return { entries, revision, history: remember(c.history, back, revision, why), isGone: false };
}
const newsOf = (c: Context, entries: readonly Entry[], why: string, isWithdrawn: boolean): CatalogNews => ({
  type: 'catalog.changed',
  server: c.server,
  list: c.list,
  entries,
  revision: c.revision + 1,
  ...told(c, entries),
  why,
  isWithdrawn,
});
const lettersOf = (c: Context, entries: readonly Entry[], why: string, isWithdrawn = false) => ({
  letters: isNoChange(told(c, entries))
    ? []
    : [{ to: c.reader, event: newsOf(c, entries, why, isWithdrawn), ifThere: true as const }],
});
type Answer = { readonly event: { readonly result: unknown } };
const isReordered = (c: Context, entries: readonly Entry[]): boolean =>
  entries.some((entry, at) => {
    const known = c.entries[at];
    return known === undefined || keyOfEntry(c.list, known) !== keyOfEntry(c.list, entry);
  });
const listedLetters = (c: Context, entries: readonly Entry[], failure: Failure | null) => {
  const event: CatalogListed = {
    type: 'catalog.listed',
    ...{ server: c.server, list: c.list, entries, failure },
  };
  return c.list === 'resources' ? [{ to: c.reader, event, ifThere: true as const }] : [];
};
const fresh = ({ context: c }: { context: Context }) => c.why;

/** Told before it is remembered: what was is needed to say what changed. */
export const takeAnswer = [
  {
    type: 'postAll',
    params: ({ context: c, event }: { context: Context } & Answer) => {
      const entries = entriesOf(c, event.result);
      const isOther = c.failures > 0 || isReordered(c, entries);
      return isOther && isNoChange(told(c, entries))
        ? { letters: listedLetters(c, entries, null) }
        : lettersOf(c, entries, fresh({ context: c }));
    },
  },
  { type: 'rememberEntries', params: ({ event }: Answer) => event },
] as const;
export const dropEntries = (why: (c: Context) => string, isWithdrawn = false) =>
  [
    {
      type: 'postAll',
      params: ({ context: c }: { context: Context }) => lettersOf(c, [], why(c), isWithdrawn),
    },
    { type: 'dropEntries', params: ({ context }: { context: Context }) => ({ why: why(context) }) },
  ] as const;
export const askList = [
  {
    type: 'ask',
    params: ({ context: c }: { context: Context }) => ({
      id: listQuestion,
      session: c.session,
      method: questions[c.list],
    }),
  },
] as const;
export const withdrawList = { type: 'withdraw', params: { id: listQuestion } } as const;
/** `session.lost` follows; where one question was lost alone, it does not. */
export const isLost = (event: unknown): boolean => {
  const { lost, alone, failure } = event as Partial<Extract<AskFact, { type: 'ask.refused' }>>;
  return failure !== undefined && (isForgotten(failure) || (lost === true && alone !== true));
};
/** Its owner waits for the first list of a session. */
export const settle = (failure: (c: Context) => Failure | null, lost: (event: unknown) => boolean) =>
  ({
    type: 'postAll',
    params: ({ context: c, event }: { context: Context; event: unknown }) => {
      const settled: CatalogSettled = {
        type: 'catalog.settled',
        ...{ list: c.list, failure: failure(c), lost: lost(event) },
      };
      return { letters: [...listedLetters(c, c.entries, failure(c)), { to: c.owner, event: settled }] };
    },
  }) as const;

/** A look at the server brings nothing most of the time, and says nothing of its word. */
function liesAfter(c: Context, entries: readonly Entry[]): number {
  if (!isNoChange(told(c, entries))) return 0;
  return c.why === saidSo ? Math.min(c.lies + 1, mostLies) : c.lies;
}
/** Beyond that it makes no difference any more. */
const mostLies = 16;
const mostFailures = 1_000;
const failedAgain = ({ failures }: Context): number => Math.min(failures + 1, mostFailures);

export const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as AskFact | CatalogOrder | DirectoryEvent | { readonly type: 'deadline.passed' },
    tags: {} as 'connecting' | 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    rememberSession: assign((_, { isDeclared }: { isDeclared: boolean }) => ({
      isDeclared,
      failures: 0,
      failure: null,
    })),
    rememberWhy: assign((_, { why }: { why: string }) => ({ why })),
    /** Gone with their session, and known still: who looks hears why they are not offered. */
    noteGone: assign(({ context: c }, { why }: { why: string }) => ({
      why: 'its server is back',
      isGone: true,
      // Who looks hears why they went, not what happened afterwards.
      history: c.isGone
        ? c.history
        : remember(
            c.history,
            { added: [], changed: [], removed: c.entries.map((e) => keyOfEntry(c.list, e)) },
            c.revision,
            why,
          ),
    })),
    rememberEntries: assign(({ context: c }, { result }: { result: unknown }) => ({
      failures: 0,
      failure: null,
      lies: liesAfter(c, entriesOf(c, result)),
      ...taken(c, entriesOf(c, result), c.why),
    })),
    dropEntries: assign(({ context: c }, { why }: { why: string }) => taken(c, [], why)),
    rememberFailure: assign(({ context: c }, { failure }: { failure: Failure }) => ({
      failure,
      failures: failedAgain(c),
    })),
    rememberSlow: assign(({ context: c }) => ({
      failures: failedAgain(c),
      failure: failureOfStep(
        c.server,
        questions[c.list],
        `no answer to ${questions[c.list]} within ${c.timing.listMs} ms`,
      ),
    })),
  },
  guards: {
    isUnknownMethod: (_, { failure }: { failure: Failure }) => isUnknownMethod(failure),
    /** Nobody answered because there is no session: neither a failure nor a success. A server that says no answers. */
    isUnasked: (_, { sent, lost, alone, failure }: Extract<AskFact, { type: 'ask.refused' }>) =>
      alone !== true && (lost === true || (!sent && !isHopeless(failure))),
    isWorn: ({ context: c }) => c.failures >= c.refreshFailures,
  },
  delays: {
    listTimeout: ({ context }) => context.timing.listMs,
    /** Twice as long after each change that was none: some servers tell of one whenever they are asked. */
    quiet: ({ context: { timing: t, lies } }) => Math.min(t.quietMs * 2 ** lies, t.longestQuietMs),
    longestQuiet: ({ context }) => context.timing.longestQuietMs,
    /** Twice as long after each failure, at most ten times. */
    retry: ({ context: { timing: t, failures } }) => t.relistMs * Math.min(2 ** (failures - 1), 10),
  },
});

/** Asked for anew after a while, in case nobody says that it changed: ± 10 %, so that servers do not ask in step. */
export const poll = {
  type: 'setDeadline',
  params: ({ context: { isDeclared, timing: t } }: { context: Context }) => ({
    ms: Math.round((isDeclared ? t.pollDeclaredMs : t.pollMs) * 0.9),
    spread: 2 / 9,
  }),
} as const;
export const sessionOf = ({ event }: { event: { readonly isDeclared: boolean } }) => event;
export const whyOf = ({ event }: { event: { readonly why: string } }) => event;
export const refusalOf = ({ event }: { event: Extract<AskFact, { type: 'ask.refused' }> }) => event;
export const because = (why: string) => ({ type: 'rememberWhy', params: { why } }) as const;
export const addressOfCatalog = (client: Address, list: CatalogList): Address =>
  `${nameOf(client)}/catalog:${list}`;
