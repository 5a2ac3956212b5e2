/** What the chart of shelf.machine.ts is made of: its memory, its actions and guards, its letters. */
import { setup } from 'xstate';
import { assign } from '../kernel/assign.ts';
import { effects, type DirectoryEvent } from '../kernel/effects.ts';
import type { AskFact } from '../kernel/ports.ts';
import * as rules from './shelf.rules.ts';
import type { Context, Input, ShelfOrder } from './shelf.rules.ts';
import { backoffOfList } from '../kernel/timing.ts';
import type { Failure } from '../protocol/failure.ts';

type Fill = Extract<ShelfOrder, { type: 'shelf.fill' }>;
export interface Told {
  readonly upTo: number;
  readonly isCut: boolean;
}
export const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as AskFact | ShelfOrder | DirectoryEvent,
    tags: {} as 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    noteList: assign(({ context }, order: { readonly uris: readonly string[] }) =>
      rules.listed(context, order),
    ),
    noteSpoilt: assign(({ context }, order: { readonly uris: readonly string[] }) =>
      rules.spoilt(context, order),
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
    noteFill: assign(({ context }, fill: Fill) => rules.filling(context, fill)),
    noteJoined: assign(({ context }, fill: Fill) => rules.joining(context, fill)),
    noteFollowing: assign(({ context }) => rules.following(context)),
    noteCome: assign(({ context: c }) => (c.fill > c.told ? {} : rules.told(c, c.told, false))),
    noteTold: assign(({ context }, { upTo, isCut }: Told) => rules.told(context, upTo, isCut)),
  },
  guards: {
    canAsk: ({ context: c }) => c.asked.length < rules.mostAsked && rules.hasStale(c),
    isDone: ({ context: c }) => !rules.hasStale(c) && c.asked.length === 0,
    isWantedAgain: ({ context }) => context.nextFill > 0,
    asksForNobody: ({ context }) => rules.unwanted(context) !== undefined,
    isSlow: ({ context }) => context.slow.length > 0,
    isBack: ({ context }) => context.slow.length === 0,
    canProbe: ({ context }) => rules.unprobed(context) !== undefined,
    hasCome: ({ context: { slow, slowBefore } }) => slow.length < slowBefore,
  },
  delays: {
    limit: ({ context }) => context.timing.shelfMs,
    pause: ({ context: { timing, tries } }) => backoffOfList(timing, tries + 1),
  },
});
type At = { readonly context: Context };
export const read = (uriOf: (c: Context) => string | undefined) =>
  ({
    type: 'ask',
    params: ({ context: c }: At) => {
      const uri = uriOf(c) ?? '';
      return { id: rules.questionOf(uri), session: c.session, method: 'resources/read', params: { uri } };
    },
  }) as const;
export const withdraw = (uriOf: (c: Context) => string | undefined) =>
  ({
    type: 'withdraw',
    params: ({ context }: At) => ({ id: rules.questionOf(uriOf(context) ?? '') }),
  }) as const;
const places = [0, 1, 2, 3] as const;
export const tell = (upTo: (c: Context) => number, isCut = false) =>
  [
    {
      type: 'post',
      params: ({ context: c }: At) => ({ to: c.owner, event: rules.filled(c, upTo(c), isCut) }),
    },
    { type: 'noteTold', params: ({ context }: At) => ({ upTo: upTo(context), isCut }) },
  ] as const;
export const itself = <E>({ event }: { readonly event: E }): E => event;
export const cut = [
  {
    type: 'post',
    params: ({ context: c, event: { n } }: At & { readonly event: { readonly n: number } }) => ({
      to: c.owner,
      event: rules.filled(c, n, true),
    }),
  },
  {
    type: 'noteTold',
    params: ({ event: { n } }: { readonly event: { readonly n: number } }) => ({ upTo: n, isCut: true }),
  },
] as const;
/** While it is read for somebody the end of that tells it, too. */
export const tellCome = [
  {
    type: 'postAll',
    params: ({ context: c }: At) => ({
      letters: c.fill > c.told ? [] : [{ to: c.owner, event: rules.filled(c, c.told, false) }],
    }),
  },
  { type: 'noteCome' },
] as const;
export const withdrawn = (of: (c: Context) => readonly string[]) =>
  places.map((place) => withdraw((c) => of(c)[place]));
