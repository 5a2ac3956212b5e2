/** Cache of the windows or documents of one server. It keeps what was read of them, and has read what questions want.
 *
 * open   — standby: nothing is read | reading: a few reads are on their way, the others wait in a queue
 * closed — final; its reads end with it
 *
 * A question is answered when everything that it wants was read, was refused, or took too long, or when the question stops
 * waiting. An item whose read takes too long is tried again after a pause, which doubles each time; meanwhile questions do
 * not wait for it. What comes after an answer that lacked it is told to the owner. */
import { assign, not, setup } from 'xstate';
import { effects, opens, post, posts, postsAll, type DirectoryEvent } from '../kernel/effects.ts';
import { backoffOfList } from '../kernel/timing.ts';
import type { ResourceRead } from './collections.ts';
import * as rules from './server-cache.rules.ts';
import { type CacheContext, type CacheInput, type CacheOrder } from './server-cache.rules.ts';

type Order<T extends CacheOrder['type']> = Extract<CacheOrder, { type: T }>;
interface ItemDue {
  readonly type: 'item.due';
  readonly uri: string;
}
const cacheSetup = setup({
  types: {
    context: {} as CacheContext,
    input: {} as CacheInput,
    events: {} as CacheOrder | ResourceRead | ItemDue | DirectoryEvent,
    tags: {} as 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    noteList: assign(({ context }, order: Order<'cache.list'>) => rules.afterList(context, order)),
    noteInvalidated: assign(({ context }, order: Order<'cache.invalidate'>) =>
      rules.afterInvalidation(context, order),
    ),
    noteFollow: assign(({ context }, order: Order<'cache.follow'>) => rules.afterFollow(context, order)),
    noteWanted: assign(({ context }, order: Order<'cache.wanted'>) => rules.afterWanted(context, order)),
    noteTold: assign(({ context: c }, order: Order<'cache.tell'>) =>
      rules.afterGiven(c, rules.askerOf(c, order)),
    ),
    noteAnswers: assign(({ context }) => rules.afterAnswers(context)),
    noteBegun: assign(({ context }) => rules.afterBegin(context)),
    noteRead: assign(({ context }, read: ResourceRead) => rules.afterRead(context, read)),
    noteLate: assign(({ context }, read: ResourceRead) => rules.afterLate(context, read)),
    noteDue: assign(({ context }, due: ItemDue) => rules.afterPause(context, due)),
    noteNews: assign(({ context }) => rules.afterNews(context)),
  },
  guards: {
    canAnswer: ({ context }) => rules.canAnswer(context),
    canRead: ({ context }) => rules.nextRead(context) !== undefined,
    isReading: ({ context }) => context.reading.length > 0,
    isLate: (_, read: ResourceRead) => rules.isLate(read),
    hasCome: ({ context }) => rules.hasCome(context),
  },
});
/** `enqueue`, because the id of a raised event cannot come from the context. */
const pause = cacheSetup.enqueueActions(({ enqueue, context: c, event }) => {
  const { ticket: uri } = event as ResourceRead;
  enqueue.cancel(uri);
  const due: ItemDue = { type: 'item.due', uri };
  enqueue.raise(due, { id: uri, delay: backoffOfList(c.timing, rules.hungOf(c, uri)) });
});
const withEvent = <T extends string>(type: T) =>
  ({ type, params: <E>({ event }: { readonly event: E }): E => event }) as const;

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
        'cache.list': { actions: withEvent('noteList') },
        'cache.invalidate': { actions: withEvent('noteInvalidated') },
        'cache.follow': { actions: withEvent('noteFollow') },
        'cache.wanted': { actions: withEvent('noteWanted') },
        'cache.tell': {
          actions: [
            posts((c: CacheContext, order: Order<'cache.tell'>) => rules.givenTo(c, rules.askerOf(c, order))),
            withEvent('noteTold'),
          ],
        },
        'resource.read': [
          { guard: withEvent('isLate'), actions: [withEvent('noteLate'), pause] },
          {
            actions: [
              postsAll((c: CacheContext, read: ResourceRead) => rules.noticeMessages(c, read)),
              withEvent('noteRead'),
            ],
          },
        ],
        'item.due': { actions: withEvent('noteDue') },
      },
      always: [
        { guard: 'canRead', actions: [opens(rules.readOpen), 'noteBegun'] },
        {
          guard: 'hasCome',
          actions: [
            posts((c: CacheContext) => post(c.owner, { type: 'cache.changed', server: c.server })),
            'noteNews',
          ],
        },
        { guard: 'canAnswer', actions: [postsAll(rules.answersOf), 'noteAnswers'] },
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
