/** What the chart of server-cache.machine.ts is made of: its memory, its actions and guards, its messages. */
import { setup } from 'xstate';
import { assign } from '../kernel/assign.ts';
import { effects, post, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import * as rules from './server-cache.rules.ts';
import * as telling from './server-cache.telling.ts';
import type { Context, Input, CacheOrder } from './server-cache.rules.ts';
import { backoffOfList } from '../kernel/timing.ts';
import type { Failure } from '../protocol/failure.ts';

type Refresh = Extract<CacheOrder, { type: 'cache.refresh' }>;
export interface Told {
  readonly upTo: number;
  readonly isTruncated: boolean;
}
export const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as RequestFact | CacheOrder | DirectoryEvent,
    tags: {} as 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    noteList: assign(({ context }, order: { readonly uris: readonly string[] }) =>
      rules.listed(context, order),
    ),
    noteInvalidated: assign(({ context }, order: { readonly uris: readonly string[] }) =>
      rules.invalidated(context, order),
    ),
    noteNext: assign(({ context }) => rules.asking(context)),
    noteProbe: assign(({ context }) => rules.probing(context)),
    noteProbing: assign(({ context }) => ({ slowBefore: context.slow.length })),
    noteAnswer: assign(({ context }, fact: { readonly id: string; readonly result: unknown }) =>
      rules.answered(context, fact),
    ),
    noteRefusal: assign(({ context }, fact: { readonly id: string; readonly failure: Failure }) =>
      rules.refused(context, fact),
    ),
    noteUnasked: assign(({ context }) => rules.unasked(context, rules.unwanted(context) ?? '')),
    noteLate: assign(({ context }) => rules.late(context)),
    noteVain: assign(({ context }) => rules.probedInVain(context)),
    forgetTries: assign({ tries: 0 }),
    noteRefresh: assign(({ context }, refresh: Refresh) => rules.refreshing(context, refresh)),
    noteJoined: assign(({ context }, refresh: Refresh) => rules.joining(context, refresh)),
    noteFollowing: assign(({ context }) => rules.following(context)),
    noteCome: assign(({ context: c }) => (c.refresh > c.told ? {} : telling.told(c, c.told, false))),
    noteTold: assign(({ context }, { upTo, isTruncated }: Told) => telling.told(context, upTo, isTruncated)),
  },
  guards: {
    canAsk: ({ context: c }) => c.asked.length < rules.mostAsked && rules.hasStale(c),
    isDone: ({ context: c }) => !rules.hasStale(c) && c.asked.length === 0,
    isWantedAgain: ({ context }) => context.nextRefresh > 0,
    asksForNobody: ({ context }) => rules.unwanted(context) !== undefined,
    isSlow: ({ context }) => context.slow.length > 0,
    isBack: ({ context }) => context.slow.length === 0,
    canProbe: ({ context }) => rules.unprobed(context) !== undefined,
    hasCome: ({ context: { slow, slowBefore } }) => slow.length < slowBefore,
  },
  delays: {
    limit: ({ context }) => context.timing.aggregateMs,
    pause: ({ context: { timing, tries } }) => backoffOfList(timing, tries + 1),
  },
});
type At = { readonly context: Context };
export const read = (uriOf: (c: Context) => string | undefined) =>
  ({
    type: 'request',
    params: ({ context: c }: At) => {
      const uri = uriOf(c) ?? '';
      return { id: rules.questionOf(uri), target: c.session, method: 'resources/read', params: { uri } };
    },
  }) as const;
export const withdraw = (uriOf: (c: Context) => string | undefined) =>
  ({
    type: 'cancel',
    params: ({ context }: At) => ({ id: rules.questionOf(uriOf(context) ?? '') }),
  }) as const;
const places = [0, 1, 2, 3] as const;
export const tell = (upTo: (c: Context) => number, isTruncated = false) =>
  [
    {
      type: 'post',
      params: ({ context: c }: At) => post(c.owner, telling.refreshed(c, upTo(c), isTruncated)),
    },
    { type: 'noteTold', params: ({ context }: At) => ({ upTo: upTo(context), isTruncated }) },
  ] as const;
export const eventAsParams = <E>({ event }: { readonly event: E }): E => event;
export const truncate = [
  {
    type: 'post',
    params: ({ context: c, event: { n } }: At & { readonly event: { readonly n: number } }) =>
      post(c.owner, telling.refreshed(c, n, true)),
  },
  {
    type: 'noteTold',
    params: ({ event: { n } }: { readonly event: { readonly n: number } }) => ({
      upTo: n,
      isTruncated: true,
    }),
  },
] as const;
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
export const withdrawn = (of: (c: Context) => readonly string[]) =>
  places.map((place) => withdraw((c) => of(c)[place]));
