/** Cache of the windows or documents of one server. It reads them when they are wanted, keeps their content, and reads again
 * only what has changed since.
 *
 * open    — three states at once:
 *           reading{unread | collecting | standby | refreshing}: nothing was wanted yet; first reading; nothing is wanted
 *           now; changed and new items are read. A few are read at a time, those never read first. A reading round ends when each
 *           item was read, refused, or cancelled after its time limit; an asker that stops waiting gets what is known by
 *           then, and the reading goes on
 *           retrying{calm | pausing | probing}: items that did not arrive in time are no longer waited for; they are tried
 *           again later, and their arrival is reported
 *           timing{idle | ticking}: the age of running reads. A read that hangs lets the next one start when the server
 *           answers a ping, and is cancelled after its time limit
 * closing — asks nothing more; running reads get a moment to finish
 * closed  — final: no read was running
 * killed  — final: running reads were cut off, after that moment, or because the owner or the server is gone
 *
 * An item that cannot be read does not affect the others, and a server that does not answer affects only its own items. An
 * order for a single entry is answered with that entry, whatever else is being read. */
import { assign, setup, not } from 'xstate';
import { effects, post, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import { backoffOfList } from '../kernel/timing.ts';
import type { Failure } from '../protocol/failure.ts';
import * as rules from './server-cache.rules.ts';
import {
  hasStale,
  isAsking,
  questionOf,
  afterAnswerOf,
  initialContext,
  type CacheOrder,
  type CacheContext,
  type CacheInput,
} from './server-cache.rules.ts';

type RefreshOrder = Extract<CacheOrder, { type: 'cache.refresh' }>;
type FollowOrder = Extract<CacheOrder, { type: 'cache.follow' }>;
const pingQuestion = 'ping';
interface ToldUpTo {
  readonly upTo: number;
  readonly isTruncated: boolean;
}
const cacheSetup = setup({
  types: {
    context: {} as CacheContext,
    input: {} as CacheInput,
    events: {} as RequestFact | CacheOrder | DirectoryEvent,
    tags: {} as 'connecting' | 'ready' | 'refreshing' | 'closing' | 'killed',
  },
  actions: {
    ...effects,
    noteList: assign(({ context }, order: { readonly uris: readonly string[] }) =>
      rules.afterList(context, order),
    ),
    noteInvalidated: assign(({ context }, order: { readonly uris: readonly string[] }) =>
      rules.afterInvalidation(context, order),
    ),
    noteFollow: assign(({ context }, order: FollowOrder) => rules.afterFollow(context, order)),
    noteNext: assign(({ context }) => rules.afterAsking(context)),
    noteProbe: assign(({ context }) => rules.afterProbing(context)),
    noteProbing: assign(({ context }) => ({ slowBefore: context.slow.length })),
    noteAnswer: assign(({ context }, fact: { readonly id: string; readonly result: unknown }) =>
      rules.afterAnswer(context, fact),
    ),
    noteRefusal: assign(({ context }, fact: { readonly id: string; readonly failure: Failure }) =>
      rules.afterRefusal(context, fact),
    ),
    noteUnasked: assign(({ context }) => afterAnswerOf(context, rules.unwantedUri(context) ?? '')),
    noteTick: assign(({ context }) => rules.afterTick(context)),
    notePinging: assign({ isPinging: true }),
    noteAlive: assign(({ context }) => rules.afterRelease(context)),
    noteIdle: assign({ ticks: 0, isPinging: false }),
    noteOver: assign(({ context }) => rules.afterEnd(context, rules.overdueWithQuestion(context))),
    noteWish: assign(({ context }, refresh: RefreshOrder) => rules.afterWish(context, refresh)),
    noteGranted: assign(({ context }, { orders }: { readonly orders: readonly number[] }) =>
      rules.withoutWishes(context, orders),
    ),
    noteVain: assign(({ context }) => rules.afterVainProbe(context)),
    forgetTries: assign({ tries: 0 }),
    noteRefresh: assign(({ context }, refresh: RefreshOrder) => rules.afterRefresh(context, refresh)),
    noteJoined: assign(({ context }, refresh: RefreshOrder) => rules.afterJoining(context, refresh)),
    noteFollowing: assign(({ context }) => rules.afterRound(context)),
    noteCome: assign(({ context: c }) => (c.refresh > c.told ? {} : rules.afterTelling(c, c.told, false))),
    noteTold: assign(({ context }, { upTo, isTruncated }: ToldUpTo) =>
      rules.afterTelling(context, upTo, isTruncated),
    ),
  },
  guards: {
    canAsk: ({ context }) => rules.canAsk(context),
    isDone: ({ context: c }) => !hasStale(c) && c.asked.length === 0,
    isWantedAgain: ({ context }) => context.nextRefresh > 0,
    asksForNobody: ({ context }) => rules.unwantedUri(context) !== undefined,
    isAsking: ({ context }) => isAsking(context),
    isReading: ({ context }) => context.asked.length > 0,
    mustPing: ({ context }) => rules.mustPing(context),
    isPing: (_, { id }: { readonly id: string }) => id === pingQuestion,
    isForOne: (_, { only }: Pick<RefreshOrder, 'only'>) => only !== undefined,
    isUnreadOne: ({ context }, refresh: RefreshOrder) =>
      refresh.only !== undefined && rules.wantsRead(context, refresh),
    isGranted: ({ context }) => rules.grantedOrders(context).length > 0,
    isWish: ({ context }, { n }: { readonly n: number }) => context.wishes.some((wish) => wish.n === n),
    isAtOnce: (_, { isNow }: { readonly isNow?: true }) => isNow === true,
    isSlow: ({ context }) => context.slow.length > 0,
    isBack: ({ context }) => context.slow.length === 0,
    canProbe: ({ context }) => rules.unprobedUri(context) !== undefined,
    hasCome: ({ context: { slow, slowBefore } }) => slow.length < slowBefore,
  },
  delays: {
    turn: ({ context }) => context.timing.turnMs,
    limit: ({ context }) => context.timing.aggregateMs,
    closeGrace: ({ context }) => context.timing.closeGraceMs,
    pause: ({ context: { timing, tries } }) => backoffOfList(timing, tries + 1),
  },
});
type At<E = unknown> = { readonly context: CacheContext; readonly event: E };
const readRequest = (uri: string, { session }: CacheContext) => ({
  id: questionOf(uri),
  target: session,
  method: 'resources/read',
  params: { uri },
});
const readUri = (uriOf: (c: CacheContext) => string | undefined) =>
  ({ type: 'request', params: ({ context: c }: At) => readRequest(uriOf(c) ?? '', c) }) as const;

const withdraw = (urisOf: (c: CacheContext) => readonly string[]) =>
  cacheSetup.enqueueActions(({ enqueue, context }) => {
    for (const uri of urisOf(context)) enqueue({ type: 'cancel', params: { id: questionOf(uri) } });
  });

const takeTick = [withdraw(rules.overdueUris), 'noteTick'] as const;

const tellRefreshed = (upTo: (c: CacheContext) => number) =>
  [
    {
      type: 'post',
      params: ({ context: c }: At) => post(c.owner, rules.refreshedNews(c, upTo(c), false)),
    },
    { type: 'noteTold', params: ({ context }: At) => ({ upTo: upTo(context), isTruncated: false }) },
  ] as const;

const tellAlone = <E>(ordersOf: (c: CacheContext, event: E) => readonly number[]) =>
  [
    {
      type: 'post',
      params: ({ context: c, event }: At<E>) => post(c.owner, rules.grantedNews(c, ordersOf(c, event))),
    },
    {
      type: 'noteGranted',
      params: ({ context: c, event }: At<E>) => ({ orders: ordersOf(c, event) }),
    },
  ] as const;
const tellGranted = tellAlone<unknown>(rules.grantedOrders);
const truncateWish = tellAlone<{ readonly n: number }>((_, { n }) => [n]);
/** Unless a refresh is running, which reports it at its end. */
const tellCome = [
  {
    type: 'postAll',
    params: ({ context: c }: At) => ({
      messages: c.refresh > c.told ? [] : [post(c.owner, rules.refreshedNews(c, c.told, false))],
    }),
  },
  { type: 'noteCome' },
] as const;

export type { CacheRefreshed, CacheOrder, CacheStart } from './server-cache.rules.ts';

const withEvent = <T extends string>(type: T) =>
  ({ type, params: <E>({ event }: { readonly event: E }): E => event }) as const;
const wishes = [
  {
    guard: withEvent('isUnreadOne'),
    actions: [
      withEvent('noteWish'),
      {
        type: 'request',
        params: ({ context: c, event: { only = '' } }: At<Pick<RefreshOrder, 'only'>>) =>
          readRequest(only, c),
      },
    ],
  },
  { guard: withEvent('isForOne'), actions: withEvent('noteWish') },
] as const;
const collects = [
  { guard: 'canAsk', actions: ['noteNext', readUri(({ asked }) => asked.at(-1)?.uri)] },
  { guard: 'isDone', target: 'over' },
] as const;
const joins = { 'cache.refresh': [...wishes, { actions: withEvent('noteJoined') }] } as const;

export const serverCacheMachine = cacheSetup.createMachine({
  id: 'cache',
  context: ({ input }) => initialContext(input),
  initial: 'open',
  on: {
    'ask.answered': [
      { guard: withEvent('isPing'), actions: 'noteAlive' },
      { actions: withEvent('noteAnswer') },
    ],
    // Counts a refused ping like an answered one, because both show that the server still answers.
    'ask.refused': [
      { guard: withEvent('isPing'), actions: 'noteAlive' },
      { actions: withEvent('noteRefusal') },
    ],
    'owner.ended': '.gone',
  },
  states: {
    open: {
      type: 'parallel',
      on: {
        'cache.list': { actions: withEvent('noteList') },
        'cache.invalidate': { actions: withEvent('noteInvalidated') },
        'cache.follow': { actions: withEvent('noteFollow') },
        'cache.tell': [
          { guard: withEvent('isWish'), actions: truncateWish },
          {
            // Reports known items and cancels hanging reads, because the asker stops waiting.
            actions: [
              {
                type: 'post',
                params: ({ context: c, event: { n } }) => post(c.owner, rules.refreshedNews(c, n, true)),
              },
              {
                type: 'noteTold',
                params: ({ event: { n } }) => ({
                  upTo: n,
                  isTruncated: true,
                }),
              },
              withdraw(rules.overdueWithQuestion),
              'noteOver',
            ],
          },
        ],
        close: [{ guard: withEvent('isAtOnce'), target: 'gone' }, { target: 'closing' }],
      },
      always: [
        {
          guard: 'asksForNobody',
          actions: [
            {
              type: 'cancel',
              params: ({ context }) => ({ id: questionOf(rules.unwantedUri(context) ?? '') }),
            },
            'noteUnasked',
          ],
        },
        { guard: 'isGranted', actions: tellGranted },
      ],
      states: {
        reading: {
          initial: 'unread',
          states: {
            unread: {
              tags: 'connecting',
              on: {
                'cache.refresh': [...wishes, { target: 'collecting', actions: withEvent('noteRefresh') }],
              },
            },
            collecting: { tags: 'connecting', on: joins, always: collects },
            standby: {
              tags: 'ready',
              on: {
                'cache.refresh': [...wishes, { target: 'refreshing', actions: withEvent('noteRefresh') }],
              },
            },
            refreshing: { tags: 'refreshing', on: joins, always: collects },
            over: {
              entry: tellRefreshed(({ refresh }) => refresh),
              always: [
                { guard: 'isWantedAgain', target: 'refreshing', actions: 'noteFollowing' },
                { target: 'standby' },
              ],
            },
          },
        },
        retrying: {
          initial: 'calm',
          states: {
            calm: {
              entry: 'forgetTries',
              always: { guard: 'isSlow', target: 'pausing' },
            },
            pausing: {
              always: { guard: 'isBack', target: 'calm' },
              after: { pause: 'probing' },
            },
            probing: {
              entry: 'noteProbing',
              always: [
                { guard: 'isBack', target: 'probed' },
                { guard: 'canProbe', actions: ['noteProbe', readUri(({ probed }) => probed.at(-1))] },
              ],
              after: {
                limit: { target: 'probed', actions: [withdraw(({ probed }) => probed), 'noteVain'] },
              },
            },
            // Transient state: when one slow read has arrived, the others are tried at once.
            probed: {
              always: [
                { guard: 'isBack', target: 'calm', actions: tellCome },
                { guard: 'hasCome', target: 'probing', actions: tellCome },
                { target: 'pausing' },
              ],
            },
          },
        },
        timing: {
          initial: 'idle',
          states: {
            idle: {
              entry: [{ type: 'cancel', params: { id: pingQuestion } }, 'noteIdle'],
              always: { guard: 'isReading', target: 'ticking' },
            },
            ticking: {
              always: { guard: not('isReading'), target: 'idle' },
              after: {
                turn: [
                  {
                    guard: 'mustPing',
                    target: 'ticking',
                    reenter: true,
                    actions: [
                      ...takeTick,
                      {
                        type: 'request',
                        params: ({ context: { session } }) => ({
                          id: pingQuestion,
                          target: session,
                          method: 'ping',
                        }),
                      },
                      'notePinging',
                    ],
                  },
                  { target: 'ticking', reenter: true, actions: takeTick },
                ],
              },
            },
          },
        },
      },
    },
    gone: { tags: 'closing', always: [{ guard: 'isAsking', target: 'killed' }, { target: 'closed' }] },
    closing: {
      tags: 'closing',
      on: {
        'cache.list': {},
        'cache.invalidate': {},
        'cache.follow': {},
        'cache.refresh': {},
        'cache.tell': {},
        close: {},
      },
      always: { guard: not('isAsking'), target: 'closed' },
      after: { closeGrace: 'killed' },
    },
    closed: { type: 'final' },
    killed: { type: 'final', tags: 'killed' },
  },
});
