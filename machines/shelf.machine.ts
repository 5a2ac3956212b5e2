/**
 * What one server shows of one system: its windows, or its documents. It reads them when somebody wants them, keeps what it
 * has read, and reads again only what has changed since.
 *
 * resting — nobody waits: filled, or some have changed and nobody has asked for them yet
 * reading — what is new or has changed is read, a few at a time; over when each was read or refused, or after its time
 * closed  — final
 *
 * A window or document that cannot be read falls alone, and a server that does not answer costs its own ones only.
 */
import { setup, type ActorRefFrom } from 'xstate';
import { assign } from './assign.ts';
import { effects, type DirectoryEvent } from './effects.ts';
import type { AskFact } from './ports.ts';
import {
  answered,
  both,
  listed,
  mostAsked,
  questionOf,
  took,
  reasonOf,
  spoilt,
  unwanted,
  uriOf,
  without,
  type Context,
  type Input,
  type ShelfFilled,
  type ShelfOrder,
} from './shelf.rules.ts';
import type { Failure } from './wire/failure.ts';

export type { ShelfFilled, ShelfOrder, ShelfStart } from './shelf.rules.ts';

const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as AskFact | ShelfOrder | DirectoryEvent,
    tags: {} as 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    noteList: assign(({ context }, order: { readonly uris: readonly string[] }) => listed(context, order)),
    noteSpoilt: assign(({ context }, order: { readonly uris: readonly string[] }) => spoilt(context, order)),
    /** One that changed while it was read is asked for again: the older question is withdrawn by its id. */
    noteNext: assign(({ context: { stale, asked, asks } }) => ({
      asks: { ...asks, [stale[0] ?? '']: (asks[stale[0] ?? ''] ?? 0) + 1 },
      asked: [...without(asked, stale.slice(0, 1)), ...stale.slice(0, 1)],
      stale: stale.slice(1),
    })),
    noteAnswer: assign(({ context }, fact: { readonly id: string; readonly result: unknown }) =>
      answered(context, fact),
    ),
    noteRefusal: assign(({ context }, fact: { readonly id: string; readonly failure: Failure }) =>
      took(context, uriOf(fact), { items: [], failure: fact.failure }),
    ),
    noteUnasked: assign(({ context }) => ({ asked: without(context.asked, [unwanted(context) ?? '']) })),
    noteWithdrawn: assign(({ context: { stale, asked } }) => ({
      isLate: true,
      stale: [...asked.slice(0, 1), ...without(stale, asked.slice(0, 1))],
      asked: asked.slice(1),
    })),
    /** What was refused the last time is tried again. */
    noteFill: assign(
      ({ context: { uris, stale, later, held } }, { anew }: { readonly anew: readonly string[] }) => ({
        ...{ isLate: false, asks: {}, later: [] },
        stale: [
          ...new Set([...stale, ...later, ...uris.filter((uri) => held[uri]?.failure), ...both(anew, uris)]),
        ],
      }),
    ),
  },
  guards: {
    canAsk: ({ context: { stale, asked } }) => asked.length < mostAsked && stale.length > 0,
    isDone: ({ context: { stale, asked } }) => stale.length === 0 && asked.length === 0,
    asksForNobody: ({ context }) => unwanted(context) !== undefined,
    isAsking: ({ context: { asked } }) => asked.length > 0,
  },
  delays: { limit: ({ context }) => context.timing.shelfMs },
});
type At = { readonly context: Context };
const askLast = {
  type: 'ask',
  params: ({ context: { asked, session } }: At) => {
    const uri = asked.at(-1) ?? '';
    return { id: questionOf(uri), session, method: 'resources/read', params: { uri } };
  },
} as const;
const withdrawFirst = {
  type: 'withdraw',
  params: ({ context: { asked } }: At) => ({ id: questionOf(asked[0] ?? '') }),
} as const;
const withdrawUnwanted = {
  type: 'withdraw',
  params: ({ context }: At) => ({ id: questionOf(unwanted(context) ?? '') }),
} as const;
const tell = {
  type: 'post',
  params: ({ context: c }: At) => ({
    to: c.owner,
    event: {
      type: 'shelf.filled',
      server: c.server,
      items: c.uris.flatMap((uri) => c.held[uri]?.items ?? []),
      reason: reasonOf(c),
      changes: c.changes,
      isFresh: c.later.length === 0,
    } satisfies ShelfFilled,
  }),
} as const;
const list = {
  type: 'noteList',
  params: ({ event }: { event: { readonly uris: readonly string[] } }) => event,
} as const;
const spoil = {
  type: 'noteSpoilt',
  params: ({ event }: { event: { readonly uris: readonly string[] } }) => event,
} as const;

const fill = {
  type: 'noteFill',
  params: ({ event }: { event: { readonly anew: readonly string[] } }) => event,
} as const;

export const shelfMachine = parts.createMachine({
  id: 'shelf',
  context: ({ input }) => ({
    ...input,
    ...{ uris: [], held: {}, stale: [], asked: [], asks: {}, later: [] },
    ...{ isLate: false, changes: 0 },
  }),
  initial: 'resting',
  on: { 'shelf.list': { actions: list }, 'shelf.spoil': { actions: spoil }, close: '.closed' },
  states: {
    resting: { tags: 'ready', on: { 'shelf.fill': { target: 'reading', actions: fill } } },
    reading: {
      tags: 'refreshing',
      initial: 'asking',
      on: {
        /** Who asks once more in between hears the same answer. */
        'shelf.fill': {},
        'shelf.list': { target: '.asking', actions: list },
        'shelf.spoil': { target: '.asking', actions: spoil },
      },
      after: { limit: 'late' },
      states: {
        asking: {
          always: [
            {
              guard: 'asksForNobody',
              target: 'asking',
              reenter: true,
              actions: [withdrawUnwanted, 'noteUnasked'],
            },
            { guard: 'canAsk', target: 'asking', reenter: true, actions: ['noteNext', askLast] },
            { guard: 'isDone', target: '#shelf.resting', actions: tell },
            { target: 'awaiting' },
          ],
        },
        awaiting: {
          on: {
            'ask.answered': {
              target: 'asking',
              actions: { type: 'noteAnswer', params: ({ event }) => event },
            },
            'ask.refused': {
              target: 'asking',
              actions: { type: 'noteRefusal', params: ({ event }) => event },
            },
          },
        },
      },
    },
    /** Passed through: what was not answered in time is asked for the next time. */
    late: {
      always: [
        { guard: 'isAsking', target: 'late', reenter: true, actions: [withdrawFirst, 'noteWithdrawn'] },
        { target: 'resting', actions: tell },
      ],
    },
    closed: { type: 'final' },
  },
});
export type ShelfRef = ActorRefFrom<typeof shelfMachine>;
