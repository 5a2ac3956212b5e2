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
  posts,
  postsAll,
  type DirectoryEvent,
  type OpenRefused,
  type OwnedEnded,
  withEvent,
} from '../kernel/effects.ts';
import { take, takes } from '../kernel/taken.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import * as rules from './aggregator.rules.ts';
import type {
  AggregatorContext,
  AggregatorInput,
  AggregatorOrder,
  ResourceWanted,
} from './aggregator.rules.ts';
import type { QuestionLate } from './question.rules.ts';
import type { ReadStart } from './read.machine.ts';
import type { CacheNews } from './server-cache.rules.ts';

type Events = AggregatorOrder | QuestionLate | CacheNews | DirectoryEvent;
const aggregatorSetup = setup({
  types: {
    context: {} as AggregatorContext,
    input: {} as AggregatorInput,
    events: {} as Events,
    tags: {} as 'connecting' | 'ready',
  },
  actions: {
    ...effects,
    take: take<AggregatorContext, Events>(),
    noteTold: assign({ isNews: false }),
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
      { guard: withEvent('isBrokenCache'), actions: takes(rules.afterBroken) },
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
        'aggregate.wanted': { actions: takes(rules.afterQuestion) },
        'question.late': { actions: takes(rules.afterLate) },
        'resource.wanted': [
          { guard: withEvent('mustWait'), actions: takes(rules.afterEarly) },
          { actions: takes(rules.afterWanted) },
        ],
        'resources.listed': { actions: takes(rules.afterList) },
        'resource.updated': { actions: takes(rules.afterUpdate) },
        'resources.watched': { actions: takes(rules.afterWatched) },
        'cache.changed': { actions: takes(rules.afterChange) },
        'cache.noticed': { actions: takes(rules.afterNotices) },
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
              always: { guard: 'isListed', target: 'free', actions: takes(rules.afterPending) },
              after: { listLimit: { target: 'free', actions: takes(rules.afterPending) } },
            },
          },
        },
      },
    },
    closed: { type: 'final', entry: postsAll(rules.refusedPending) },
  },
});
