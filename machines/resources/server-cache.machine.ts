/** Cache of the windows or documents of one server. It keeps what was read of them, and has read what questions want.
 *
 * open   — standby: nothing is read | reading: a few reads are on their way, the others wait in a queue
 * closed — final; its reads end with it
 *
 * A question is answered when everything that it wants was read, was refused, or took too long, or when the question stops
 * waiting. An item whose read takes too long is tried again after a pause, which doubles each time; meanwhile questions do
 * not wait for it. What comes after an answer that lacked it is told to the owner. */
import { not, setup } from 'xstate';
import { effects, withEvent, type DirectoryEvent } from '../kernel/effects.ts';
import { take, takes } from '../kernel/taken.ts';
import type { ResourceRead } from './collections.ts';
import * as rules from './server-cache.rules.ts';
import type { CacheContext, CacheInput, CacheOrder, ItemDue } from './server-cache.rules.ts';

type Events = CacheOrder | ResourceRead | ItemDue | DirectoryEvent;
const cacheSetup = setup({
  types: {
    context: {} as CacheContext,
    input: {} as CacheInput,
    events: {} as Events,
    tags: {} as 'ready' | 'refreshing',
  },
  actions: { ...effects, take: take<CacheContext, Events, ItemDue>() },
  guards: {
    canAnswer: ({ context }) => rules.canAnswer(context),
    canRead: ({ context }) => rules.nextRead(context) !== undefined,
    isReading: ({ context }) => context.reading.length > 0,
    isLate: (_, read: ResourceRead) => rules.isLate(read),
    hasCome: ({ context }) => rules.hasCome(context),
  },
});
export type { CacheGiven, CacheOrder } from './server-cache.rules.ts';

export const serverCacheMachine = cacheSetup.createMachine({
  id: 'cache',
  context: ({ input }) => rules.initialContext(input),
  initial: 'open',
  // Each read answers by itself or by its last will, and one item is never read twice at a time.
  on: { close: '.closed', 'owner.ended': '.closed', 'owned.ended': {}, 'open.refused': {} },
  states: {
    open: {
      on: {
        'cache.list': { actions: takes(rules.afterList) },
        'cache.invalidate': { actions: takes(rules.afterInvalidation) },
        'cache.follow': { actions: takes(rules.afterFollow) },
        'cache.wanted': { actions: takes(rules.afterWanted) },
        'cache.tell': { actions: takes(rules.afterTell) },
        'resource.read': [
          { guard: withEvent('isLate'), actions: takes(rules.afterLate) },
          { actions: takes(rules.afterRead) },
        ],
        'item.due': { actions: takes(rules.afterPause) },
      },
      always: [
        { guard: 'canRead', actions: takes(rules.afterBegin) },
        { guard: 'hasCome', actions: takes(rules.afterNews) },
        { guard: 'canAnswer', actions: takes(rules.afterAnswers) },
      ],
      initial: 'standby',
      states: {
        standby: { tags: 'ready', always: { guard: 'isReading', target: 'reading' } },
        reading: { tags: 'refreshing', always: { guard: not('isReading'), target: 'standby' } },
      },
    },
    closed: { type: 'final' },
  },
});
