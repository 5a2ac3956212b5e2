/** What the chart of aggregator.machine.ts is made of: its memory, its actions and guards, its letters. */
import { assign, setup } from 'xstate';
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
import { effects, type DirectoryEvent, type OwnedEnded } from './effects.ts';
import type { ShelfFilled } from './shelf.machine.ts';
import { wireCodes } from './wire/failure.ts';

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
    noteFilled: assign(({ context }, event: ShelfFilled) => rules.filled(context, event)),
    noteBroken: assign(({ context }, ended: OwnedEnded) => rules.broken(context, ended)),
    notePending: assign(({ context }) => rules.pending(context)),
    noteWaiting: assign(({ context }, wanted: AggregateWanted) => ({
      waiting: [...context.waiting, wanted],
    })),
    noteNext: assign(({ context }, wanted: AggregateWanted) => ({ next: [...context.next, wanted] })),
    shift: assign(({ context }) => ({ waiting: context.next, next: [] })),
    noteTold: assign({ isNews: false }),
  },
  guards: {
    isFresh: ({ context }) => rules.unread(context).length === 0,
    isCollected: ({ context }) => context.pending.length === 0,
    isWaited: ({ context }) => context.waiting.length > 0,
    isNews: ({ context }) => context.isNews,
    isShelf: (_, ended: OwnedEnded) => ended.kind === 'shelf',
  },
  delays: { coalesce: ({ context }) => context.timing.coalesceMs },
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
export const noteBroken = { type: 'noteBroken', params: itself<OwnedEnded> } as const;
export const openRead = opensAnd<ResourceWanted>(rules.reading);
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
/** Nobody waits for one who is no more. */
export const refuseAll = {
  type: 'postAll',
  params: ({ context: c }: At) => ({
    letters: [...c.waiting, ...c.next].map((wanted) =>
      rules.shown(c, wanted, { code: wireCodes.internal, message: 'The computer is closing' }),
    ),
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
