/** Parts of the chart of server-cache.machine.ts: its memory, its actions and guards, its messages. */
import { assign, setup } from 'xstate';
import { effects, post, type DirectoryEvent } from '../../kernel/effects.ts';
import type { RequestFact } from '../../kernel/ports.ts';
import { backoffOfList } from '../../kernel/timing.ts';
import type { Failure } from '../../protocol/failure.ts';
import * as asked from './server-cache.asked.ts';
import type { CacheOrder, Context, Input } from './server-cache.events.ts';
import { hasStale, isAsking, questionOf, unasked } from './server-cache.memory.ts';
import * as rules from './server-cache.rules.ts';
import * as telling from './server-cache.telling.ts';

type Refresh = Extract<CacheOrder, { type: 'cache.refresh' }>;
const pingQuestion = 'ping';
export interface Told {
  readonly upTo: number;
  readonly isTruncated: boolean;
}
export const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as RequestFact | CacheOrder | DirectoryEvent,
    tags: {} as 'connecting' | 'ready' | 'refreshing' | 'closing' | 'killed',
  },
  actions: {
    ...effects,
    noteList: assign(({ context }, order: { readonly uris: readonly string[] }) =>
      rules.listed(context, order),
    ),
    noteInvalidated: assign(({ context }, order: { readonly uris: readonly string[] }) =>
      rules.invalidated(context, order),
    ),
    noteNext: assign(({ context }) => asked.asking(context)),
    noteProbe: assign(({ context }) => asked.probing(context)),
    noteProbing: assign(({ context }) => ({ slowBefore: context.slow.length })),
    noteAnswer: assign(({ context }, fact: { readonly id: string; readonly result: unknown }) =>
      rules.answered(context, fact),
    ),
    noteRefusal: assign(({ context }, fact: { readonly id: string; readonly failure: Failure }) =>
      rules.refused(context, fact),
    ),
    noteUnasked: assign(({ context }) => unasked(context, asked.unwanted(context) ?? '')),
    noteTick: assign(({ context }) => asked.ticked(context)),
    notePinging: assign({ isPinging: true }),
    noteAlive: assign(({ context }) => asked.released(context)),
    noteIdle: assign({ ticks: 0, isPinging: false }),
    noteOver: assign(({ context }) => asked.ended(context, asked.overWithQuestion(context))),
    noteWish: assign(({ context }, refresh: Refresh) => asked.wishing(context, refresh)),
    noteGranted: assign(({ context }, { orders }: { readonly orders: readonly number[] }) =>
      asked.withoutWishes(context, orders),
    ),
    noteVain: assign(({ context }) => asked.probedInVain(context)),
    forgetTries: assign({ tries: 0 }),
    noteRefresh: assign(({ context }, refresh: Refresh) => rules.refreshing(context, refresh)),
    noteJoined: assign(({ context }, refresh: Refresh) => rules.joining(context, refresh)),
    noteFollowing: assign(({ context }) => rules.following(context)),
    noteCome: assign(({ context: c }) => (c.refresh > c.told ? {} : telling.told(c, c.told, false))),
    noteTold: assign(({ context }, { upTo, isTruncated }: Told) => telling.told(context, upTo, isTruncated)),
  },
  guards: {
    canAsk: ({ context }) => asked.canAsk(context),
    isDone: ({ context: c }) => !hasStale(c) && c.asked.length === 0,
    isWantedAgain: ({ context }) => context.nextRefresh > 0,
    asksForNobody: ({ context }) => asked.unwanted(context) !== undefined,
    isAsking: ({ context }) => isAsking(context),
    isReading: ({ context }) => context.asked.length > 0,
    mustPing: ({ context }) => asked.mustPing(context),
    isPing: (_, { id }: { readonly id: string }) => id === pingQuestion,
    isForOne: (_, { only }: Pick<Refresh, 'only'>) => only !== undefined,
    isUnreadOne: ({ context }, refresh: Refresh) =>
      refresh.only !== undefined && asked.wantsRead(context, refresh),
    isGranted: ({ context }) => asked.granted(context).length > 0,
    isWish: ({ context }, { n }: { readonly n: number }) => context.wishes.some((wish) => wish.n === n),
    isAtOnce: (_, { isNow }: { readonly isNow?: true }) => isNow === true,
    isSlow: ({ context }) => context.slow.length > 0,
    isBack: ({ context }) => context.slow.length === 0,
    canProbe: ({ context }) => asked.unprobed(context) !== undefined,
    hasCome: ({ context: { slow, slowBefore } }) => slow.length < slowBefore,
  },
  delays: {
    turn: ({ context }) => context.timing.turnMs,
    limit: ({ context }) => context.timing.aggregateMs,
    closeGrace: ({ context }) => context.timing.closeGraceMs,
    pause: ({ context: { timing, tries } }) => backoffOfList(timing, tries + 1),
  },
});
type At<E = unknown> = { readonly context: Context; readonly event: E };
const reading = (uri: string, { session }: Context) => ({
  id: questionOf(uri),
  target: session,
  method: 'resources/read',
  params: { uri },
});
export const read = (uriOf: (c: Context) => string | undefined) =>
  ({ type: 'request', params: ({ context: c }: At) => reading(uriOf(c) ?? '', c) }) as const;
export const readOne = {
  type: 'request',
  params: ({ context: c, event: { only = '' } }: At<Pick<Refresh, 'only'>>) => reading(only, c),
} as const;
export const ping = {
  type: 'request',
  params: ({ context: { session } }: At) => ({ id: pingQuestion, target: session, method: 'ping' }),
} as const;
export const withdrawPing = { type: 'cancel', params: { id: pingQuestion } } as const;
/** Tells its server that these reads are cancelled. */
export const withdraw = (urisOf: (c: Context) => readonly string[]) =>
  parts.enqueueActions(({ enqueue, context }) => {
    for (const uri of urisOf(context)) enqueue({ type: 'cancel', params: { id: questionOf(uri) } });
  });
export const withdrawUnwanted = {
  type: 'cancel',
  params: ({ context }: At) => ({ id: questionOf(asked.unwanted(context) ?? '') }),
} as const;
/** Reads whose time is over are cancelled with each tick. */
export const tick = [withdraw(asked.over), 'noteTick'] as const;

export const tell = (upTo: (c: Context) => number) =>
  [
    {
      type: 'post',
      params: ({ context: c }: At) => post(c.owner, telling.refreshed(c, upTo(c), false)),
    },
    { type: 'noteTold', params: ({ context }: At) => ({ upTo: upTo(context), isTruncated: false }) },
  ] as const;
export const eventAsParams = <E>({ event }: { readonly event: E }): E => event;
/** Somebody waits no longer: what is there is told, and a read that hangs holds up nobody any more. */
export const truncate = [
  {
    type: 'post',
    params: ({ context: c, event: { n } }: At<{ readonly n: number }>) =>
      post(c.owner, telling.refreshed(c, n, true)),
  },
  {
    type: 'noteTold',
    params: ({ event: { n } }: { readonly event: { readonly n: number } }) => ({
      upTo: n,
      isTruncated: true,
    }),
  },
  withdraw(asked.overWithQuestion),
  'noteOver',
] as const;
const tellAlone = <E>(ordersOf: (c: Context, event: E) => readonly number[]) =>
  [
    {
      type: 'post',
      params: ({ context: c, event }: At<E>) => post(c.owner, telling.alone(c, ordersOf(c, event))),
    },
    {
      type: 'noteGranted',
      params: ({ context: c, event }: At<E>) => ({ orders: ordersOf(c, event) }),
    },
  ] as const;
export const tellGranted = tellAlone<unknown>(asked.granted);
export const truncateWish = tellAlone<{ readonly n: number }>((_, { n }) => [n]);
/** While it is read for somebody the end of that tells it, too. */
export const tellCome = [
  {
    type: 'postAll',
    params: ({ context: c }: At) => ({
      messages: c.refresh > c.told ? [] : [post(c.owner, telling.refreshed(c, c.told, false))],
    }),
  },
  { type: 'noteCome' },
] as const;
