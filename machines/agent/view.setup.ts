/** What the chart of view.machine.ts is made of: its words, its memory, what it asks and says. */
import { setup } from 'xstate';
import type { Address } from '../kernel/address.ts';
import { assign } from '../kernel/assign.ts';
import { effects, type DirectoryEvent } from '../kernel/effects.ts';
import type { AskFact } from '../kernel/ports.ts';
import { remembered } from '../kernel/remembered.ts';
import { subjects, type Gathered, type Reading, type Subject, type SubjectValues } from './subjects/index.ts';
import type { System } from '../resources/systems/index.ts';
import type { TimingOf } from '../kernel/timing.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';

export interface ViewStart {
  readonly computer: string;
  readonly agent: string;
  readonly subject: Subject;
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
export interface ToolsViewed {
  readonly type: 'view.changed';
  readonly computer: string;
  readonly tools: SubjectValues['tools'] | null;
  readonly failure: Failure | null;
}
/** The same of a Desktop or a Finder. */
export type SystemViewed = {
  readonly [S in System]: {
    readonly type: 'system.viewed';
    readonly computer: string;
    readonly system: S;
    readonly value: SubjectValues[S] | null;
    readonly failure: Failure | null;
  };
}[System];
export type ViewNews = ToolsViewed | SystemViewed;

export interface Context extends ViewStart {
  readonly self: Address;
  readonly owner: Address;
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
  subject: Subject,
  computer: string,
  value: unknown,
  failure: Failure | null,
): ViewNews =>
  subject === 'tools'
    ? { type: 'view.changed', computer, tools: value as ToolsViewed['tools'], failure }
    : ({ type: 'system.viewed', computer, system: subject, value, failure } as SystemViewed);

const reqIdOf = (c: Context): string => `${c.subject}.${c.computer}.${c.asked}`;
/** An answer is read once, however many guards ask what it is. */
const readingsOf = remembered((c: Context) =>
  remembered(({ result }: Answered): Reading<unknown> =>
    subjects[c.subject].read(result, reqIdOf(c), c.gathered),
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
  params: ({ context: c }: { context: Context }) => ({
    to: c.owner,
    event: newsOf(c.subject, c.computer, c.value, c.failure),
  }),
} as const;
export const ask = [
  'countQuestion',
  {
    type: 'ask',
    params: ({ context: c }: { context: Context }) => ({
      id: c.subject,
      session: c.link,
      method: subjects[c.subject].method,
      params: {
        agent: c.agent,
        req_id: reqIdOf(c),
        computer: c.computer,
        ...subjects[c.subject].fieldsOf(c.gathered),
      },
    }),
  },
] as const;
export const withdraw = {
  type: 'withdraw',
  params: ({ context: c }: { context: Context }) => ({ id: c.subject }),
} as const;

export const parts = setup({
  types: {
    context: {} as Context,
    input: {} as ViewStart & { readonly self: Address; readonly owner: Address },
    events: {} as AskFact | ViewOrder | DirectoryEvent,
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
    isSpent: ({ context: { subject, failures } }) => failures >= (subjects[subject].tries ?? Infinity),
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
