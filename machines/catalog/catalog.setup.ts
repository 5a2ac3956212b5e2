/** What the chart of catalog.machine.ts is made of: its words, its memory, its actions and guards. */
import { assign, setup } from 'xstate';
import { isNoChange, keyOfEntry, remember, type Entry } from './index.ts';
import type { CatalogListed, CatalogNews, CatalogOrder, Context, Input } from './catalog.events.ts';
import { effects, post, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import { failureOfStep, isForgotten, isHopeless, isTooLarge, isUnknown } from '../process/server-failure.ts';
import { backoffOfList } from '../kernel/timing.ts';
import {
  doubtsAfter,
  echoesAfter,
  echoMs,
  liesAfter,
  questions,
  restlessMessages,
  settledMs,
  told,
} from './catalog.pace.ts';
import type { ProcessTag } from '../process/process.machine.ts';
import type { Failure } from '../protocol/failure.ts';

/** Why a list is asked for anew. */
export const wantedAnew = 'somebody asked for it anew';

const listQuestion = 'list';

/** With what is no tool behind them: people hear of it, and nobody else. */
const entriesOf = (c: Context, result: unknown): readonly Entry[] => {
  const { [c.list]: entries = [], unusable = [] } = result as Readonly<Record<string, readonly Entry[]>>;
  return unusable.length === 0 ? entries : [...entries, ...unusable];
};

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
const messagesOf = (c: Context, entries: readonly Entry[], why: string, isWithdrawn = false) => ({
  messages: isNoChange(told(c, entries))
    ? []
    : [post(c.reader, newsOf(c, entries, why, isWithdrawn), { optional: true })],
});
/** Nothing is known of it, and its server goes on without it. */
const isMissing = ({ isOptional, entries }: Context): boolean => isOptional && entries.length === 0;
type Answer = { readonly event: { readonly result: unknown } };
const isReordered = (c: Context, entries: readonly Entry[]): boolean =>
  entries.some((entry, at) => {
    const known = c.entries[at];
    return known === undefined || keyOfEntry(c.list, known) !== keyOfEntry(c.list, entry);
  });
const isWanted = ({ asking }: Context): boolean => Object.keys(asking).length > 0;
const listedMessage = (c: Context, entries: readonly Entry[], failure: Failure | null) => {
  const event: CatalogListed = {
    type: 'catalog.listed',
    server: c.server,
    list: c.list,
    entries,
    failure,
    ...(isWanted(c) && { upTo: c.asking }),
  };
  return [post(c.reader, event, { optional: true })];
};
const listedMessages = (c: Context, entries: readonly Entry[], failure: Failure | null) =>
  c.list === 'resources' ? listedMessage(c, entries, failure) : [];
const isWorn = ({ failures, refreshFailures, failure }: Context): boolean =>
  failures >= refreshFailures || isTooLarge(failure);
/** Tools were withdrawn, for this failure, or are back: whoever calls one has to be told why it is not there. */
const withdrawalMessages = (c: Context, entries: readonly Entry[], failure: Failure | null) =>
  c.list === 'tools' && (c.isWithdrawn || failure !== null) ? listedMessage(c, entries, failure) : [];
const fresh = ({ context: c }: { context: Context }) => c.why;

/** Told before it is remembered: what was is needed to say what changed. */
export const takeAnswer = [
  {
    type: 'postAll',
    params: ({ context: c, event }: { context: Context } & Answer) => {
      const entries = entriesOf(c, event.result);
      const isOther = c.failures > 0 || isReordered(c, entries);
      const { messages } = messagesOf(c, entries, fresh({ context: c }));
      const isSaid = isWanted(c) || (isOther && messages.length === 0);
      const listed = isSaid ? listedMessages(c, entries, null) : [];
      const restless = restlessMessages(c, echoesAfter(c, entries));
      return { messages: [...messages, ...listed, ...withdrawalMessages(c, entries, null), ...restless] };
    },
  },
  { type: 'rememberEntries', params: ({ event }: Answer) => event },
] as const;
export const dropEntries = (why: (c: Context) => string, isWithdrawn = false) =>
  [
    {
      type: 'postAll',
      params: ({ context: c }: { context: Context }) => {
        // While their names are known still.
        const first = withdrawalMessages(c, [], isWithdrawn ? c.failure : null);
        const { messages } = messagesOf(c, [], why(c), isWithdrawn);
        return { messages: [...first, ...messages, ...restlessMessages(c, 0)] };
      },
    },
    {
      type: 'dropEntries',
      params: ({ context }: { context: Context }) => ({ why: why(context), isWithdrawn }),
    },
  ] as const;
export const askList = [
  {
    type: 'request',
    params: ({ context: c }: { context: Context }) => ({
      id: listQuestion,
      target: c.session,
      method: questions[c.list],
    }),
  },
  'noteAsking',
] as const;
/** Who wants it as it is now hears that it could not be had. */
export const tellWanted = [
  {
    type: 'postAll',
    params: ({ context: c }: { context: Context }) => ({
      messages: isWanted(c) ? listedMessages(c, c.entries, c.failure) : [],
    }),
  },
  'forgetAsking',
] as const;
export const noteWanted = {
  type: 'noteWanted',
  params: ({ event }: { event: { readonly by: string; readonly n: number } }) => event,
} as const;
export const withdrawList = { type: 'cancel', params: { id: listQuestion } } as const;
/** `session.lost` follows; where one question was lost alone, it does not. */
export const isLost = (event: unknown): boolean => {
  const { lost, alone, failure } = event as Partial<Extract<RequestFact, { type: 'ask.refused' }>>;
  return failure !== undefined && (isForgotten(failure) || (lost === true && alone !== true));
};
/** Its owner waits for the first list of a session. */
export const settle = (failure: (c: Context) => Failure | null, lost: (event: unknown) => boolean) =>
  ({
    type: 'postAll',
    params: ({ context: c, event }: { context: Context; event: unknown }) => {
      const settled = post(c.owner, {
        type: 'catalog.settled',
        list: c.list,
        failure: failure(c),
        lost: lost(event),
      });
      return { messages: [...listedMessages(c, c.entries, failure(c)), settled] };
    },
  }) as const;

const mostFailures = 1_000;
const failedAgain = ({ failures }: Context): number => Math.min(failures + 1, mostFailures);

export const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as RequestFact | CatalogOrder | DirectoryEvent | { readonly type: 'deadline.passed' },
    tags: {} as ProcessTag,
  },
  actions: {
    ...effects,
    rememberSession: assign((_, { isDeclared, isOptional = false }: Session) => ({
      isDeclared,
      isOptional,
      failures: 0,
      failure: null,
    })),
    noteDoubted: assign({ isDoubted: true }),
    noteEcho: assign({ isEcho: true }),
    noteWanted: assign(({ context: c }, { by, n }: { by: string; n: number }) => ({
      owed: { ...c.owed, [by]: n },
    })),
    noteAsking: assign(({ context: c }) => ({
      asking: { ...c.asking, ...c.owed },
      owed: {},
      isDoubted: false,
    })),
    forgetAsking: assign({ asking: {} }),
    rememberWhy: assign((_, { why }: { why: string }) => ({ why })),
    /** Gone with their session, and known still: who looks hears why they are not offered. */
    noteGone: assign(({ context: c }, { why }: { why: string }) => ({
      echoes: 0,
      isEcho: false,
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
      echoes: echoesAfter(c, entriesOf(c, result)),
      isEcho: false,
      doubts: doubtsAfter(c, entriesOf(c, result)),
      asking: {},
      isWithdrawn: false,
      ...taken(c, entriesOf(c, result), c.why),
    })),
    dropEntries: assign(({ context: c }, { why, isWithdrawn }: { why: string; isWithdrawn: boolean }) => ({
      ...taken(c, [], why),
      isWithdrawn,
      echoes: 0,
    })),
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
    /** It has no such list, and that is no failure. */
    isUnknownMethod: (_, { failure }: { failure: Failure }) => isUnknown(failure),
    /** Nobody answered because there is no session: neither a failure nor a success. A server that says no answers. */
    isUnasked: (_, { sent, lost, alone, failure }: Extract<RequestFact, { type: 'ask.refused' }>) =>
      alone !== true && (lost === true || (!sent && !isHopeless(failure))),
    /** Its server answered, is of use without it, and goes on. */
    isMissed: ({ context: c }, refusal: Extract<RequestFact, { type: 'ask.refused' }>) =>
      isMissing(c) && !isLost(refusal),
    isMissing: ({ context }) => isMissing(context),
    isDoubted: ({ context }) => context.isDoubted,
    isOwing: ({ context }) => Object.keys(context.owed).length > 0,
    isWorn: ({ context }) => isWorn(context),
  },
  delays: {
    listTimeout: ({ context }) => context.timing.listMs,
    quiet: ({ context: c }) => Math.max(settledMs(c), c.isEcho ? echoMs(c, c.echoes) : 0),
    settled: ({ context }) => settledMs(context),
    closeGrace: ({ context }) => context.timing.closeGraceMs,
    longestQuiet: ({ context }) => context.timing.longestQuietMs,
    longestGathering: ({ context: c }) =>
      Math.max(c.timing.longestQuietMs, c.isEcho ? echoMs(c, c.echoes) : 0),
    retry: ({ context: { timing, failures, failure } }) =>
      Math.max(backoffOfList(timing, failures), isTooLarge(failure) ? timing.pollDeclaredMs : 0),
  },
});

export interface Session {
  readonly isDeclared: boolean;
  readonly isOptional?: boolean;
}
export const sessionOf = ({ event }: { event: Session }) => event;
export const whyOf = ({ event }: { event: { readonly why: string } }) => event;
export const refusalOf = ({ event }: { event: Extract<RequestFact, { type: 'ask.refused' }> }) => event;
export const because = (why: string) => ({ type: 'rememberWhy', params: { why } }) as const;
