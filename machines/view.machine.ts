/**
 * What an agent knows of one computer of its office.
 *
 * connecting — asks for its tools for the first time
 * ready      — steady | refreshing{asking | outdated}: an update notice makes it ask again
 * waiting    — the answer was no, or none: pause, then asks again
 * closed     — final: the computer left, or we did
 */
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { Address } from './address.ts';
import type { SmcpTool } from './wire/tool.ts';
import { effects, type DirectoryEvent } from './effects.ts';
import type { AskFact } from './ports.ts';
import type { TimingOf } from './timing.ts';
import { wireCodes, type Failure } from './wire/failure.ts';
import { readTools } from './wire/lists.ts';

export interface ViewStart {
  readonly computer: string;
  readonly agent: string;
  /** The link over which it asks. */
  readonly link: Address;
  readonly timing: TimingOf<'view'>;
}
export type ViewOrder = { readonly type: 'view.refresh' } | { readonly type: 'close' };
/** `failure`: the tools could not be had; the view asks again. */
export interface ViewNews {
  readonly type: 'view.changed';
  readonly computer: string;
  readonly tools: readonly SmcpTool[] | null;
  readonly failure: Failure | null;
}
type Input = ViewStart & { readonly self: Address; readonly owner: Address };
interface Context extends Input {
  readonly tools: readonly SmcpTool[] | null;
  readonly failure: Failure | null;
  readonly asked: number;
}

const reqIdOf = (c: Context): string => `tools.${c.computer}.${c.asked}`;
const tellAgent = {
  type: 'post',
  params: ({ context: c }: { context: Context }) => ({
    to: c.owner,
    event: {
      type: 'view.changed',
      computer: c.computer,
      tools: c.tools,
      failure: c.failure,
    } satisfies ViewNews,
  }),
} as const;
const ask = [
  'countQuestion',
  {
    type: 'ask',
    params: ({ context: c }: { context: Context }) => ({
      id: 'tools',
      session: c.link,
      method: 'client:get_tools',
      params: { agent: c.agent, req_id: reqIdOf(c), computer: c.computer },
    }),
  },
] as const;
const withdraw = { type: 'withdraw', params: { id: 'tools' } } as const;

const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as AskFact | ViewOrder | DirectoryEvent,
    tags: {} as 'connecting' | 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    countQuestion: assign({ asked: ({ context }) => context.asked + 1 }),
    rememberTools: assign(({ context }, { result }: { result: unknown }) => {
      const read = readTools(result, reqIdOf(context));
      return read.ok ? { tools: read.body, failure: null } : {};
    }),
    rememberBadAnswer: assign(({ context }, { result }: { result: unknown }) => {
      const read = readTools(result, reqIdOf(context));
      return read.ok ? {} : { failure: read.failure };
    }),
    rememberFailure: assign((_, { failure }: { failure: Failure }) => ({ failure })),
    rememberTimeout: assign(({ context: { computer, timing: t } }) => ({
      failure: {
        code: wireCodes.timeout,
        message: `Computer '${computer}' did not answer within ${t.queryMs + t.agentMarginMs} ms`,
      } satisfies Failure,
    })),
  },
  guards: {
    isToolList: ({ context }, { result }: { result: unknown }) => readTools(result, reqIdOf(context)).ok,
  },
  delays: {
    query: ({ context: { timing: t } }) => t.queryMs + t.agentMarginMs,
    refetch: ({ context }) => context.timing.refetchMs,
  },
});

const answerOf = ({ event }: { event: { readonly result: unknown } }) => event;
const failureOf = ({ event }: { event: { readonly failure: Failure } }) => event;
const answered = [
  {
    guard: { type: 'isToolList', params: answerOf },
    target: '#view.ready.steady',
    actions: [{ type: 'rememberTools', params: answerOf }, tellAgent],
  },
  { target: '#view.waiting', actions: { type: 'rememberBadAnswer', params: answerOf } },
] as const;
const refused = { target: '#view.waiting', actions: { type: 'rememberFailure', params: failureOf } } as const;

export const viewMachine = parts.createMachine({
  id: 'view',
  context: ({ input }) => ({ ...input, tools: null, failure: null, asked: 0 }),
  initial: 'connecting',
  on: { close: '.closed' },
  states: {
    connecting: {
      tags: 'connecting',
      entry: ask,
      exit: withdraw,
      on: {
        'ask.answered': answered,
        'ask.refused': refused,
        'view.refresh': { target: 'connecting', reenter: true },
      },
      after: { query: { target: 'waiting', actions: 'rememberTimeout' } },
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
          after: { query: { target: '#view.waiting', actions: 'rememberTimeout' } },
          states: {
            asking: { on: { 'view.refresh': 'outdated', 'ask.answered': answered } },
            outdated: {
              on: {
                'view.refresh': {},
                'ask.answered': { target: '#view.ready.refreshing', reenter: true },
              },
            },
          },
        },
      },
    },
    waiting: {
      tags: 'connecting',
      entry: tellAgent,
      on: { 'view.refresh': 'connecting' },
      after: { refetch: 'connecting' },
    },
    closed: { type: 'final' },
  },
});
export type ViewRef = ActorRefFrom<typeof viewMachine>;
