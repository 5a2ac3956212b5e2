/** What the chart of call.machine.ts is made of: its words, its memory, its actions and guards. */
import { assign, setup } from 'xstate';
import { kindOf, type Address, type AddressFor } from '../kernel/address.ts';
import {
  argumentsInvalid,
  carried,
  confirmationLate,
  finished,
  isRefusedByTool,
  notConfirmed,
  notPermitted,
  readResult,
  type CallPolicy,
  type Confirmation,
  type Finding,
  type Judgement,
  type WhyNot,
} from './policy/index.ts';
import { effects, post, type DirectoryEvent, type OwnerEnded } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import type { ProcessTag } from '../process/process.machine.ts';
import type { CallEnd, CallPhase } from './settlement.ts';
import type { Digits } from '../protocol/exact-numbers.ts';
import { isUnread } from '../process/server-failure.ts';
import type { Failure } from '../protocol/failure.ts';
import type { Caller, CallOrder, CallRequest, ComputerCall } from './call-request.ts';

export type { CallOrder, CallRequest, ComputerCall };
export interface CallStart extends Omit<CallRequest, 'type' | 'trace'> {
  /** Empty: a computer has the call, and knows it. */
  readonly server: string;
  /** Who has been asked for it, where that is another computer. */
  readonly computer?: string;
  /** It is taken back with this, and who has it answers how it stood; that is waited for so long. Without it nobody is asked. */
  readonly withdrawal?: { readonly method: string; readonly params: object; readonly ms: number };
  /** No call of its server takes longer; 0 = without limit. */
  readonly totalMs: number;
  /** So long its server may be silent: without an answer, and without progress; 0 = without limit. */
  readonly idleMs: number;
  /** `null`: it is sent as it is, and its answer is given as it came. */
  readonly policy: CallPolicy | null;
  /** What the platform knew at once; null: the rule of its host is asked. */
  readonly drawn?: Judgement | null;
  /** Address that is told when a person has allowed the tool for the session. */
  readonly keeper: AddressFor<ToolApproved>;
  /** What is asked to have it run, and whose session. */
  readonly request: { readonly target: Address; readonly method: string; readonly params: object };
  /** Its server is being started: it waits for `call.go`. */
  readonly isPending: boolean;
}
/** Said by its own clock, and by a computer that has kept the call until its server was known. */
type Overdue = { readonly type: 'deadline.passed' };
export const callKind = kindOf<CallStart, CallOrder | Overdue>('call');
/** Said to its client: it may run, and waits for its server. */
export interface ServerWanted {
  readonly type: 'server.wanted';
}
/** A person has said that this tool may run unasked from now on, for this caller. */
export interface ToolApproved {
  readonly type: 'tool.approved';
  readonly server: string;
  readonly tool: string;
  /** The launch config with which its server was there then. */
  readonly generation: number;
  readonly caller: Caller;
}
type Input = CallStart & { readonly self: Address; readonly owner: AddressFor<ServerWanted> };
export interface Context extends Input {
  /** Where it is, and once it is over, where it was. Sent is what is running. */
  readonly phase: CallPhase;
  readonly result: unknown;
  /** Integers in the result that stand there as text. */
  readonly digits?: readonly Digits[];
  readonly failure: Failure | null;
  /** Its server had forgotten the session that it was sent in, and has not read it: it is sent a second time. */
  readonly isSentAgain?: true;
}
type CallEvent = RequestFact | CallOrder | Overdue | DirectoryEvent;

/** The shorter one of two limits, of which 0 is none. */
const isCallers = ({ timeoutMs, totalMs }: Context): boolean =>
  timeoutMs > 0 && (totalMs === 0 || timeoutMs < totalMs);
const limitOf = (c: Context): number => (isCallers(c) ? c.timeoutMs : c.totalMs);
const isUnjudged = ({ policy, drawn }: Context): boolean => policy !== null && !drawn;
const isSent = ({ phase }: Context): boolean => phase === 'running';
/** Who has a call: a server of this computer, or another computer. */
const holderOf = ({ computer, server }: Context): string =>
  computer === undefined ? `server '${server}'` : `computer '${computer}'`;
const holderIn = ({ computer, server }: Context): Record<string, string> =>
  computer === undefined ? { server_name: server } : { computer };
const timeoutOf = (
  c: Context,
  which: 'caller' | 'total' | 'idle',
  did: string,
  timeout: number,
): Failure => ({
  code: 'ToolExecutionTimeout',
  message: isSent(c)
    ? `Tool '${c.tool}' of ${holderOf(c)} ${did} ${timeout} ms (call '${c.reqId}'); whether it took effect is unknown`
    : `Tool '${c.tool}' of ${holderOf(c)} was not sent within ${timeout} ms (call '${c.reqId}')${c.isPending ? ': its server is still starting' : ''}`,
  details: {
    timeout,
    which,
    ...holderIn(c),
    tool_name: c.tool,
    ...(c.isPending && !isSent(c) && { state: 'connecting' }),
  },
  remedy: remedies[c.phase] ?? 'Give it more time, or let fewer calls wait at once.',
});
const remedies: Partial<Record<CallPhase, string>> = {
  judging: 'Give it more time, or look at the rule of the host: it gave no answer yet.',
  running: 'Give it more time, or look at the server: it may still be at work.',
};
const whose = (c: Context): 'caller' | 'total' => (isCallers(c) ? 'caller' : 'total');
/** Of a question that is open no longer: whose time is over. */
export const callersTime = ({ context: c }: { context: Context }) =>
  ({ text: confirmationLate, which: whose(c), timeout: limitOf(c) }) as const;
export const personsTime = ({ context: c }: { context: Context }) =>
  ({ text: confirmationLate, which: 'confirm', timeout: c.policy?.confirmMs ?? 0 }) as const;

export const settle = (end: CallEnd) =>
  ({
    type: 'post',
    params: ({ context: c }: { context: Context }) =>
      post(
        c.replyTo,
        {
          type: 'call.settled',
          ticket: c.ticket,
          reqId: c.reqId,
          server: c.server,
          tool: c.tool,
          end,
          outcome: end === 'succeeded' ? 'succeeded' : isSent(c) && end !== 'failed' ? 'unknown' : 'failed',
          phase: end === 'succeeded' ? null : c.phase,
          result: c.result,
          failure: c.failure,
        },
        /** A link that has been left while its call ran hears no answer any more. */
        { optional: true },
      ),
  }) as const;

/** Why a person did not let it run: what was said, or whose time is over. */
export type Unconfirmed = WhyNot & { readonly text: string };

export const parts = setup({
  types: {
    context: {} as Context,
    input: {} as Input,
    events: {} as CallEvent,
    tags: {} as ProcessTag,
  },
  actions: {
    ...effects,
    enter: assign((_, { phase }: { phase: CallPhase }) => ({ phase })),
    hold: assign({ isPending: true }),
    sendAgain: assign({ isPending: true, isSentAgain: true }),
    release: assign({ isPending: false }),
    rememberResult: assign(({ context }, { result, digits }: Answered) => ({
      result: carried(context, result, digits),
      ...(digits && { digits }),
    })),
    /** It was answered before it could be taken back, or because of that. */
    rememberAnswer: assign((_, { result }: { result: unknown }) => ({ result, failure: null })),
    rememberFinished: assign(({ context: c }, { finding }: { finding: Finding }) => ({
      result: finished(c, c.result, finding),
    })),
    rememberFailure: assign((_, params: { failure: Failure }) => ({ failure: params.failure })),
    rememberUnsent: assign((_, params: { failure: Failure }) => ({
      failure: params.failure,
      phase: 'queued' as const,
    })),
    rememberTimeout: assign(({ context: c }) => ({
      failure: timeoutOf(c, whose(c), 'did not answer within', limitOf(c)),
    })),
    rememberSilence: assign(({ context: c }) => ({
      failure: timeoutOf(c, 'idle', 'said nothing for', c.idleMs),
    })),
    rememberCancel: assign(({ context: c }, params: { reason: string }) => ({
      failure: {
        code: 'ToolCallCancelled',
        message: `Call '${c.reqId}' was cancelled: ${params.reason}`,
        details: { cancel_reason: params.reason, ...holderIn(c) },
      } satisfies Failure,
    })),
    rememberCrash: assign(({ context: c }) => ({
      failure: {
        code: 'Crashed',
        message: `Call '${c.reqId}' was not sent: the machine of server '${c.server}' failed`,
      } satisfies Failure,
    })),
    rememberInvalid: assign(({ context: c }, { problems = [] }: Partial<Judgement>) => ({
      failure: argumentsInvalid(c, problems),
    })),
    rememberPolicyDenial: assign(({ context: c }, { reason = 'no reason given' }: Partial<Judgement>) => ({
      failure: notPermitted(c, reason),
    })),
    rememberUnconfirmed: assign(({ context: c }, { text, ...details }: Unconfirmed) => ({
      failure: notConfirmed(c, text, details),
    })),
  },
  guards: {
    isJudged: ({ context }) => isUnjudged(context),
    isJudgedBriefly: ({ context: c }) =>
      isUnjudged(c) && (limitOf(c) === 0 || (c.policy?.confirmMs ?? 0) < limitOf(c)),
    isPending: ({ context }) => context.isPending,
    hearsHowItStood: ({ context: { withdrawal } }) => (withdrawal?.ms ?? 0) > 0,
    isOfWithdrawal: (_, { id }: { id: string }) => id === 'withdrawal',
    isInvalid: (_, { problems = [] }: Partial<Judgement>) => problems.length > 0,
    // Whatever is no word of ours permits nothing.
    isDeniedByPolicy: (_, { decision }: Partial<Judgement>) => decision !== 'allow' && decision !== 'ask',
    needsPerson: ({ context }, { decision }: Partial<Judgement>) =>
      decision !== 'allow' && context.policy?.isConfirmed !== true,
    isDenied: (_, { decision }: Partial<Confirmation>) =>
      decision !== 'allow' && decision !== 'allowForSession',
    isForSession: (_, { decision }: Partial<Confirmation>) => decision === 'allowForSession',
    mayNotBeSilent: ({ context: c }) => c.idleMs > 0 && (limitOf(c) === 0 || c.idleMs < limitOf(c)),
    isPostProcessed: ({ context: c }, { result, bytes = 0 }: { result: unknown; bytes?: number }) =>
      c.policy !== null &&
      ((c.policy.isPostProcessed && !isRefusedByTool(result)) ||
        (c.policy.resultBytes > 0 && bytes > c.policy.resultBytes)),
    isToolError: (_, { result }: { result: unknown }) => isRefusedByTool(result),
    isLost: (_, params: { lost?: boolean; alone?: boolean }) => params.lost === true && params.alone !== true,
    isLostAlone: (_, params: { alone?: boolean }) => params.alone === true,
    isFailure: (_, { why }: OwnerEnded) => why === 'failed',
    isMyAsker: ({ context }, params: { asker: Address }) => context.replyTo === params.asker,
    isBusy: (_, { failure }: { failure: Failure }) => failure.code === 'Busy',
    /** Only of a server: what became of the call behind an office nobody knows for sure. */
    wasUnread: ({ context: c }, { sent, failure }: { sent: boolean; failure: Failure }) =>
      c.policy !== null && !c.isSentAgain && !sent && isUnread(failure),
    wasNeverSent: (_, params: { sent: boolean }) => !params.sent,
  },
  delays: {
    silence: ({ context }) => context.idleMs,
    patience: ({ context }) => context.policy?.confirmMs ?? 0,
    word: ({ context }) => context.withdrawal?.ms ?? 0,
  },
});

export const eventAsParams = <E>({ event }: { event: E }): E => event;
type Answered = { readonly result: unknown; readonly bytes?: number; readonly digits?: readonly Digits[] };
/** An answer to a call: where its server gave it, as every result is read. A call of an agent gives what came. */
export const answerOf = ({ context, event }: { context: Context; event: Answered }): Answered =>
  context.policy === null ? event : { ...event, result: readResult(event.result, event.digits) };
export const failureOf = ({ event }: { event: { readonly failure: Failure } }) => event;
/** What a port said, which has read it: adapters answer in the words of `calls/`. */
const saidIn = <T>({ event }: { event: { readonly result: unknown } }): Partial<T> => event.result ?? {};
export const judgementOf = saidIn<Judgement>;
/** Of a call that no computer has a say in: nothing is against it. */
const unopposed: Partial<Judgement> = { decision: 'allow' };
export const drawnOf = ({ context }: { context: Context }): Partial<Judgement> => context.drawn ?? unopposed;
export const confirmationOf = saidIn<Confirmation>;

// ── its clock ──────────────────────────────────────────────────────────────────────────────────────────
const clock = (purpose: string, ms: (c: Context) => number) => {
  const params = ({ context }: { context: Context }) => ({ ms: ms(context), for: purpose });
  return { type: 'setDeadline', params } as const;
};
/** The whole time that its caller gives it, whatever it waits for. */
export const startClock = clock('limit', limitOf);
/** Its answer is here: what comes now is not taken from its caller's time. */
export const startLook = clock('look', (c) => c.policy?.lookMs ?? 0);

// ── ways out that many states share ────────────────────────────────────────────────────────────────────
const rememberCancel = {
  type: 'rememberCancel',
  params: eventAsParams<{ readonly reason: string }>,
} as const;
export const cancelled = { target: 'cancelled', actions: rememberCancel } as const;
export const takenBack = { target: 'cancelling', actions: rememberCancel } as const;
export const closed = {
  target: 'cancelled',
  actions: { type: 'rememberCancel', params: { reason: 'closing' } },
} as const;
/** Its client is no more, and surely has sent nothing of it. */
export const abandoned = [
  {
    guard: { type: 'isFailure', params: eventAsParams<OwnerEnded> },
    target: 'failed',
    actions: 'rememberCrash',
  },
  closed,
] as const;
export const askerLost = {
  guard: { type: 'isMyAsker', params: eventAsParams<{ readonly asker: Address }> },
  target: 'cancelled',
  actions: {
    type: 'rememberCancel',
    params: ({ event }: { event: { readonly reason?: string } }) => ({
      reason: event.reason ?? 'who asked is gone',
    }),
  },
} as const;
export const notStarted = {
  target: 'failed',
  actions: { type: 'rememberFailure', params: failureOf },
} as const;
export const lost = { target: 'unknown', actions: { type: 'rememberFailure', params: failureOf } } as const;
