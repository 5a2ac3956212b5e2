/** What the chart of client.machine.ts is made of: its words, its memory, its actions and guards. */
import { assign, setup } from 'xstate';
import { keyOf, nameOf, type Address } from './address.ts';
import type { CallOrder, CallStart } from './call.machine.ts';
import { effects, type DirectoryEvent, type OpenRefused, type OwnedEnded } from './effects.ts';
import { extended } from './extended.ts';
import { sessionPort, type AskFact, type ServerInfo, type SessionFact } from './ports.ts';
import type { ProcessNews, ProcessTag } from './process.machine.ts';
import { settledBy } from './settlement.ts';
import { failureOfEnd, failureOfStep, notActive, type ProcessEnd } from './server-failure.ts';
import type { Timing } from './timing.ts';
import type { Tool } from './catalog/index.ts';
import { wireCodes, type Failure } from './wire/failure.ts';

export interface ClientStart {
  readonly server: string;
  /** Connect at once; otherwise rest in `idle` until `server.start`. */
  readonly autoStart: boolean;
  /** Connect again after a failure (`auto_reconnect`). */
  readonly restart: boolean;
  /** Failures in a row after which it rests as `tripped`. */
  readonly budget: number;
  readonly timing: Timing;
}
/** A call that its computer has resolved to this server. */
export interface CallRequest {
  readonly type: 'call.request';
  readonly ticket: string;
  readonly reqId: string;
  readonly tool: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly confirmMs: number | null;
  readonly replyTo: Address;
}
export type ClientOrder =
  | CallRequest
  | { readonly type: 'call.cancel'; readonly ticket: string; readonly reason: string }
  /** Who asked is gone: its calls are cancelled. */
  | { readonly type: 'asker.lost'; readonly asker: Address }
  | { readonly type: 'server.start' }
  | { readonly type: 'server.stop' }
  | { readonly type: 'close' };
export type ClientStage = 'idle' | 'connecting' | 'ready' | 'recovering' | 'waiting' | 'tripped' | 'closing';
/** What the owner hears at each stage; `tools` are given when they are known to be current. */
export interface ClientNews {
  readonly type: 'client.changed';
  readonly server: string;
  readonly stage: ClientStage;
  readonly tools: readonly Tool[] | null;
  readonly failure: Failure | null;
  readonly attempt: number;
}
type Input = ClientStart & { readonly self: Address; readonly owner: Address };
export interface Context extends Input {
  readonly process: Address;
  readonly info: ServerInfo | null;
  readonly tools: readonly Tool[];
  readonly attempt: number;
  readonly inFlight: number;
  readonly failure: Failure | null;
}
type ClientEvent = ClientOrder | ProcessNews | SessionFact | AskFact | DirectoryEvent;
export const listQuestion = 'tools';

export const news = (stage: ClientStage, withTools = false) =>
  ({
    type: 'post',
    params: ({ context: c }: { context: Context }) => ({
      to: c.owner,
      event: {
        type: 'client.changed',
        server: c.server,
        stage,
        tools: withTools ? c.tools : null,
        failure: c.failure,
        attempt: c.attempt,
      } satisfies ClientNews,
    }),
  }) as const;
/** No call is taken in this stage: it is answered at once with what it is waiting for. */
export const refuse = (stage: ClientStage, nextTry?: (c: Context) => number) =>
  ({
    type: 'post',
    params: ({ context: c, event }: { context: Context; event: CallRequest }) => ({
      to: event.replyTo,
      event: settledBy(
        { ...event, server: c.server },
        'failed',
        notActive(c.server, stage, nextTry?.(c) ?? null, c.failure),
      ),
    }),
  }) as const;
/** Its ticket is that of a call in flight. */
export const refuseTwice = {
  type: 'post',
  params: ({ context, event }: { context: Context; event: OpenRefused }) => {
    const call = event.input as CallStart;
    return {
      to: call.replyTo,
      event: settledBy({ ...call, server: context.server }, 'failed', {
        code: wireCodes.conflict,
        message: `A call '${call.reqId}' is already in flight`,
        details: { req_id: call.reqId },
      }),
    };
  },
} as const;
export const tellCalls = (event: (c: Context) => CallOrder) =>
  ({
    type: 'tellOwned',
    params: ({ context }: { context: Context }) => ({ kind: 'call', event: event(context) }),
  }) as const;
export const lostFailure = (c: Context): Failure =>
  c.failure ?? failureOfStep(c.server, 'session', 'its connection was lost');
export const closeProcess = {
  type: 'post',
  params: ({ context }: { context: Context }) => ({
    to: `${nameOf(context.self)}/process`,
    event: { type: 'close' },
    /** It may have come to its end in the meantime. */
    ifThere: true as const,
  }),
} as const;

export const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as ClientEvent,
    output: {} as { readonly how: 'closed' | 'killed' },
    tags: {} as ProcessTag,
  },
  actors: { session: sessionPort },
  actions: {
    ...effects,
    rememberProcess: assign((_, params: { from: Address }) => ({ process: params.from })),
    rememberInfo: assign((_, params: { info: ServerInfo }) => ({ info: params.info })),
    rememberTools: assign((_, params: { result: unknown }) => ({
      tools: (params.result as { tools: readonly Tool[] }).tools,
      failure: null,
    })),
    forgetTools: assign({ tools: [], info: null }),
    forgetFailure: assign({ failure: null }),
    rememberFailure: assign((_, params: { failure: Failure }) => ({ failure: params.failure })),
    rememberEnd: assign(({ context }, params: { end: ProcessEnd }) => ({
      failure: failureOfEnd(context.server, params.end),
    })),
    rememberOwnedEnd: assign(({ context }, params: OwnedEnded) => ({
      failure: params.output
        ? failureOfEnd(context.server, params.output as ProcessEnd)
        : (context.failure ??
          failureOfStep(context.server, 'process', params.error ?? 'its process is gone')),
    })),
    rememberSlow: assign(({ context }, params: { phase: string; ms: number }) => ({
      failure: failureOfStep(
        context.server,
        params.phase,
        `no answer to ${params.phase} within ${params.ms} ms`,
      ),
    })),
    rememberSevered: assign(({ context }, params: { reason: string }) => ({
      failure: failureOfStep(context.server, 'session', `its stream broke: ${params.reason}`),
    })),
    countAttempt: assign({ attempt: ({ context }) => context.attempt + 1 }),
    resetAttempts: assign({ attempt: 0 }),
    countCall: assign({ inFlight: ({ context }) => context.inFlight + 1 }),
    forgetCall: assign({ inFlight: ({ context }) => Math.max(0, context.inFlight - 1) }),
  },
  guards: {
    isAutoStart: ({ context }) => context.autoStart,
    canRetry: ({ context }) => context.restart && context.attempt < context.budget,
    hasTools: (_, params: { info: ServerInfo }) => params.info.offers.tools !== null,
    isServerLost: (_, params: { failure: Failure }) => params.failure.code === 'ServerLost',
    isLost: (_, params: { lost?: boolean }) => params.lost === true,
    isCall: (_, params: { kind: string }) => params.kind === 'call',
    isProcess: (_, params: { kind: string }) => params.kind === 'process',
    isKilledProcess: (_, params: OwnedEnded) =>
      params.kind === 'process' &&
      (params.output === undefined || (params.output as ProcessEnd).how === 'killed'),
    isIdleOfCalls: ({ context }) => context.inFlight === 0,
  },
  delays: {
    connectTimeout: ({ context }) => context.timing.connectMs,
    listTimeout: ({ context }) => context.timing.listMs,
    backoff: ({ context }) => context.timing.backoffMs,
    provenStable: ({ context }) => context.timing.provenStableMs,
    exitGrace: ({ context }) => context.timing.exitGraceMs,
    drain: ({ context }) => context.timing.drainMs,
    /** The process ends by its own ladder; this is the net below it. */
    ladder: ({ context: { timing: t } }) => t.stdinGraceMs + t.termGraceMs + t.killGraceMs + 1_000,
  },
});

const crashed: Failure = {
  code: 'Crashed',
  message: 'The machine of this call failed; whether the call took effect is unknown',
};
export const endProcess = {
  type: 'close',
  params: ({ context }: { context: Context }) => ({ to: `${nameOf(context.self)}/process` }),
} as const;
export const itself = ({ event }: { event: OwnedEnded }): OwnedEnded => event;
export const askTools = {
  type: 'ask',
  params: ({ context }: { context: Context }) => ({
    id: listQuestion,
    session: context.self,
    method: 'tools/list',
  }),
} as const;
export const withdrawTools = { type: 'withdraw', params: { id: listQuestion } } as const;
export const processLost = {
  target: '#client.recovering',
  actions: { type: 'rememberEnd', params: ({ event }: { event: { readonly end: ProcessEnd } }) => event },
} as const;
/** Its process is gone without having said so: its machine broke. */
export const processGone = {
  guard: { type: 'isProcess', params: itself },
  target: '#client.gone',
  actions: [
    { type: 'rememberOwnedEnd', params: itself },
    tellCalls((c) => ({ type: 'server.lost', failure: lostFailure(c) })),
  ],
} as const;
export const callEnded = { guard: { type: 'isCall', params: itself }, actions: 'forgetCall' } as const;
export const slow = (phase: string, limit: 'connectMs' | 'listMs') =>
  ({
    target: '#client.recovering',
    actions: {
      type: 'rememberSlow',
      params: ({ context }: { context: Context }) => ({ phase, ms: context.timing[limit] }),
    },
  }) as const;
const theFailure = ({ event }: { event: { readonly failure: Failure } }) => event;
const rememberIt = { type: 'rememberFailure', params: theFailure } as const;
const failed = { target: '#client.recovering', actions: rememberIt } as const;
/** A server that dies in its handshake gets a moment to show how it died; one that said no is ended at once. */
export const sessionFailed = [
  { guard: { type: 'isServerLost', params: theFailure }, target: '#client.severed', actions: rememberIt },
  failed,
] as const;
/** Lost with its stream: `session.lost` follows. */
export const firstListRefused = [
  { guard: { type: 'isLost', params: ({ event }: { event: { readonly lost?: boolean } }) => event } },
  failed,
] as const;
/** Its answer goes straight to whoever asked, and so does what is said should its machine break. */
export const openCall = {
  type: 'open',
  params: ({ context: c, event: { type: _, ...call } }: { context: Context; event: CallRequest }) => ({
    kind: 'call',
    key: keyOf(call.ticket),
    input: extended(call, {
      server: c.server,
      session: c.self,
      method: 'tools/call',
      request: { name: call.tool, arguments: call.params },
    }) satisfies CallStart,
    will: {
      to: call.replyTo,
      event: settledBy(extended(call, { server: c.server }), 'unknown', crashed, 'unknown'),
    },
  }),
} as const;
