/** Aggregator, the machine of a Desktop or a Finder: it knows what the servers of one computer list of it, and announces
 * changes.
 *
 * open   — two states at once:
 *          showing — connecting: the first lists are awaited, and no change is announced until they have come or their time is
 *            over | ready | announcing: a change was announced, and further ones wait until the interval is over
 *          routing — free | holding: questions for one resource wait for the first lists
 * closed — final; its questions, reads and server caches end with it
 *
 * It has a server cache for each server with windows or documents, a question for each question for the whole, and a read
 * for each question for one resource. A change is announced when it is heard of, and read when somebody asks. */
import { assign, setup } from 'xstate';
import {
  effects,
  opensAll,
  posts,
  postsAll,
  tellsOwned,
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
  AggregatorContext,
  AggregatorInput,
  AggregatorOrder,
  ResourcesListed,
  ResourceWanted,
} from './aggregator.rules.ts';
import type { Notice } from './collections.ts';
import { questionKind, type QuestionLate } from './question.rules.ts';
import type { ReadStart } from './read.machine.ts';
import type { CacheNews } from './server-cache.rules.ts';
import type { ResourcesWatched } from './watch.machine.ts';

/** Once for an event, although three actions use the result: opening, posting and remembering. */
const once = <E extends object>(
  rule: (c: AggregatorContext, event: E) => rules.Consequences,
): typeof rule => {
  const inContext = remembered((c: AggregatorContext) => remembered((event: E) => rule(c, event)));
  return (c, event) => inContext(c)(event);
};
const listed = once(rules.afterList);
const updated = once(rules.afterUpdate);
const watched = once(rules.afterWatched);
const asked = once(rules.afterQuestion);

const aggregatorSetup = setup({
  types: {
    context: {} as AggregatorContext,
    input: {} as AggregatorInput,
    events: {} as AggregatorOrder | QuestionLate | CacheNews | DirectoryEvent,
    tags: {} as 'connecting' | 'ready',
  },
  actions: {
    ...effects,
    noteListed: assign(({ context }, event: ResourcesListed) => listed(context, event).next),
    noteUpdated: assign(({ context }, event: Updated) => updated(context, event).next),
    noteWatched: assign(({ context }, event: ResourcesWatched) => watched(context, event).next),
    noteQuestion: assign(({ context }, event: AggregateWanted) => asked(context, event).next),
    noteLate: assign(({ context }, event: QuestionLate) => rules.afterLate(context, event)),
    noteBroken: assign(({ context }, ended: OwnedEnded) => rules.afterBroken(context, ended)),
    noteChange: assign(({ context }) => rules.afterChange(context)),
    noteTold: assign({ isNews: false }),
    notePending: assign(({ context }, wanted: ResourceWanted) => ({ pending: [...context.pending, wanted] })),
    forgetPending: assign({ pending: [] }),
    noteNotices: assign(({ context }, { notices }: { readonly notices: readonly Notice[] }) =>
      rules.afterNotices(context, notices),
    ),
  },
  guards: {
    isNews: ({ context }) => context.isNews,
    isCollected: ({ context: c }) => Object.keys(c.lists).length > 0 && !rules.isAwaiting(c),
    isListed: ({ context }) => !rules.isAwaiting(context),
    isHolding: ({ context }) => context.pending.length > 0,
    mustWait: ({ context }, wanted: ResourceWanted) => rules.mustWaitForLists(context, wanted),
    isBrokenCache: ({ context }, ended: OwnedEnded) => rules.brokenList(context, ended) !== undefined,
    isRead: (_, { kind }: { readonly kind: string }) => kind === 'read',
  },
  delays: {
    coalesce: ({ context }) => context.timing.coalesceMs,
    listLimit: ({ context }) => context.timing.aggregateMs,
  },
});
type Updated = { readonly server: string; readonly uri: string };
const withEvent = <T extends string>(type: T) =>
  ({ type, params: <E>({ event }: { readonly event: E }): E => event }) as const;
const opensAnd = <E>(
  given: (c: AggregatorContext, event: E) => Pick<rules.Consequences, 'opens' | 'messages'>,
) =>
  [
    opensAll<AggregatorContext, E>((c, event) => given(c, event).opens),
    postsAll<AggregatorContext, E>((c, event) => given(c, event).messages),
  ] as const;
const tellNotices = <E>(noticesOf: (c: AggregatorContext, event: E) => readonly Notice[]) =>
  [
    postsAll<AggregatorContext, E>((c, event) => rules.noticeMessages(c, noticesOf(c, event))),
    {
      type: 'noteNotices',
      params: ({ context, event }: { readonly context: AggregatorContext; readonly event: E }) => ({
        notices: noticesOf(context, event),
      }),
    },
  ] as const;
const tellQuestions = tellsOwned<AggregatorContext, { readonly server: string }>((c, { server }) =>
  toOwned(questionKind, { type: 'question.listed', server, list: rules.listOf(c, server) ?? null }),
);
const openRead = [
  ...tellNotices<ResourceWanted>(rules.routeNotices),
  ...opensAnd<ResourceWanted>(rules.readOpens),
] as const;
const openPending = [
  ...tellNotices<unknown>((c) => c.pending.flatMap((wanted) => rules.routeNotices(c, wanted))),
  ...opensAnd<unknown>(rules.pendingReads),
  'forgetPending',
] as const;
const repeatedFailure: Failure = {
  code: wireCodes.conflict,
  message: 'A question under this ticket is still on its way',
};

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
  context: ({ input }) => rules.initialContext(input),
  initial: 'open',
  on: {
    close: '.closed',
    'owner.ended': '.closed',
    'owned.ended': [
      {
        guard: withEvent('isBrokenCache'),
        actions: [
          tellsOwned((c: AggregatorContext, ended: OwnedEnded) =>
            toOwned(questionKind, rules.brokenNews(c, ended)),
          ),
          withEvent('noteBroken'),
        ],
      },
      // Who asked has an answer from the question or the read itself, or from its last will.
      {},
    ],
    'open.refused': [
      {
        guard: withEvent('isRead'),
        actions: posts((_: AggregatorContext, { input }: OpenRefused) =>
          rules.refusedRead(input as ReadStart, repeatedFailure),
        ),
      },
      {},
    ],
  },
  states: {
    open: {
      type: 'parallel',
      on: {
        'aggregate.wanted': { actions: [...opensAnd(asked), withEvent('noteQuestion')] },
        'question.late': { actions: withEvent('noteLate') },
        'resource.wanted': [
          { guard: withEvent('mustWait'), actions: withEvent('notePending') },
          { actions: openRead },
        ],
        'resources.listed': {
          actions: [
            ...opensAnd(listed),
            withEvent('noteListed'),
            ...tellNotices(rules.notShownNotices),
            tellQuestions,
          ],
        },
        'resource.updated': { actions: [...opensAnd<Updated>(updated), withEvent('noteUpdated')] },
        'resources.watched': {
          actions: [...opensAnd(watched), withEvent('noteWatched'), tellQuestions],
        },
        'cache.changed': { actions: 'noteChange' },
        'cache.noticed': {
          actions: tellNotices((_, { notices }: { readonly notices: readonly Notice[] }) => notices),
        },
      },
      states: {
        showing: {
          initial: 'connecting',
          states: {
            connecting: {
              tags: 'connecting',
              always: { guard: 'isCollected', target: 'ready' },
              after: { listLimit: 'ready' },
            },
            ready: { tags: 'ready', always: { guard: 'isNews', target: 'announcing' } },
            announcing: {
              tags: 'ready',
              entry: [posts(rules.changedMessage), 'noteTold'],
              after: { coalesce: 'ready' },
            },
          },
        },
        routing: {
          initial: 'free',
          states: {
            free: { always: { guard: 'isHolding', target: 'holding' } },
            holding: {
              always: { guard: 'isListed', target: 'free', actions: openPending },
              after: { listLimit: { target: 'free', actions: openPending } },
            },
          },
        },
      },
    },
    closed: { type: 'final', entry: postsAll(rules.refusedPending) },
  },
});
