/** What the chart of view.machine.ts is made of: its words, its memory, what it asks and says. */
import { assign, setup } from 'xstate';
import type { Address, AddressFor } from '../kernel/address.ts';
import { effects, post, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import { remembered } from '../kernel/remembered.ts';
import {
  collections,
  type Gathered,
  type Reading,
  type Collection,
  type CollectionValues,
} from './collections/index.ts';
import type { ResourceCollection } from '../resources/collections/index.ts';
import type { TimingOf } from '../kernel/timing.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';

export interface ViewStart {
  readonly computer: string;
  readonly agent: string;
  readonly collection: Collection;
  /** The link over which it asks. */
  readonly link: Address;
  readonly timing: TimingOf<'view'>;
}
export type ViewOrder =
  | { readonly type: 'view.refresh' }
  /** The host asks that computer the same by itself: whoever rests tries again. */
  | { readonly type: 'view.wake' }
  | { readonly type: 'close' };
/** `failure`: the tools could not be had; the view asks again. */
export interface ViewToolsChanged {
  readonly type: 'view.toolsChanged';
  readonly computer: string;
  readonly tools: CollectionValues['tools'] | null;
  readonly failure: Failure | null;
}
/** The same of a Desktop or a Finder. */
export type ViewCollectionChanged = {
  readonly [S in ResourceCollection]: {
    readonly type: 'view.collectionChanged';
    readonly computer: string;
    readonly collection: S;
    readonly value: CollectionValues[S] | null;
    readonly failure: Failure | null;
  };
}[ResourceCollection];
export type ViewNews = ViewToolsChanged | ViewCollectionChanged;

export interface Context extends ViewStart {
  readonly self: Address;
  readonly owner: AddressFor<ViewNews>;
  /** As its subject has it; null: nothing is known. */
  readonly value: unknown;
  readonly failure: Failure | null;
  /** Between two pages. */
  readonly gathered: Gathered | null;
  readonly asked: number;
  /** Questions in a row that failed. */
  readonly failures: number;
}
type Answered = { readonly result: unknown };

export const newsOf = (
  collection: Collection,
  computer: string,
  value: unknown,
  failure: Failure | null,
): ViewNews =>
  collection === 'tools'
    ? { type: 'view.toolsChanged', computer, tools: value as ViewToolsChanged['tools'], failure }
    : ({ type: 'view.collectionChanged', computer, collection, value, failure } as ViewCollectionChanged);

const reqIdOf = (c: Context): string => `${c.collection}.${c.computer}.${c.asked}`;
/** An answer is read once, however many guards ask what it is. */
const readingsOf = remembered((c: Context) =>
  remembered(({ result }: Answered): Reading<unknown> =>
    collections[c.collection].read(result, reqIdOf(c), c.gathered),
  ),
);
const reading = (c: Context, event: Answered): Reading<unknown> => readingsOf(c)(event);

/** Who has too much to do knows the question, and without a link nobody was asked. */
const passing: ReadonlySet<Failure['code']> = new Set([wireCodes.tooMany, 'LinkLost']);
const failed = (c: Context, failure: Failure): Partial<Context> => ({
  failure,
  gathered: null,
  failures: passing.has(failure.code) ? c.failures : c.failures + 1,
});

export const tellOwner = {
  type: 'post',
  params: ({ context: c }: { context: Context }) =>
    post(c.owner, newsOf(c.collection, c.computer, c.value, c.failure)),
} as const;
export const ask = [
  'countQuestion',
  {
    type: 'request',
    params: ({ context: c }: { context: Context }) => ({
      id: c.collection,
      target: c.link,
      method: collections[c.collection].method,
      params: {
        agent: c.agent,
        req_id: reqIdOf(c),
        computer: c.computer,
        ...collections[c.collection].fieldsOf(c.gathered),
      },
    }),
  },
] as const;
export const withdraw = {
  type: 'cancel',
  params: ({ context: c }: { context: Context }) => ({ id: c.collection }),
} as const;

export const parts = setup({
  types: {
    context: {} as Context,
    input: {} as ViewStart & Pick<Context, 'self' | 'owner'>,
    events: {} as RequestFact | ViewOrder | DirectoryEvent,
    tags: {} as 'connecting' | 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    countQuestion: assign({ asked: ({ context }) => context.asked + 1 }),
    rememberValue: assign(({ context }, event: Answered) => {
      const read = reading(context, event);
      return read.step === 'whole' ? { value: read.value, failure: null, gathered: null, failures: 0 } : {};
    }),
    rememberPart: assign(({ context }, event: Answered) => {
      const read = reading(context, event);
      return read.step === 'part' ? { gathered: read.gathered } : {};
    }),
    rememberBadAnswer: assign(({ context }, event: Answered) => {
      const read = reading(context, event);
      return read.step === 'unreadable' ? failed(context, read.failure) : {};
    }),
    rememberFailure: assign(({ context }, { failure }: { failure: Failure }) => failed(context, failure)),
    rememberTimeout: assign(({ context }) => {
      const { computer, timing } = context;
      return failed(context, {
        code: wireCodes.timeout,
        message: `Computer '${computer}' did not answer within ${timing.queryMs + timing.agentMarginMs} ms`,
      });
    }),
    forgetPages: assign({ gathered: null }),
    forgetFailures: assign({ failures: 0 }),
  },
  guards: {
    isWhole: ({ context }, event: Answered) => reading(context, event).step === 'whole',
    isPart: ({ context }, event: Answered) => reading(context, event).step === 'part',
    /** A computer that does not know the question is not asked for ever. */
    isSpent: ({ context: { collection, failures } }) =>
      failures >= (collections[collection].tries ?? Infinity),
  },
  delays: {
    query: ({ context: { timing: t } }) => t.queryMs + t.agentMarginMs,
    refetch: ({ context }) => context.timing.refetchMs,
  },
});

const answerOf = ({ event }: { event: Answered }) => event;
const failureOf = ({ event }: { event: { readonly failure: Failure } }) => event;
/** `again`: where the next page is asked for. */
export const answered = <Target extends '#view.connecting' | '#view.ready.refreshing'>(again: Target) =>
  [
    {
      guard: { type: 'isWhole', params: answerOf },
      target: '#view.ready.steady',
      actions: [{ type: 'rememberValue', params: answerOf }, tellOwner],
    },
    {
      guard: { type: 'isPart', params: answerOf },
      target: again,
      reenter: true,
      actions: { type: 'rememberPart', params: answerOf },
    },
    { target: '#view.refused', actions: { type: 'rememberBadAnswer', params: answerOf } },
  ] as const;
export const refused = {
  target: '#view.refused',
  actions: { type: 'rememberFailure', params: failureOf },
} as const;
