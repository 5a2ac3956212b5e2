import type { ToolMeta } from '../../catalog/tool.ts';
import { wireCodes, type Failure } from '../../protocol/failure.ts';

export interface CallPolicy {
  /** By the caller, or by a person for the session; then `ask` counts as `allow`. */
  readonly isConfirmed: boolean;
  /** A permission for the session is valid for this launch config only. */
  readonly generation: number;
  readonly confirmMs: number;
  readonly meta: ToolMeta | null;
  /** The tool has an output schema, or the server a VRL program. */
  readonly isPostProcessed: boolean;
  /** In ms; after it the result is passed on unchanged. */
  readonly lookMs: number;
  /** Largest result in bytes of JSON; a larger one is cut, and the host keeps the full one. */
  readonly resultBytes: number;
}

export interface Judgement {
  readonly problems: readonly string[];
  readonly decision: 'allow' | 'ask' | 'deny';
  readonly reason: string;
}
/** Answer of the `confirm` port, from the person who was asked. */
export interface Confirmation {
  /** Decision of the person. `allowForSession`: this caller is not asked again about this tool of this server. */
  readonly decision: 'allow' | 'allowForSession' | 'deny';
  /** Reason that the person gave for the refusal of the call. */
  readonly reason?: string | undefined;
}

/** Copied from the reference implementation (a2c-wire §3.6), because its agents recognize them. */
export const confirmationDenied = '工具调用二次确认被拒绝，请稍后再试';
export const confirmationLate = '当前工具需要用户二次确认是否可以调用，当前确认超时。';
export const confirmationMissing =
  '当前工具需要调用前进行二次确认，但客户端目前没有实现二次确认回调方法。请联系用户反馈此问题';
const failing = '在工具调用二次确认时发生异常，异常信息：';
export const confirmationFailed = (why: string): string => `${failing}${why}`;
/**
 * Ways in which a confirmation fails. `denied`: a person said no. `late`: nobody answered in time. `missing`: nobody
 * can be asked. `failed`: the question itself failed.
 */
export type ConfirmationText = 'denied' | 'late' | 'missing' | 'failed';
/** Facts of a failed confirmation. */
export interface ConfirmationValues {
  /** Name of the server in the config. */
  readonly server: string;
  /** Name of the tool on its own server. */
  readonly tool: string;
  /** Reason in the words of the person who refused, or of the error that stopped the question; absent without one. */
  readonly reason?: string;
}
/** From the failure of a call, or of an upload, whose details say it; undefined for any other failure. */
export function failedConfirmation({
  message,
  details = {},
}: Failure): { readonly key: ConfirmationText; readonly values: ConfirmationValues } | undefined {
  const { server_name: server, tool_name: tool, reason_given: given, why } = details;
  const isFailed = message.startsWith(failing);
  const key = isFailed ? 'failed' : (keyOfText[message] ?? keys.find((each) => each === why));
  if (key === undefined) return undefined;
  const reason = isFailed ? message.slice(failing.length) : given;
  const values = { server: textIn(server), tool: textIn(tool) };
  return { key, values: typeof reason === 'string' ? { ...values, reason } : values };
}
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
const keyOfText: Readonly<Record<string, ConfirmationText>> = {
  [confirmationDenied]: 'denied',
  [confirmationLate]: 'late',
  [confirmationMissing]: 'missing',
};
const keys: readonly ConfirmationText[] = ['denied', 'late', 'missing', 'failed'];
const because = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason}`);
export const confirmationTexts: Readonly<Record<ConfirmationText, (values: ConfirmationValues) => string>> = {
  denied: ({ reason }) => `A person refused the call${because(reason)}`,
  late: () => 'Nobody said in time whether the call may run',
  missing: () => 'There is nobody who could be asked whether the call may run',
  failed: ({ reason }) => `The question whether the call may run failed${because(reason)}`,
};
/** For hosts: on the wire the text of the reference implementation stays. */
export function inEnglish<T extends { readonly failure: Failure | null }>(told: T): T {
  const found = told.failure && failedConfirmation(told.failure);
  if (!found) return told;
  const message = confirmationTexts[found.key](found.values);
  const details = { ...told.failure?.details, why: found.key };
  return { ...told, failure: { ...told.failure, message, details } };
}
/** An English sentence that says who refused and why, then the text of the reference implementation. */
export function wireText(failure: Failure): string {
  const found = failedConfirmation(failure);
  return found ? `${confirmationTexts[found.key](found.values)}. ${failure.message}` : failure.message;
}

interface Called {
  readonly tool: string;
  readonly server: string;
}
export const argumentsInvalid = ({ tool, server }: Called, problems: readonly string[]): Failure => ({
  code: 'ArgumentsInvalid',
  message: `Wrong arguments for tool '${tool}' of server '${server}': ${problems.join('; ')}`,
  details: { problems, server_name: server, tool_name: tool },
  remedy: 'Call it with arguments as its input schema wants them.',
});
export const notPermitted = ({ tool, server }: Called, reason: string): Failure => ({
  code: 'NotPermitted',
  message: `Error: Operation not permitted: tool '${tool}' of server '${server}': ${reason}`,
  details: { server_name: server, tool_name: tool },
});
export interface WhyNot {
  readonly reason?: string | undefined;
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
