/** Catalog: the machine of one list of one MCP server, either tools, resources, resource templates or prompts.
 * standby    — no session: the known entries are kept, and the server is not asked
 * connecting — reads the first list of a session: asking | outdated (the list changed during the read)
 * ready      — steady{fresh | calm} (reads again on a timer) | gathering (collects a burst of changes, and reads after a
 *              quiet moment or the longest wait). A change reported before `calm` may be an effect of the read itself: each
 *              one in a row doubles the pause before the next read
 * refreshing — reads again: asking | outdated (one more refresh follows)
 * failing    — the last refresh failed: the old entries are kept, and the read is repeated
 * withdrawn  — the entries are withdrawn after too many failures in a row, or after the first when the server is useful
 *              without them; a successful retry brings them back
 * closing    — a running question gets a moment to be answered; its answer changes nothing
 * closed     — final: no question was running
 * killed     — final: a running question was cut off, because the moment was over or the owner is gone
 *
 * The reader hears of entries before the owner hears that the list has arrived, so that a server reported as ready already
 * has all its tools. */
import { assign, setup } from 'xstate';
import { effects, post, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import { backoffOfList } from '../kernel/timing.ts';
import type { ProcessTag } from '../process/process.machine.ts';
import { failureOfStep, isForgotten, isHopeless, isTooLarge, isUnknown } from '../process/server-failure.ts';
import type { Failure } from '../protocol/failure.ts';
import {
  listMethods,
  mostRush,
  pauseMs,
  restlessMessages,
  changesIn,
  toldByServer,
  startPoll,
  type CatalogListed,
  type CatalogNews,
  type CatalogOrder,
  type CatalogContext,
  type CatalogInput,
} from './catalog.rules.ts';
import { remember, emptyHistory, isNoChange, keyOfEntry, type Entry } from './entries.ts';

const requested = 'a new read was requested';

const listQuestion = 'list';

/** With unusable ones (tools that are not valid in MCP), which are shown to people but never offered. */
const entriesOf = (c: CatalogContext, result: unknown): readonly Entry[] => {
  const { [c.list]: entries = [], unusable = [] } = result as Readonly<Record<string, readonly Entry[]>>;
  return unusable.length === 0 ? entries : [...entries, ...unusable];
};

/** A new revision with its history, or nothing when no entry differs. */
function withEntries(c: CatalogContext, entries: readonly Entry[], why: string): Partial<CatalogContext> {
  const changes = changesIn(c, entries);
  const isSame = isNoChange(changes);
  if (isSame && !c.isGone) return isReordered(c, entries) ? { entries } : {};
  const revision = isSame ? c.revision : c.revision + 1;
  const back = c.isGone ? { ...changes, added: entries.map((entry) => keyOfEntry(c.list, entry)) } : changes;
  return { entries, revision, history: remember(c.history, back, revision, why), isGone: false };
}
const newsOf = (
  c: CatalogContext,
  entries: readonly Entry[],
  why: string,
  isWithdrawn: boolean,
): CatalogNews => ({
  type: 'catalog.changed',
  server: c.server,
  list: c.list,
  entries,
  revision: c.revision + 1,
  ...changesIn(c, entries),
  why,
  isWithdrawn,
});
const messagesOf = (c: CatalogContext, entries: readonly Entry[], why: string, isWithdrawn = false) => ({
  messages: isNoChange(changesIn(c, entries))
    ? []
    : [post(c.reader, newsOf(c, entries, why, isWithdrawn), { optional: true })],
});
const isMissing = ({ isOptional, entries }: CatalogContext): boolean => isOptional && entries.length === 0;
type Answer = { readonly event: { readonly result: unknown } };
const isReordered = (c: CatalogContext, entries: readonly Entry[]): boolean =>
  entries.some((entry, at) => {
    const known = c.entries[at];
    return known === undefined || keyOfEntry(c.list, known) !== keyOfEntry(c.list, entry);
  });
const isWanted = ({ asking }: CatalogContext): boolean => Object.keys(asking).length > 0;
const listedMessage = (c: CatalogContext, entries: readonly Entry[], failure: Failure | null) => {
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
const listedMessages = (c: CatalogContext, entries: readonly Entry[], failure: Failure | null) =>
  c.list === 'resources' ? listedMessage(c, entries, failure) : [];
const isWorn = ({ failures, refreshFailures, failure }: CatalogContext): boolean =>
  failures >= refreshFailures || isTooLarge(failure);
/** A caller can then be told why a tool is missing. */
const withdrawalMessages = (c: CatalogContext, entries: readonly Entry[], failure: Failure | null) =>
  c.list === 'tools' && (c.isWithdrawn || failure !== null) ? listedMessage(c, entries, failure) : [];
const whyNow = ({ context: c }: { context: CatalogContext }) => c.why;

/** Reports before the new entries are stored, because the old ones are needed to tell what changed. */
const takeAnswer = [
  {
    type: 'postAll',
    params: ({ context: c, event }: { context: CatalogContext } & Answer) => {
      const entries = entriesOf(c, event.result);
      const isOther = c.failures > 0 || isReordered(c, entries);
      const { messages } = messagesOf(c, entries, whyNow({ context: c }));
      const isSaid = isWanted(c) || (isOther && messages.length === 0);
      const listed = isSaid ? listedMessages(c, entries, null) : [];
      return { messages: [...messages, ...listed, ...withdrawalMessages(c, entries, null)] };
    },
  },
  { type: 'rememberEntries', params: ({ event }: Answer) => event },
] as const;
export const dropEntries = (why: (c: CatalogContext) => string, isWithdrawn = false) =>
  [
    {
      type: 'postAll',
      params: ({ context: c }: { context: CatalogContext }) => {
        // Withdrawals are reported first, while the names of the tools are still known.
        const first = withdrawalMessages(c, [], isWithdrawn ? c.failure : null);
        const { messages } = messagesOf(c, [], why(c), isWithdrawn);
        return { messages: [...first, ...messages, ...restlessMessages(c, 0)] };
      },
    },
    {
      type: 'dropEntries',
      params: ({ context }: { context: CatalogContext }) => ({ why: why(context), isWithdrawn }),
    },
  ] as const;
const askList = [
  {
    type: 'request',
    params: ({ context: c }: { context: CatalogContext }) => ({
      id: listQuestion,
      target: c.session,
      method: listMethods[c.list],
    }),
  },
  'noteAsking',
] as const;

const withdrawList = { type: 'cancel', params: { id: listQuestion } } as const;
/** `session.lost` follows then; a question that was lost alone does not count. */
const isLost = (event: unknown): boolean => {
  const { lost, alone, failure } = event as Partial<Extract<RequestFact, { type: 'ask.refused' }>>;
  return failure !== undefined && (isForgotten(failure) || (lost === true && alone !== true));
};
const settle = (failure: (c: CatalogContext) => Failure | null, lost: (event: unknown) => boolean) =>
  ({
    type: 'postAll',
    params: ({ context: c, event }: { context: CatalogContext; event: unknown }) => {
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
const failedAgain = ({ failures }: CatalogContext): number => Math.min(failures + 1, mostFailures);

const catalogSetup = setup({
  types: {
    context: {} as CatalogContext,
    input: {} as CatalogInput,
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
    countRush: assign(({ context: { rush } }) => ({ rush: Math.min(rush + 1, mostRush) })),
    forgetRush: assign({ rush: 0 }),
    noteWanted: assign(({ context: c }, { by, n }: { by: string; n: number }) => ({
      owed: { ...c.owed, [by]: n },
    })),
    noteAsking: assign(({ context: c }) => ({
      asking: { ...c.asking, ...c.owed },
      owed: {},
    })),
    forgetAsking: assign({ asking: {} }),
    rememberWhy: assign((_, { why }: { why: string }) => ({ why })),
    /** The entries stay known, with the reason. */
    noteGone: assign(({ context: c }, { why }: { why: string }) => ({
      rush: 0,
      why: 'its server is back',
      isGone: true,
      // Keeps only the first reason for the loss in the history, and not what happened afterwards.
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
      asking: {},
      isWithdrawn: false,
      ...withEntries(c, entriesOf(c, result), c.why),
    })),
    dropEntries: assign(({ context: c }, { why, isWithdrawn }: { why: string; isWithdrawn: boolean }) => ({
      ...withEntries(c, [], why),
      isWithdrawn,
      rush: 0,
    })),
    rememberFailure: assign(({ context: c }, { failure }: { failure: Failure }) => ({
      failure,
      failures: failedAgain(c),
    })),
    rememberSlow: assign(({ context: c }) => ({
      failures: failedAgain(c),
      failure: failureOfStep(
        c.server,
        listMethods[c.list],
        `no answer to ${listMethods[c.list]} within ${c.timing.listMs} ms`,
      ),
    })),
  },
  guards: {
    /** Such a list does not exist, which is no failure. */
    isUnknownMethod: (_, { failure }: { failure: Failure }) => isUnknown(failure),
    /** Without a session: neither success nor failure. A refusal by the server is an answer. */
    isUnasked: (_, { sent, lost, alone, failure }: Extract<RequestFact, { type: 'ask.refused' }>) =>
      alone !== true && (lost === true || (!sent && !isHopeless(failure))),
    /** Tells whether a server refused to give a list but is useful without it; the catalog then goes on without entries. */
    isMissed: ({ context: c }, refusal: Extract<RequestFact, { type: 'ask.refused' }>) =>
      isMissing(c) && !isLost(refusal),
    isMissing: ({ context }) => isMissing(context),
    isOwing: ({ context }) => Object.keys(context.owed).length > 0,
    isWorn: ({ context }) => isWorn(context),
  },
  delays: {
    listTimeout: ({ context }) => context.timing.listMs,
    quiet: ({ context }) => pauseMs(context),
    fresh: ({ context: c }) => Math.max(c.timing.longestQuietMs, pauseMs(c)),
    closeGrace: ({ context }) => context.timing.closeGraceMs,
    longestGathering: ({ context: c }) => Math.max(c.timing.longestQuietMs, pauseMs(c)),
    retry: ({ context: { timing, failures, failure } }) =>
      Math.max(backoffOfList(timing, failures), isTooLarge(failure) ? timing.pollDeclaredMs : 0),
  },
});

interface Session {
  readonly isDeclared: boolean;
  readonly isOptional?: boolean;
}
const sessionOf = ({ event }: { event: Session }) => event;
const whyOf = ({ event }: { event: { readonly why: string } }) => event;
const refusalOf = ({ event }: { event: Extract<RequestFact, { type: 'ask.refused' }> }) => event;
const because = (why: string) => ({ type: 'rememberWhy', params: { why } }) as const;

const whyWithdrawn = ({ failures, refreshFailures, failure }: CatalogContext): string =>
  (failures >= refreshFailures ? `${failures} refreshes in a row failed: ` : 'it cannot be had: ') +
  (failure?.message ?? '');
const noList = 'its server does not know this list';
const tellSettled = settle(
  () => null,
  () => false,
);
const tellFailed = settle((c) => c.failure, isLost);
const rememberRefusal = { type: 'rememberFailure', params: refusalOf } as const;

type Changed = { readonly event: { readonly why?: string } };
const becauseChanged = {
  type: 'rememberWhy',
  params: ({ event: { why = toldByServer } }: Changed) => ({ why }),
} as const;
const tellRestless = (after: (rush: number) => number) =>
  ({
    type: 'postAll',
    params: ({ context: c }: { context: CatalogContext }) => ({
      messages: restlessMessages(c, after(c.rush)),
    }),
  }) as const;
/** Counts a change that was announced soon after a read. */
const hurry = [tellRestless((rush) => rush + 1), 'countRush'] as const;
const takeWanted = {
  guard: 'isOwing',
  target: '#catalog.refreshing',
  actions: because(requested),
} as const;

const tellRefreshing = (isOver: boolean) =>
  ({
    type: 'post',
    params: ({ context: { owner, list } }: { context: CatalogContext }) =>
      post(owner, { type: 'catalog.refreshing', list, isOver }, { optional: true }),
  }) as const;
const ending = { close: '#catalog.closing', 'owner.ended': '#catalog.killed' } as const;

export type {
  CatalogListed,
  CatalogNews,
  CatalogOrder,
  CatalogRestless,
  CatalogRefreshing,
  CatalogSettled,
  CatalogStart,
} from './catalog.rules.ts';

export const catalogMachine = catalogSetup.createMachine({
  id: 'catalog',
  context: ({ input }) => ({
    ...input,
    entries: input.cached ?? [],
    revision: 0,
    history: emptyHistory,
    failures: 0,
    failure: null,
    isDeclared: false,
    isOptional: false,
    isWithdrawn: false,
    why: 'its server is connected',
    isGone: false,
    rush: 0,
    asking: {},
    owed: {},
  }),
  initial: 'standby',
  on: {
    'catalog.open': {
      target: '.connecting',
      actions: { type: 'rememberSession', params: sessionOf },
    },
    'catalog.rest': { target: '.standby', actions: [withdrawList, { type: 'noteGone', params: whyOf }] },
    'catalog.forget': { target: '.standby', actions: [withdrawList, ...dropEntries(() => noList)] },
    'list.wanted': {
      actions: {
        type: 'noteWanted',
        params: ({ event }) => event,
      },
    },
    close: '.closed',
    'owner.ended': '.closed',
  },
  states: {
    standby: { on: { 'list.changed': {} } },
    connecting: {
      tags: 'connecting',
      entry: askList,
      on: {
        ...ending,
        /** Transitions after a failed first list of a session. The owner is told, because it waits for this list. */
        'ask.refused': [
          {
            guard: { type: 'isUnknownMethod', params: refusalOf },
            target: '#catalog.standby',
            actions: [...dropEntries(() => noList), tellSettled],
          },
          {
            guard: { type: 'isMissed', params: refusalOf },
            target: '#catalog.withdrawn',
            actions: [rememberRefusal, tellFailed],
          },
          { target: '#catalog.failing', actions: [rememberRefusal, tellFailed] },
        ],
      },
      after: {
        listTimeout: [
          {
            guard: 'isMissing',
            target: '#catalog.withdrawn',
            actions: [withdrawList, 'rememberSlow', tellFailed],
          },
          { target: '#catalog.failing', actions: [withdrawList, 'rememberSlow', tellFailed] },
        ],
      },
      initial: 'asking',
      states: {
        asking: {
          on: {
            'ask.answered': { target: '#catalog.ready', actions: [...takeAnswer, tellSettled] },
            'list.changed': { target: 'outdated', actions: becauseChanged },
          },
        },
        outdated: {
          on: {
            'ask.answered': {
              target: '#catalog.ready.gathering',
              actions: [...takeAnswer, tellSettled, ...hurry],
            },
            'list.changed': {},
          },
        },
      },
    },
    ready: {
      tags: 'ready',
      initial: 'steady',
      always: takeWanted,
      states: {
        steady: {
          entry: startPoll,
          exit: { type: 'setDeadline', params: { ms: 0 } },
          on: {
            'list.changed': { target: '#catalog.ready.gathering', actions: becauseChanged },
            'deadline.passed': { target: '#catalog.refreshing', actions: because('a look at the server') },
          },

          initial: 'fresh',
          states: {
            fresh: {
              on: {
                'list.changed': { target: '#catalog.ready.gathering', actions: [becauseChanged, ...hurry] },
              },
              after: { fresh: { target: 'calm', actions: [tellRestless(() => 0), 'forgetRush'] } },
            },
            calm: {},
          },
        },
        gathering: {
          initial: 'listening',
          after: { longestGathering: '#catalog.refreshing' },
          states: {
            listening: {
              on: { 'list.changed': { target: 'listening', reenter: true } },
              after: { quiet: '#catalog.refreshing' },
            },
          },
        },
      },
    },
    refreshing: {
      tags: ['ready', 'refreshing'],
      entry: [tellRefreshing(false), ...askList],
      exit: tellRefreshing(true),
      on: {
        ...ending,
        'ask.refused': [
          { guard: { type: 'isUnasked', params: refusalOf }, target: '#catalog.failing' },
          {
            guard: { type: 'isUnknownMethod', params: refusalOf },
            target: '#catalog.standby',
            actions: dropEntries(() => noList),
          },
          { target: '#catalog.judging', actions: rememberRefusal },
        ],
      },
      after: { listTimeout: { target: '#catalog.judging', actions: [withdrawList, 'rememberSlow'] } },
      initial: 'asking',
      states: {
        asking: {
          on: {
            'ask.answered': { target: '#catalog.ready', actions: takeAnswer },
            'list.changed': 'outdated',
          },
        },
        outdated: {
          on: {
            'ask.answered': { target: '#catalog.ready.gathering', actions: [...takeAnswer, ...hurry] },
            'list.changed': {},
          },
        },
      },
    },
    judging: {
      tags: 'ready',
      entry: [
        {
          type: 'postAll',
          params: ({ context: c }) => ({
            messages: isWanted(c) ? listedMessages(c, c.entries, c.failure) : [],
          }),
        },
        'forgetAsking',
      ],
      always: [{ guard: 'isWorn', target: '#catalog.withdrawn' }, { target: '#catalog.failing' }],
    },
    failing: {
      tags: 'ready',
      on: { 'list.changed': { target: 'refreshing', actions: becauseChanged } },
      always: takeWanted,
      after: { retry: 'refreshing' },
    },
    withdrawn: {
      entry: [...dropEntries(whyWithdrawn, true), because('its server answers again')],
      on: { 'list.changed': 'refreshing' },
      always: takeWanted,
      after: { retry: 'refreshing' },
    },
    closing: {
      tags: 'closing',
      on: {
        'catalog.open': {},
        'catalog.rest': {},
        'catalog.forget': {},
        'list.changed': {},
        'list.wanted': {},
        close: {},
        'ask.answered': 'closed',
        'ask.refused': 'closed',
        'owner.ended': 'killed',
      },
      after: { closeGrace: 'killed' },
    },
    closed: { type: 'final' },
    killed: { type: 'final', tags: 'killed' },
  },
});
