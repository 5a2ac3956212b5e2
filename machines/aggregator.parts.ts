/** What the chart of aggregator.machine.ts is made of: its memory, its actions and guards, its letters. */
import { setup } from 'xstate';
import { assign } from './assign.ts';
import * as rules from './aggregator.rules.ts';
import type {
  AggregateWanted,
  AggregatorNews,
  AggregatorOrder,
  Context,
  Input,
  ResourcesListed,
  ResourceWanted,
} from './aggregator.words.ts';
import { effects, type DirectoryEvent, type OpenRefused, type OwnedEnded } from './effects.ts';
import type { ReadStart } from './read.machine.ts';
import type { ShelfFilled } from './shelf.machine.ts';
import type { Notice } from './systems/index.ts';
import type { ResourcesWatched } from './watch.machine.ts';
import { wireCodes, type Failure } from './wire/failure.ts';

export const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as AggregatorOrder | ShelfFilled | DirectoryEvent,
    tags: {} as 'ready' | 'refreshing' | 'closing',
  },
  actions: {
    ...effects,
    noteListed: assign(({ context }, event: ResourcesListed) => rules.listed(context, event).next),
    noteUpdated: assign(
      ({ context }, event: { readonly server: string; readonly uri: string }) =>
        rules.updated(context, event).next,
    ),
    noteWatched: assign(({ context }, event: ResourcesWatched) => rules.watched(context, event).next),
    noteFilled: assign(({ context }, event: ShelfFilled) => rules.filled(context, event)),
    noteUnopened: assign(({ context }, refused: OpenRefused) => rules.unopened(context, refused)),
    noteBroken: assign(({ context }, ended: OwnedEnded) => rules.broken(context, ended)),
    notePending: assign(({ context }) => rules.pending(context)),
    noteWaiting: assign(({ context }, wanted: AggregateWanted) => ({
      waiting: [...context.waiting, wanted],
    })),
    noteNext: assign(({ context }, wanted: AggregateWanted) => ({ next: [...context.next, wanted] })),
    shift: assign(({ context }) => ({ waiting: context.next, next: [] })),
    noteTold: assign({ isNews: false }),
    noteHeld: assign(({ context }, wanted: ResourceWanted) => ({ held: [...context.held, wanted] })),
    forgetHeld: assign({ held: [] }),
    noteNotices: assign(({ context }, { notices }: { readonly notices: readonly Notice[] }) =>
      rules.noticed(context, notices),
    ),
  },
  guards: {
    isFresh: ({ context }) => context.awaited.length === 0 && rules.unread(context).length === 0,
    isCollected: ({ context }) => context.pending.length === 0,
    isWaited: ({ context }) => context.waiting.length > 0,
    isNews: ({ context }) => context.isNews,
    isListed: ({ context }) => context.awaited.length === 0,
    mustWait: ({ context }, wanted: ResourceWanted) => rules.mustWait(context, wanted),
    isShelf: (_, { kind }: { readonly kind: string }) => kind === 'shelf',
  },
  delays: {
    coalesce: ({ context }) => context.timing.coalesceMs,
    listLimit: ({ context }) => context.timing.shelfMs,
  },
});
type At<E = unknown> = { readonly context: Context; readonly event: E };
const itself = <E>({ event }: { readonly event: E }): E => event;
const opensAnd = <E>(given: (c: Context, event: E) => Pick<rules.Taken, 'opens' | 'letters'>) =>
  [
    { type: 'openAll', params: ({ context, event }: At<E>) => ({ opens: given(context, event).opens }) },
    { type: 'postAll', params: ({ context, event }: At<E>) => ({ letters: given(context, event).letters }) },
  ] as const;

export const takeList = [
  ...opensAnd<ResourcesListed>(rules.listed),
  { type: 'noteListed', params: itself<ResourcesListed> },
] as const;
type Updated = { readonly server: string; readonly uri: string };
export const takeUpdate = [
  ...opensAnd<Updated>(rules.updated),
  { type: 'noteUpdated', params: itself<Updated> },
] as const;
export const takeWatched = [
  ...opensAnd<ResourcesWatched>(rules.watched),
  { type: 'noteWatched', params: itself<ResourcesWatched> },
] as const;
export const noteUnopened = { type: 'noteUnopened', params: itself<OpenRefused> } as const;
/** Two questions under one ticket: the second is not asked. */
export const refuseTwice = {
  type: 'post',
  params: ({ event }: At<OpenRefused>) => rules.refused(event.input as ReadStart, repeated),
} as const;
const repeated: Failure = {
  code: wireCodes.conflict,
  message: 'A question under this ticket is still on its way',
};
export const noteBroken = { type: 'noteBroken', params: itself<OwnedEnded> } as const;
/** What a host should know is told before it is remembered as told. */
const notice = <E>(noticesOf: (c: Context, event: E) => readonly Notice[]) =>
  [
    {
      type: 'postAll',
      params: ({ context: c, event }: At<E>) => ({ letters: rules.noticeLetters(c, noticesOf(c, event)) }),
    },
    {
      type: 'noteNotices',
      params: ({ context, event }: At<E>) => ({ notices: noticesOf(context, event) }),
    },
  ] as const;
export const takeFilled = [
  ...notice<ShelfFilled>(rules.noticesOf),
  { type: 'noteFilled', params: itself<ShelfFilled> },
] as const;
export const openRead = [
  ...notice<ResourceWanted>(rules.routeNotices),
  ...opensAnd<ResourceWanted>(rules.reading),
] as const;
const allOf = (c: Context): Pick<rules.Taken, 'opens' | 'letters'> => {
  const all = c.held.map((wanted) => rules.reading(c, wanted));
  return { opens: all.flatMap(({ opens }) => opens), letters: all.flatMap(({ letters }) => letters) };
};
export const openHeld = [
  ...notice<unknown>((c) => c.held.flatMap((wanted) => rules.routeNotices(c, wanted))),
  ...opensAnd<unknown>(allOf),
  'forgetHeld',
] as const;
export const answerNow = {
  type: 'post',
  params: ({ context, event }: At<AggregateWanted>) => rules.shown(context, event, null),
} as const;
export const answerAll = {
  type: 'postAll',
  params: ({ context }: At) => ({
    letters: context.waiting.map((wanted) => rules.shown(context, wanted, null)),
  }),
} as const;
const closing: Failure = { code: wireCodes.internal, message: 'The computer is closing' };
/** Nobody waits for one who is no more. */
export const refuseAll = {
  type: 'postAll',
  params: ({ context: c }: At) => ({
    letters: [
      ...[...c.waiting, ...c.next].map((wanted) => rules.shown(c, wanted, closing)),
      ...c.held.map((wanted) => rules.refused(wanted, closing)),
    ],
  }),
} as const;
export const fillAll = [...opensAnd<unknown>(rules.filling), 'notePending'] as const;
export const tell = [
  {
    type: 'post',
    params: ({ context: { owner, system } }: At) => {
      const event: AggregatorNews = { type: 'aggregate.changed', system };
      return { to: owner, event };
    },
  },
  'noteTold',
] as const;
