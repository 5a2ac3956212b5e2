import type { ToolMeta } from '../../catalog/tool.ts';
import { wireCodes, type Failure } from '../../protocol/failure.ts';

/** Demands of a computer on a call before it is sent, and what is done with its result. */
export interface CallPolicy {
  /** Whether the asker has confirmed it, or a person has for as long as this computer lives: then `ask` is as good as `allow`. */
  readonly isConfirmed: boolean;
  /** The launch config of its server: what a person allows for good is allowed to these. */
  readonly generation: number;
  /** A person gets so long. */
  readonly confirmMs: number;
  /** The merged meta of the tool, which its result carries. */
  readonly meta: ToolMeta | null;
  /** Whether the result is looked at before it is given: its tool has an output schema, or its server a program. */
  readonly isPostProcessed: boolean;
  /** Looking takes no longer; then the result is given as it came. */
  readonly lookMs: number;
  /** A result with more bytes of JSON is cut, and kept whole for the host. */
  readonly resultBytes: number;
}

/** The answer of the `policy` port: is this call right, and may it run? */
export interface Judgement {
  /** Problems of its arguments with the schema of the tool, a line each. */
  readonly problems: readonly string[];
  readonly decision: 'allow' | 'ask' | 'deny';
  /** Why, in one sentence. */
  readonly reason: string;
}
/** The answer of the `confirm` port. */
export interface Confirmation {
  /** `allowForSession`: this caller is not asked about this tool of this server again. */
  readonly decision: 'allow' | 'allowForSession' | 'deny';
  /** Reason that the person gave. */
  readonly reason?: string | undefined;
}

/** The texts are those of the reference implementation (a2c-wire §3.6): its agents know them. */
export const confirmationDenied = '工具调用二次确认被拒绝，请稍后再试';
export const confirmationLate = '当前工具需要用户二次确认是否可以调用，当前确认超时。';
export const confirmationMissing =
  '当前工具需要调用前进行二次确认，但客户端目前没有实现二次确认回调方法。请联系用户反馈此问题';
const failing = '在工具调用二次确认时发生异常，异常信息：';
export const confirmationFailed = (why: string): string => `${failing}${why}`;
/** Meaning of one of these texts in English; undefined: it is none of them. */
export function confirmationInEnglish({ message, details = {} }: Failure): string | undefined {
  const { reason_given: reason } = details;
  if (message === confirmationDenied)
    return `The person at its computer refused the call${typeof reason === 'string' ? `: ${reason}` : ''}`;
  if (message === confirmationLate) return 'Nobody at its computer said in time whether the call may run';
  if (message === confirmationMissing)
    return 'Its computer has nobody who could be asked whether the call may run';
  if (!message.startsWith(failing)) return undefined;
  return `Its computer could not ask whether the call may run: ${message.slice(failing.length)}`;
}

interface Called {
  readonly tool: string;
  readonly server: string;
}
export const argumentsInvalid = ({ tool, server }: Called, problems: readonly string[]): Failure => ({
  code: 'ArgumentsInvalid',
  message: `Wrong arguments for tool '${tool}' of server '${server}': ${problems.join('; ')}`,
  details: { problems, server_name: server, tool_name: tool },
  remedy: 'Call it with arguments as its params_schema wants them.',
});
export const notPermitted = ({ tool, server }: Called, reason: string): Failure => ({
  code: 'NotPermitted',
  message: `Error: Operation not permitted: tool '${tool}' of server '${server}': ${reason}`,
  details: { server_name: server, tool_name: tool },
});
export interface WhyNot {
  /** Reason that the person gave. */
  readonly reason?: string | undefined;
  /** Limit that passed without an answer: whose it was, and how long, in ms. */
  readonly which?: 'caller' | 'total' | 'confirm';
  readonly timeout?: number;
}
export const notConfirmed = (
  { tool, server }: Called,
  text: string,
  { reason, ...late }: WhyNot,
): Failure => ({
  code: wireCodes.notConfirmed,
  message: text,
  details: {
    server_name: server,
    tool_name: tool,
    ...(reason !== undefined && { reason_given: reason }),
    ...late,
  },
});

/** Sentence for a person whose question is open no longer, by the failure with which its call ended. */
export function whyWithdrawn(failure: Failure | null | undefined): string {
  const { which, timeout, cancel_reason: cancelled } = failure?.details ?? {};
  if (typeof timeout === 'number') {
    const seconds = `${timeout / 1000} s`;
    return which === 'confirm' ? `nobody answered within ${seconds}` : `its time, ${seconds}, is over`;
  }
  return typeof cancelled === 'string'
    ? `it was cancelled: ${cancelled}`
    : (failure?.message ?? 'it is over');
}
