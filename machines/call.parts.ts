/** What the chart of call.machine.ts is made of: its words, its memory, its actions and guards. */
import { assign, setup } from 'xstate';
import type { Address } from './address.ts';
import { effects, type DirectoryEvent } from './effects.ts';
import type { AskFact } from './ports.ts';
import type { ProcessTag } from './process.machine.ts';
import type { CallEnd, CallSettled } from './settlement.ts';
import { wireCodes, type Failure } from './wire/failure.ts';

export interface CallStart {
  /** Names the asker's pending answer; unique among the calls in flight of one client. */
  readonly ticket: string;
  readonly reqId: string;
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** What its caller gives it; 0 = without limit. */
  readonly timeoutMs: number;
  /** No call of its server takes longer; 0 = without limit. */
  readonly totalMs: number;
  /** So long its server may be silent: without an answer, and without progress; 0 = without limit. */
  readonly idleMs: number;
  /** `null`: needs no confirmation. */
  readonly confirmMs: number | null;
  readonly replyTo: Address;
  /** Who is asked to run it, and by which method. */
  readonly session: Address;
  readonly method: string;
  /** The parameters of that method. */
  readonly request: object;
  /** Its server is being started: it waits for `call.go`. */
  readonly isHeld: boolean;
}
export type CallOrder =
  | { readonly type: 'call.cancel'; readonly reason: string }
  | { readonly type: 'call.go' }
  /** Its session is being opened anew: what was not sent yet waits for `call.go`. */
  | { readonly type: 'call.hold' }
  | { readonly type: 'close' }
  /** Who asked is gone; its result would go nowhere. */
  | { readonly type: 'asker.lost'; readonly asker: Address }
  | { readonly type: 'server.lost'; readonly failure: Failure };
type Input = CallStart & { readonly self: Address; readonly owner: Address };
export interface Context extends Input {
  readonly sent: boolean;
  readonly result: unknown;
  readonly failure: Failure | null;
}
type CallEvent = AskFact | CallOrder | { readonly type: 'deadline.passed' } | DirectoryEvent;

const isRefusedByTool = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'isError' in result && result.isError === true;

/** The shorter one of two limits, of which 0 is none. */
const isCallers = ({ timeoutMs, totalMs }: Context): boolean =>
  timeoutMs > 0 && (totalMs === 0 || timeoutMs < totalMs);
const limitOf = (c: Context): number => (isCallers(c) ? c.timeoutMs : c.totalMs);
const timeoutOf = (
  c: Context,
  which: 'caller' | 'total' | 'idle',
  did: string,
  timeout: number,
): Failure => ({
  code: 'ToolExecutionTimeout',
  message: `Tool '${c.tool}' of server '${c.server}' ${did} ${timeout} ms; whether it took effect is unknown`,
  details: { timeout, which, server_name: c.server, tool_name: c.tool },
  remedy: 'Give it more time, or look at the server: it may still be at work.',
});

export const settle = (end: CallEnd) =>
  ({
    type: 'post',
    params: ({ context: c }: { context: Context }) => ({
      to: c.replyTo,
      event: {
        type: 'call.settled',
        ticket: c.ticket,
        reqId: c.reqId,
        server: c.server,
        tool: c.tool,
        end,
        outcome: end === 'succeeded' ? 'succeeded' : c.sent && end !== 'failed' ? 'unknown' : 'failed',
        result: c.result,
        failure: c.failure,
      } satisfies CallSettled,
      /** A link that has been left while its call ran hears no answer any more. */
      ifThere: true as const,
    }),
  }) as const;

export const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as CallEvent,
    tags: {} as ProcessTag,
  },
  actions: {
    ...effects,
    markSent: assign({ sent: true }),
    hold: assign({ isHeld: true }),
    release: assign({ isHeld: false }),
    rememberResult: assign((_, params: { result: unknown }) => ({ result: params.result })),
    rememberFailure: assign((_, params: { failure: Failure }) => ({ failure: params.failure })),
    rememberUnsent: assign((_, params: { failure: Failure }) => ({ failure: params.failure, sent: false })),
    rememberTimeout: assign(({ context: c }) => ({
      failure: timeoutOf(c, isCallers(c) ? 'caller' : 'total', 'did not answer within', limitOf(c)),
    })),
    rememberSilence: assign(({ context: c }) => ({
      failure: timeoutOf(c, 'idle', 'said nothing for', c.idleMs),
    })),
    rememberCancel: assign(({ context: c }, params: { reason: string }) => ({
      failure: {
        code: 'ToolCallCancelled',
        message: `Call '${c.reqId}' was cancelled: ${params.reason}`,
        details: { cancel_reason: params.reason, server_name: c.server },
      } satisfies Failure,
    })),
    rememberUnconfirmed: assign((_, params: { text: string }) => ({
      failure: { code: wireCodes.notConfirmed, message: params.text } satisfies Failure,
    })),
  },
  guards: {
    needsPerson: ({ context }) => context.confirmMs !== null,
    isHeld: ({ context }) => context.isHeld,
    mayNotBeSilent: ({ context: c }) => c.idleMs > 0 && (limitOf(c) === 0 || c.idleMs < limitOf(c)),
    isApproved: (_, params: { result: unknown }) => params.result === true,
    isToolError: (_, params: { result: unknown }) => isRefusedByTool(params.result),
    isLost: (_, params: { lost?: boolean; alone?: boolean }) => params.lost === true && params.alone !== true,
    isLostAlone: (_, params: { alone?: boolean }) => params.alone === true,
    isMyAsker: ({ context }, params: { asker: Address }) => context.replyTo === params.asker,
    wasNeverSent: (_, params: { sent: boolean }) => !params.sent,
  },
  delays: { silence: ({ context }) => context.idleMs },
});

export const answerOf = ({ event }: { event: { readonly result: unknown } }) => event;
export const failureOf = ({ event }: { event: { readonly failure: Failure } }) => event;
export const cancelled = {
  target: 'cancelled',
  actions: {
    type: 'rememberCancel',
    params: ({ event }: { event: { readonly reason: string } }) => event,
  },
} as const;
export const closed = {
  target: 'cancelled',
  actions: { type: 'rememberCancel', params: { reason: 'closing' } },
} as const;
export const askerLost = {
  guard: { type: 'isMyAsker', params: ({ event }: { event: { readonly asker: Address } }) => event },
  target: 'cancelled',
  actions: { type: 'rememberCancel', params: { reason: 'who asked is gone' } },
} as const;
/** Its whole time, from the moment at which nothing but its server is waited for. */
export const startClock = {
  type: 'setDeadline',
  params: ({ context }: { context: Context }) => ({ ms: limitOf(context) }),
} as const;
export const notStarted = {
  target: 'failed',
  actions: { type: 'rememberFailure', params: failureOf },
} as const;
export const lost = { target: 'unknown', actions: { type: 'rememberFailure', params: failureOf } } as const;
