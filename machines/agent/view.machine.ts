/**
 * State machine of an agent's view of one collection of one computer: its tools, Desktop or Finder
 * (`collections.ts`). States:
 *
 * connecting — first question, page by page if the collection has pages
 * ready      — steady | refreshing{asking | outdated}: a change notice triggers a new question, from the first page
 * refused    — transient, after a failed question: chooses between asking again and giving up
 * waiting    — pause before the next question
 * standby    — given up after repeated failures, because the computer may not know the question: until the computer
 *              announces a change, or the host asks for the collection
 * closed     — final: the computer left, or the agent did
 */
import { assign, setup } from 'xstate';
import {
  type Address,
  type AddressFor,
  effects,
  eventAsParams,
  post,
  posts,
  requests,
  type DirectoryEvent,
} from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import { remembered } from '../kernel/objects.ts';
import {
  collections,
  type Gathered,
  type Reading,
  type Collection,
  type CollectionValues,
  type Followed,
} from './collections.ts';
import type { TimingOf } from '../kernel/timing.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { Missing, SmcpTool } from '../protocol/messages/collections.ts';

export interface ViewStart {
  readonly computer: string;
  readonly agent: string;
  readonly collection: Collection;
  readonly link: Address;
  readonly timing: TimingOf<'view'>;
}
export type ViewOrder =
  | { readonly type: 'view.refresh' }
  | { readonly type: 'view.wake' }
  | { readonly type: 'close' };
/** `failure`: the tools could not be read; the view asks again. */
export interface ViewToolsChanged {
  readonly type: 'view.toolsChanged';
  readonly computer: string;
  readonly tools: readonly SmcpTool[] | null;
  readonly missing?: readonly Missing[];
  readonly failure: Failure | null;
}
export type ViewCollectionChanged = {
  readonly [S in Followed]: {
    readonly type: 'view.collectionChanged';
    readonly computer: string;
    readonly collection: S;
    readonly value: CollectionValues[S] | null;
    readonly failure: Failure | null;
  };
}[Followed];
export type ViewNews = ViewToolsChanged | ViewCollectionChanged;

interface ViewContext extends ViewStart {
  readonly self: Address;
  readonly owner: AddressFor<ViewNews>;
  readonly value: unknown;
  readonly failure: Failure | null;
  readonly gathered: Gathered | null;
  readonly asked: number;
  readonly failures: number;
}
type Answered = { readonly result: unknown };

export function newsOf(
  collection: Collection,
  computer: string,
  value: unknown,
  failure: Failure | null,
): ViewNews {
  if (collection !== 'tools')
    return { type: 'view.collectionChanged', computer, collection, value, failure } as ViewCollectionChanged;
  const { tools, missing } = (value as CollectionValues['tools'] | null) ?? { tools: null, missing: [] };
  const type = 'view.toolsChanged';
  return { type, computer, tools, ...(missing.length > 0 && { missing }), failure };
}

const reqIdOf = (c: ViewContext): string => `${c.collection}.${c.computer}.${c.asked}`;
/** Caches the reading of an answer, because several guards need it. */
const readingsOf = remembered((c: ViewContext) =>
  remembered(({ result }: Answered): Reading<unknown> =>
    collections[c.collection].read(result, reqIdOf(c), c.gathered),
  ),
);
const reading = (c: ViewContext, event: Answered): Reading<unknown> => readingsOf(c)(event);

/** Do not count towards giving up: a busy computer can answer later, and without a link nothing was asked. */
const passing: ReadonlySet<Failure['code']> = new Set([wireCodes.tooMany, 'LinkLost']);
const failed = (c: ViewContext, failure: Failure): Partial<ViewContext> => ({
  failure,
  gathered: null,
  failures: passing.has(failure.code) ? c.failures : c.failures + 1,
});

const parts = setup({
  types: {
    context: {} as ViewContext,
    input: {} as ViewStart & Pick<ViewContext, 'self' | 'owner'>,
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
    isSpent: ({ context: { collection, failures } }) =>
      failures >= (collections[collection].tries ?? Infinity),
  },
  delays: {
    query: ({ context: { timing: t } }) => t.queryMs + t.agentMarginMs,
    refetch: ({ context }) => context.timing.refetchMs,
  },
});

const tellOwner = posts((c: ViewContext) =>
  post(c.owner, newsOf(c.collection, c.computer, c.value, c.failure)),
);
const ask = [
  'countQuestion',
  requests((c: ViewContext) => ({
    id: c.collection,
    target: c.link,
    method: collections[c.collection].method,
    params: {
      agent: c.agent,
      req_id: reqIdOf(c),
      computer: c.computer,
      ...collections[c.collection].fieldsOf(c.gathered),
    },
  })),
] as const;
const withdraw = {
  type: 'cancel',
  params: ({ context: c }: { context: ViewContext }) => ({ id: c.collection }),
} as const;

const answerOf = eventAsParams<Answered>;
const answered = <Target extends '#view.connecting' | '#view.ready.refreshing'>(again: Target) =>
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
const refused = {
  target: '#view.refused',
  actions: { type: 'rememberFailure', params: eventAsParams<{ readonly failure: Failure }> },
} as const;

export const viewMachine = parts.createMachine({
  id: 'view',
  context: ({ input }) => ({
    ...input,
    value: null,
    failure: null,
    gathered: null,
    asked: 0,
    failures: 0,
  }),
  initial: 'connecting',
  on: { 'view.wake': {}, close: '.closed' },
  states: {
    connecting: {
      tags: 'connecting',
      entry: ask,
      exit: withdraw,
      on: {
        'ask.answered': answered('#view.connecting'),
        'ask.refused': refused,
        'view.refresh': { target: 'connecting', reenter: true, actions: 'forgetPages' },
      },
      after: { query: { target: 'refused', actions: 'rememberTimeout' } },
    },
    ready: {
      tags: 'ready',
      initial: 'steady',
      states: {
        steady: { on: { 'view.refresh': 'refreshing' } },
        refreshing: {
          tags: 'refreshing',
          entry: ask,
          exit: withdraw,
          initial: 'asking',
          on: { 'ask.refused': refused },
          after: { query: { target: '#view.refused', actions: 'rememberTimeout' } },
          states: {
            asking: {
              on: { 'view.refresh': 'outdated', 'ask.answered': answered('#view.ready.refreshing') },
            },
            outdated: {
              on: {
                'view.refresh': {},
                'ask.answered': {
                  target: '#view.ready.refreshing',
                  reenter: true,
                  actions: 'forgetPages',
                },
              },
            },
          },
        },
      },
    },
    refused: { entry: tellOwner, always: [{ guard: 'isSpent', target: 'standby' }, { target: 'waiting' }] },
    waiting: {
      tags: 'connecting',
      on: { 'view.refresh': 'connecting' },
      after: { refetch: 'connecting' },
    },
    standby: {
      on: {
        'view.refresh': { target: 'connecting', actions: 'forgetFailures' },
        'view.wake': { target: 'connecting', actions: 'forgetFailures' },
      },
    },
    closed: { type: 'final' },
  },
});
