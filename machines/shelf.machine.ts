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
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { Address } from './address.ts';
import { effects, type DirectoryEvent } from './effects.ts';
import type { AskFact } from './ports.ts';
import { contentsIn, systems, type System } from './systems/index.ts';
import type { TimingOf } from './timing.ts';
import type { Failure } from './wire/failure.ts';

export interface ShelfStart {
  readonly server: string;
  readonly system: System;
  /** The address that opened the session: questions go there. */
  readonly session: Address;
  readonly timing: TimingOf<'shelf'>;
}
export type ShelfOrder =
  /** These are listed from now on; what is known of others is forgotten. */
  | { readonly type: 'shelf.list'; readonly uris: readonly string[] }
  /** What it knows of these is old. */
  | { readonly type: 'shelf.spoil'; readonly uris: readonly string[] }
  /** Somebody wants all of it; these are read whatever is known of them already. Answered by `shelf.filled`. */
  | { readonly type: 'shelf.fill'; readonly anew: readonly string[] }
  | { readonly type: 'close' };
/** What is on it now. */
export interface ShelfFilled {
  readonly type: 'shelf.filled';
  readonly server: string;
  readonly items: readonly object[];
  /** Why not all that is listed is there; null: all is. */
  readonly reason: string | null;
  /** How often it had been told of a change when it was asked: what it was told of later is not in it. */
  readonly changes: number;
}
type Input = ShelfStart & { readonly self: Address; readonly owner: Address };
/** What a read of one URI gave. */
interface Held {
  readonly items: readonly object[];
  readonly failure: Failure | null;
}
interface Context extends Input {
  readonly uris: readonly string[];
  readonly held: Readonly<Record<string, Held>>;
  /** To be read, in order. */
  readonly stale: readonly string[];
  /** Being read. */
  readonly asked: readonly string[];
  readonly isLate: boolean;
  readonly changes: number;
}

/** One server is asked so many questions at a time. */
const mostAsked = 4;

const rulesOf = ({ system }: Context) => systems[system];
const questionOf = (uri: string): string => `read ${uri}`;
const uriOf = ({ id }: { readonly id: string }): string => id.slice(questionOf('').length);
const without = (all: readonly string[], some: readonly string[]): readonly string[] => {
  const gone = new Set(some);
  return gone.size === 0 ? all : all.filter((each) => !gone.has(each));
};
const both = (some: readonly string[], others: readonly string[]): readonly string[] => {
  const known = new Set(others);
  return some.filter((each) => known.has(each));
};
/** What is known of what is listed no more is forgotten; what is being read of it comes for nobody. */
function listed(c: Context, { uris }: { readonly uris: readonly string[] }): Partial<Context> {
  const wanted = new Set(uris);
  const held = Object.fromEntries(Object.entries(c.held).filter(([uri]) => wanted.has(uri)));
  const known = new Set(Object.keys(held).concat(c.asked));
  const fresh = uris.filter((uri) => !known.has(uri));
  const stale = c.stale.filter((uri) => wanted.has(uri) && !fresh.includes(uri));
  return { uris, held, stale: [...stale, ...fresh], changes: c.changes + 1 };
}
const spoilt = (c: Context, { uris }: { readonly uris: readonly string[] }): Partial<Context> => ({
  stale: [...new Set([...c.stale, ...uris.filter((uri) => c.uris.includes(uri))])],
  changes: c.changes + 1,
});
function took(c: Context, uri: string, given: Held): Partial<Context> {
  const asked = c.asked.filter((each) => each !== uri);
  return c.uris.includes(uri) ? { asked, held: { ...c.held, [uri]: given } } : { asked };
}
function answered(c: Context, fact: { readonly id: string; readonly result: unknown }): Partial<Context> {
  const uri = uriOf(fact);
  const read = contentsIn(fact.result);
  const items = read.ok ? rulesOf(c).itemsOf(read.body, uri, c.server) : read;
  return took(
    c,
    uri,
    items.ok ? { items: items.body, failure: null } : { items: [], failure: items.failure },
  );
}
/** Why not all is there: the first reason stands for all. */
function reasonOf({ isLate, stale, asked, uris, held, timing }: Context): string | null {
  const open = new Set([...stale, ...asked]).size;
  if (isLate && open > 0) return `${open} of ${uris.length} could not be read within ${timing.shelfMs} ms`;
  const failed = uris.flatMap((uri) => (held[uri]?.failure ? [`${uri}: ${held[uri].failure.message}`] : []));
  const [first] = failed;
  return first === undefined
    ? null
    : failed.length === 1
      ? first
      : `${first} (and ${failed.length - 1} more)`;
}

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
    noteNext: assign(({ context: { stale, asked } }) => ({
      asked: [...without(asked, stale.slice(0, 1)), ...stale.slice(0, 1)],
      stale: stale.slice(1),
    })),
    noteAnswer: assign(({ context }, fact: { readonly id: string; readonly result: unknown }) =>
      answered(context, fact),
    ),
    noteRefusal: assign(({ context }, fact: { readonly id: string; readonly failure: Failure }) =>
      took(context, uriOf(fact), { items: [], failure: fact.failure }),
    ),
    noteWithdrawn: assign(({ context: { stale, asked } }) => ({
      isLate: true,
      stale: [...asked.slice(0, 1), ...without(stale, asked.slice(0, 1))],
      asked: asked.slice(1),
    })),
    /** What was refused the last time is tried again. */
    noteFill: assign(
      ({ context: { uris, stale, held } }, { anew }: { readonly anew: readonly string[] }) => ({
        isLate: false,
        stale: [...new Set([...stale, ...uris.filter((uri) => held[uri]?.failure), ...both(anew, uris)])],
      }),
    ),
  },
  guards: {
    canAsk: ({ context: { stale, asked } }) => asked.length < mostAsked && stale.length > 0,
    isDone: ({ context: { stale, asked } }) => stale.length === 0 && asked.length === 0,
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
  context: ({ input }) => ({ ...input, uris: [], held: {}, stale: [], asked: [], isLate: false, changes: 0 }),
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
