/** Aggregator, the machine of a Desktop or a Finder: it combines the windows or documents of all servers of one computer.
 *
 * open    — two states at once:
 *           showing — the content, and the questions about it:
 *             connecting: the first lists are awaited; no change is reported until they have arrived or their time is over
 *             ready: no question is waiting
 *             refreshing: collecting (questions wait for lists and server caches) → comparing (does the content differ from
 *               the last report?) → announcing (reports at once, and then at most once in each interval)
 *           routing{free | holding} — a question for one resource goes to its server, or waits for the first lists, too
 * closing — waiting questions were refused; server caches and reads get a moment to end
 * closed  — final: all of them have ended
 * killed  — final: some were cut off, after that moment or because the computer is gone
 *
 * A question for the whole collection is answered from what is known, or waits for what it needs: lists of servers that have
 * just started, and server caches of servers that are new or have changed. Each question has its own time limit, shares reads
 * that are already running, and waits only for servers that it needs.
 *
 * The aggregator has one server cache for each server with windows or documents, and one read for each question for one
 * resource. Its context keeps the content of the caches, so that a question causes no reads as long as nothing changes. */
import { assign, cancel, setup, not } from 'xstate';
import {
  effects,
  post,
  toOwned,
  type DirectoryEvent,
  type OpenRefused,
  type OwnedEnded,
} from '../kernel/effects.ts';
import { remembered } from '../kernel/objects.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import * as rules from './aggregator.rules.ts';
import type {
  AggregateWanted,
  AggregatorOrder,
  AggregatorContext,
  AggregatorInput,
  QuestionLate,
  ResourcesListed,
  ResourceWanted,
} from './aggregator.rules.ts';
import { cacheKind } from './server-cache.rules.ts';
import type { CacheRefreshed } from './server-cache.machine.ts';
import { signatureOf, type Notice } from './collections.ts';
import { readKind, type ReadStart } from './read.machine.ts';
import type { ResourcesWatched } from './watch.machine.ts';

/** Once for an event, although three actions use the result: opening, posting and remembering. */
const once = <E extends object>(
  rule: (c: AggregatorContext, event: E) => rules.Consequences,
): typeof rule => {
  const inContext = remembered((c: AggregatorContext) => remembered((event: E) => rule(c, event)));
  return (c, event) => inContext(c)(event);
};
const updatedOnce = once(rules.afterUpdate);
const watchedOnce = once(rules.afterWatched);
const listedOnce = once(rules.afterList);
const signatureIn = remembered((c: AggregatorContext): string =>
  signatureOf(
    c.self,
    c.updates,
    Object.values(c.caches).map(({ listed: each }) => each),
  ),
);
const limitOf = (n: number): string => `question ${n}`;

const aggregatorSetup = setup({
  types: {
    context: {} as AggregatorContext,
    input: {} as AggregatorInput,
    events: {} as AggregatorOrder | QuestionLate | CacheRefreshed | DirectoryEvent,
    tags: {} as 'connecting' | 'ready' | 'refreshing' | 'closing' | 'killed',
  },
  actions: {
    ...effects,
    noteListed: assign(({ context }, event: ResourcesListed) => listedOnce(context, event).next),
    noteUpdated: assign(({ context }, event: { readonly server: string; readonly uri: string }) => ({
      ...updatedOnce(context, event).next,
      questions: rules.questionsAfterUpdate(context, event),
    })),
    noteWatched: assign(({ context }, event: ResourcesWatched) => watchedOnce(context, event).next),
    noteRefreshed: assign(({ context }, event: CacheRefreshed) => rules.afterRefresh(context, event)),
    noteUnopened: assign(({ context }, refused: OpenRefused) => rules.afterUnopened(context, refused)),
    noteBroken: assign(({ context }, ended: OwnedEnded) => rules.afterBroken(context, ended)),
    noteQuestion: assign(({ context: c }, wanted: AggregateWanted) => ({
      questions: [...c.questions, rules.newQuestion(c, wanted)],
      numbered: c.numbered + 1,
    })),
    clearLimit: cancel(({ context }) => limitOf(rules.answerableQuestion(context)?.n ?? 0)),
    noteAsked: assign(({ context }) => rules.refreshesFor(context)?.next ?? {}),
    noteLate: assign(({ context }, event: QuestionLate) => rules.afterLate(context, event).next),
    noteAnswered: assign(({ context: c }) => {
      const answered = rules.answerableQuestion(c);
      return { questions: c.questions.filter((question) => question !== answered) };
    }),
    noteCompared: assign({ isNews: false }),
    noteTold: assign(({ context }) => ({ told: signatureIn(context), hasLost: false })),
    noteOpened: assign(({ context }, { count }: { readonly count: number }) =>
      count === 0 ? {} : { living: context.living + count },
    ),
    countEnd: assign(({ context }) => ({ living: context.living - 1 })),
    notePending: assign(({ context }, wanted: ResourceWanted) => ({ pending: [...context.pending, wanted] })),
    forgetPending: assign({ pending: [] }),
    noteNotices: assign(({ context }, { notices }: { readonly notices: readonly Notice[] }) =>
      rules.afterNotices(context, notices),
    ),
  },
  guards: {
    isKnown: ({ context }, wanted: AggregateWanted) => rules.isKnown(context, wanted),
    mustAsk: ({ context }) => rules.refreshesFor(context) !== null,
    canAnswer: ({ context }) => rules.answerableQuestion(context) !== undefined,
    isAnswered: ({ context }) => context.questions.length === 0,
    isCollected: ({ context: { isHeard, awaited } }) => isHeard && awaited.length === 0,
    isNews: ({ context }) => context.isNews,
    isOther: ({ context: c }) => c.isNews && (c.hasLost || c.told !== signatureIn(c)),
    hasNone: ({ context }) => context.living <= 0,
    isListed: ({ context }) => context.awaited.length === 0,
    mustWait: ({ context }, wanted: ResourceWanted) => rules.mustWaitForLists(context, wanted),
    isCache: (_, { kind }: { readonly kind: string }) => kind === 'cache',
  },
  delays: {
    coalesce: ({ context }) => context.timing.coalesceMs,
    listLimit: ({ context }) => context.timing.aggregateMs,
    closeGrace: ({ context }) => context.timing.closeGraceMs,
  },
});
/** `enqueue`, because the id of a raised event cannot come from the context. */
const setLimit = aggregatorSetup.enqueueActions(({ enqueue, context: { numbered: n, timing } }) => {
  const event: QuestionLate = { type: 'question.late', n };
  enqueue.raise(event, { id: limitOf(n), delay: timing.aggregateMs });
});
type At<E = unknown> = { readonly context: AggregatorContext; readonly event: E };
const opensAnd = <E>(
  given: (c: AggregatorContext, event: E) => Pick<rules.Consequences, 'opens' | 'messages'>,
) =>
  [
    { type: 'openAll', params: ({ context, event }: At<E>) => ({ opens: given(context, event).opens }) },
    {
      type: 'postAll',
      params: ({ context, event }: At<E>) => ({ messages: given(context, event).messages }),
    },
    {
      type: 'noteOpened',
      params: ({ context, event }: At<E>) => ({ count: given(context, event).opens.length }),
    },
  ] as const;

const repeatedFailure: Failure = {
  code: wireCodes.conflict,
  message: 'A question under this ticket is still on its way',
};

const tellNotices = <E>(noticesOf: (c: AggregatorContext, event: E) => readonly Notice[]) =>
  [
    {
      type: 'postAll',
      params: ({ context: c, event }: At<E>) => ({ messages: rules.noticeMessages(c, noticesOf(c, event)) }),
    },
    {
      type: 'noteNotices',
      params: ({ context, event }: At<E>) => ({ notices: noticesOf(context, event) }),
    },
  ] as const;

const openRead = [
  ...tellNotices<ResourceWanted>(rules.routeNotices),
  ...opensAnd<ResourceWanted>(rules.readOpens),
] as const;
const pendingReads = (c: AggregatorContext): Pick<rules.Consequences, 'opens' | 'messages'> => {
  const all = c.pending.map((wanted) => rules.readOpens(c, wanted));
  return { opens: all.flatMap(({ opens }) => opens), messages: all.flatMap(({ messages }) => messages) };
};
const openPending = [
  ...tellNotices<unknown>((c) => c.pending.flatMap((wanted) => rules.routeNotices(c, wanted))),
  ...opensAnd<unknown>(pendingReads),
  'forgetPending',
] as const;

const closingFailure: Failure = { code: wireCodes.internal, message: 'The computer is closing' };

const nothingToAsk: rules.Consequences = { next: {}, opens: [], messages: [] };

const routing = aggregatorSetup.createStateConfig({
  initial: 'free',
  states: {
    free: {
      on: {
        'resource.wanted': [
          {
            guard: { type: 'mustWait', params: ({ event }) => event },
            target: 'holding',
            actions: { type: 'notePending', params: ({ event }) => event },
          },
          { actions: openRead },
        ],
      },
    },
    holding: {
      on: {
        'resource.wanted': [
          {
            guard: { type: 'mustWait', params: ({ event }) => event },
            actions: { type: 'notePending', params: ({ event }) => event },
          },
          { actions: openRead },
        ],
      },
      always: { guard: 'isListed', target: 'free', actions: openPending },
      after: { listLimit: { target: 'free', actions: openPending } },
    },
  },
});

const closing = aggregatorSetup.createStateConfig({
  tags: 'closing',
  entry: [
    { type: 'tellOwned', params: toOwned(cacheKind, { type: 'close' }) },
    { type: 'tellOwned', params: toOwned(readKind, { type: 'close' }) },
  ],
  always: { guard: 'hasNone', target: '#aggregator.closed' },
  on: {
    'aggregate.wanted': {
      actions: {
        type: 'post',
        params: ({ event }) => rules.refusedAnswer(event, closingFailure),
      },
    },
    'resource.wanted': {
      actions: {
        type: 'post',
        params: ({ event }) => rules.refusedRead(event, closingFailure),
      },
    },
    'resources.listed': {},
    'resource.updated': {},
    'resources.watched': {},
    close: {},
  },
  after: { closeGrace: '#aggregator.killed' },
});

export type {
  AggregateWanted,
  AggregatorNews,
  AggregatorOrder,
  AggregatorStart,
  ResourcesListed,
  ResourceWanted,
} from './aggregator.rules.ts';

export const aggregatorMachine = aggregatorSetup.createMachine({
  id: 'aggregator',
  context: ({ input }) => ({
    ...input,
    caches: {},
    questions: [],
    numbered: 0,
    members: [],
    isHeard: false,
    isNews: false,
    told: '',
    hasLost: false,
    living: 0,
    updates: 0,
    awaited: [],
    unlisted: {},
    refused: {},
    exposed: [],
    pending: [],
    noticed: [],
  }),
  initial: 'open',
  on: {
    'owned.ended': [
      {
        guard: { type: 'isCache', params: ({ event }) => event },
        actions: [{ type: 'noteBroken', params: ({ event }) => event }, 'countEnd'],
      },
      // The asker has an answer from the read itself, or from the directory of actors when the read failed.
      { actions: 'countEnd' },
    ],
    'open.refused': [
      {
        guard: { type: 'isCache', params: ({ event }) => event },
        actions: [{ type: 'noteUnopened', params: ({ event }) => event }, 'countEnd'],
      },
      {
        actions: [
          {
            type: 'post',
            params: ({ event }) => rules.refusedRead(event.input as ReadStart, repeatedFailure),
          },
          'countEnd',
        ],
      },
    ],
    'owner.ended': [{ guard: 'hasNone', target: '.closed' }, { target: '.killed' }],
  },
  states: {
    open: {
      type: 'parallel',
      on: {
        'aggregate.wanted': [
          {
            guard: { type: 'isKnown', params: ({ event }) => event },
            actions: {
              type: 'post',
              params: ({ context, event }) => rules.answerTo(context, rules.newQuestion(context, event)),
            },
          },
          { actions: [{ type: 'noteQuestion', params: ({ event }) => event }, setLimit] },
        ],
        'question.late': {
          actions: [
            ...opensAnd<QuestionLate>(rules.afterLate),
            { type: 'noteLate', params: ({ event }) => event },
          ],
        },
        'resources.listed': {
          actions: [
            ...opensAnd<ResourcesListed>(listedOnce),
            { type: 'noteListed', params: ({ event }) => event },
            ...tellNotices<ResourcesListed>(rules.notShownNotices),
          ],
        },
        'resource.updated': {
          actions: [
            ...opensAnd<{ readonly server: string; readonly uri: string }>(updatedOnce),
            { type: 'noteUpdated', params: ({ event }) => event },
          ],
        },
        'resources.watched': {
          actions: [
            ...opensAnd<ResourcesWatched>(watchedOnce),
            { type: 'noteWatched', params: ({ event }) => event },
          ],
        },
        'cache.refreshed': {
          actions: [
            ...tellNotices<CacheRefreshed>(rules.refreshNotices),
            { type: 'noteRefreshed', params: ({ event }) => event },
          ],
        },
        close: {
          target: 'closing',
          /** Waiting questions are refused, because a closing aggregator will not answer them. */
          actions: {
            type: 'postAll',
            params: ({ context: c }) => ({
              messages: [
                ...c.questions.map(({ wanted }) => rules.refusedAnswer(wanted, closingFailure)),
                ...c.pending.map((wanted) => rules.refusedRead(wanted, closingFailure)),
              ],
            }),
          },
        },
      },
      always: [
        {
          guard: 'mustAsk',
          actions: [...opensAnd<unknown>((c) => rules.refreshesFor(c) ?? nothingToAsk), 'noteAsked'],
        },
        {
          guard: 'canAnswer',
          actions: [
            'clearLimit',
            {
              type: 'postAll',
              params: ({ context: c }) => {
                const question = rules.answerableQuestion(c);
                return { messages: question ? [rules.answerTo(c, question)] : [] };
              },
            },
            'noteAnswered',
          ],
        },
      ],
      states: {
        showing: {
          initial: 'connecting',
          states: {
            connecting: {
              tags: 'connecting',
              always: { guard: 'isCollected', target: 'ready' },
              after: { listLimit: 'ready' },
            },
            ready: {
              tags: 'ready',
              always: [
                { guard: 'isNews', target: 'refreshing' },
                { guard: not('isAnswered'), target: 'refreshing' },
              ],
            },
            refreshing: {
              tags: ['ready', 'refreshing'],
              initial: 'collecting',
              states: {
                collecting: {
                  always: [
                    { guard: 'isNews', target: 'comparing' },
                    { guard: 'isAnswered', target: 'comparing' },
                  ],
                },
                comparing: {
                  exit: 'noteCompared',
                  always: [
                    { guard: 'isOther', target: 'announcing' },
                    { guard: not('isAnswered'), target: 'collecting' },
                    { target: '#aggregator.open.showing.ready' },
                  ],
                },
                announcing: {
                  entry: [
                    {
                      type: 'post',
                      params: ({ context: c }) =>
                        post(c.owner, {
                          type: 'aggregate.changed',
                          collection: c.collection,
                          signature: signatureIn(c),
                        }),
                    },
                    'noteTold',
                  ],
                  after: { coalesce: 'comparing' },
                },
              },
            },
          },
        },
        routing,
      },
    },
    closing,
    closed: { type: 'final' },
    killed: { type: 'final', tags: 'killed' },
  },
});
