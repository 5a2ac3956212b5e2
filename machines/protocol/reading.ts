import type { CallToolResult } from './tool-result.ts';
import { toolResult, unwrappedFromWire } from './tool-result.ts';
import { isWireCode, wireCodes, type Failure } from './failure.ts';
import { isObject, type Fields } from './json.ts';
import { endingIn, type Ending, type Outcome } from './messages/answers.ts';

/**
 * Answer read from the acknowledgement of any peer. An error has one of four shapes: nested `{error:
 * {code, message}}` (ours), flat `{code, message}` (0.3.0), `{"Err": text}` (Rust), or an empty acknowledgement
 * (Python: no such handler). A success may be wrapped as `{"Ok": body}` (Rust).
 */
export type Answer =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly failure: Failure };

const isOnlyKey = (value: Fields, key: string): boolean =>
  Object.hasOwn(value, key) && Object.keys(value).length === 1;

/** Of any peer; an unknown code becomes 500 and is kept in the details. */
function readError(error: Fields): Failure {
  const details = isObject(error['details']) ? error['details'] : undefined;
  const remedy = typeof error['remedy'] === 'string' ? { remedy: error['remedy'] } : {};
  const message = typeof error['message'] === 'string' ? error['message'] : 'The peer gave no reason';
  if (isWireCode(error['code']))
    return { code: error['code'], message, ...(details && { details }), ...remedy };
  const foreign = { ...details, code: error['code'] ?? null };
  return { code: wireCodes.internal, message, details: foreign, ...remedy };
}

const isError = (value: unknown): value is Fields =>
  isObject(value) && typeof value['code'] === 'number' && typeof value['message'] === 'string';

/** Reads the first argument of an acknowledgement of `client:*` or `server:list_room`. */
export function readAnswer(ack: unknown): Answer {
  if (ack === undefined || ack === null)
    return {
      ok: false,
      failure: {
        code: wireCodes.notSupported,
        message: 'The peer sent an empty answer: it does not know the event',
      },
    };
  if (!isObject(ack)) return { ok: true, body: ack };
  if (isOnlyKey(ack, 'Ok')) return { ok: true, body: ack['Ok'] };
  if (isOnlyKey(ack, 'Err'))
    return { ok: false, failure: { code: wireCodes.internal, message: String(ack['Err']) } };
  if (isError(ack)) return { ok: false, failure: readError(ack) };
  if (isObject(ack['error'])) return { ok: false, failure: readError(ack['error']) };
  if (typeof ack['error'] === 'string')
    return { ok: false, failure: { code: wireCodes.internal, message: ack['error'] } };
  return { ok: true, body: ack };
}

/** Result of a call, or the failure when there is none. */
export type ToolAnswer =
  | { readonly ok: true; readonly result: CallToolResult }
  | { readonly ok: false; readonly failure: Failure };

/**
 * Reads the acknowledgement of a `client:tool_call` as an MCP result (`_meta`, no nulls). A result with `isError` is
 * still a result; `failureIn` returns its failure. Any object with a list of contents counts as a result.
 * @example
 * socket.emit(events.toolCall, payload, (ack: unknown) => {
 *   const answer = readToolResult(ack);
 *   console.log(answer.ok ? answer.result.content : answer.failure.message);
 * });
 */
export function readToolResult(ack: unknown): ToolAnswer {
  const answer: Answer =
    isObject(ack) && Array.isArray(ack['content']) ? { ok: true, body: ack } : readAnswer(ack);
  return answer.ok ? { ok: true, result: unwrappedFromWire(toolResult(answer.body)) } : answer;
}

export const reportIn = (result: CallToolResult): Partial<Ending> | undefined =>
  result.isError === true ? endingIn(result._meta) : undefined;

/**
 * Returns the failure of a result with `isError`: from `structuredContent.error` (ours or Python's), or from the
 * words of other peers. Our computers always state how a call ended, and a code when they failed it; without a code
 * the tool itself failed, and data that resembles a failure belongs to the tool.
 */
export function failureIn(result: CallToolResult): Failure | undefined {
  const { isError: hasFailed, structuredContent, _meta: meta = {} } = result;
  if (hasFailed !== true) return undefined;
  if (meta['a2c_outcome'] !== undefined && typeof meta['error_code'] !== 'number') return undefined;
  const error = isObject(structuredContent) ? structuredContent['error'] : undefined;
  if (isError(error)) return readError(error);
  const failure = foreignFailureIn(result);
  return failure && { ...failure, message: withoutPrefix(failure.message) };
}

/** `tool_error`: the tool itself reported a failure, without a code. */
export function endingOf(ack: unknown): {
  readonly outcome: Outcome;
  readonly code?: Failure['code'] | 'tool_error';
} {
  const read = readToolResult(ack);
  if (!read.ok) return { outcome: 'failed', code: read.failure.code };
  if (read.result.isError !== true) return { outcome: 'succeeded' };
  return {
    outcome: reportIn(read.result)?.outcome ?? 'failed',
    code: failureIn(read.result)?.code ?? 'tool_error',
  };
}

/** Whole texts of the Python SDK 0.1.2 to 0.4.2, so that a tool that quotes them is no failure. */
const executed = /^(?:调用异常: )?Tool execution failed: (.*)$/s;
const timedOut = /^(?:调用异常: )?Tool '.*' execution timed out$|^工具调用超时 \/ Tool call timeout: /s;
/** Computers of the Python SDK write Chinese words before an English sentence. */
export const withoutPrefix = (text: string): string =>
  text.replace(/^(?:调用异常: |工具调用超时 \/ |工具调用已被取消 \/ )/u, '');
/** The call may have run: the connection was lost, or the server did not answer the SDK in time. */
const lost = /^(?:Connection closed|Timed out while waiting for response to .*|)$/s;
const connectionClosed = 'connection_closed';

/** `wasThere`: Python offices report a computer lost during a call like one that was never there. */
export function mayHaveRun({ code, details }: Failure, wasThere = false): boolean {
  if (code === wireCodes.notFound)
    return lostReasons.has(details?.reason) || (wasThere && details?.reason === undefined);
  if (code === wireCodes.toolFailed) return details?.reason === connectionClosed;
  return code === wireCodes.noAnswer || code === wireCodes.toolTimeout || code === 'ToolCallCancelled';
}
const lostReasons: ReadonlySet<unknown> = new Set(['left', 'too_large', 'closing']);

const ofType: Readonly<Record<string, Failure['code']>> = {
  ValueError: wireCodes.toolNotFound,
  PermissionError: wireCodes.toolDisabled,
  TimeoutError: wireCodes.toolTimeout,
};
/** Pattern of the only text of a Python `ValueError` that means a missing tool; other texts are about arguments. */
const notFound = /^Tool '.*' not found in /s;

function sentOf(text: string): Failure | undefined {
  if (timedOut.test(text)) return { code: wireCodes.toolTimeout, message: text };
  const cause = executed.exec(text)?.[1];
  if (cause === undefined || !lost.test(cause.trim())) return undefined;
  return { code: wireCodes.toolFailed, message: text, details: { reason: connectionClosed } };
}

function ofException(text: string, type: unknown): Failure {
  const sent = type === undefined ? undefined : sentOf(text);
  if (sent) return sent;
  const details = { reason: type };
  const code = typeof type === 'string' && Object.hasOwn(ofType, type) ? ofType[type] : undefined;
  const isFitting = code !== wireCodes.toolNotFound || notFound.test(text);
  return {
    code: code !== undefined && isFitting ? code : wireCodes.toolFailed,
    message: text,
    ...(type !== undefined && { details }),
  };
}

/** Undefined when the tool itself failed and its result tells why. */
function foreignFailureIn({ content, structuredContent, _meta }: CallToolResult): Failure | undefined {
  const { error, error_type: type } = (structuredContent ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof error === 'string') return ofException(error, type);
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  const meta = _meta ?? {};
  if (meta['a2c_cancelled'] === true)
    return {
      code: 'ToolCallCancelled',
      message: text,
      details: { cancel_reason: meta['a2c_cancel_reason'] ?? null },
    };
  const sent = meta['a2c_timeout'] === true ? { code: wireCodes.toolTimeout, message: text } : sentOf(text);
  if (sent) return sent;
  const { error_code: code, mcp_server: server, auth_hint: hint } = meta;
  if (!isWireCode(code)) return undefined;
  const details = {
    ...(server !== undefined && { mcp_server: server }),
    ...(hint !== undefined && { auth_hint: hint }),
  };
  return { code, message: text, ...(Object.keys(details).length > 0 && { details }) };
}

const longestMessage = 2_000;
export function toolErrorText(result: unknown): string {
  const { content } = toolResult(result);
  const texts = content.flatMap((item) =>
    item.type === 'text' && item.text !== '' ? [withoutPrefix(item.text)] : [],
  );
  return texts[0]?.slice(0, longestMessage) ?? 'The tool says that it failed';
}
