import { isWireCode, wireCodes, type Failure } from './failure.ts';
import { endingIn, type Ending, type Outcome } from './messages/answers.ts';
import { toolResult, unwrappedFromWire, type CallToolResult } from './tool-result.ts';
import { isObject, type Fields } from './json.ts';

/**
 * Reading the acks of strangers. An error comes in four shapes (a2c-wire §9 X5): nested
 * `{error: {code, message}}` (ours), flat `{code, message}` (0.3.0), `{"Err": text}` (Rust), and an empty ack
 * (Python: no such handler). A success may be wrapped as `{"Ok": body}` (Rust).
 */
export type Answer =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly failure: Failure };

const isOnlyKey = (value: Fields, key: string): boolean =>
  Object.hasOwn(value, key) && Object.keys(value).length === 1;

/** `{code, message, details?, remedy?}` of anyone → a failure; a code that we do not know becomes 500 and is kept in the details. */
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

/** The first argument of an ack to `client:*` or `server:list_room`. */
export function readAnswer(ack: unknown): Answer {
  if (ack === undefined || ack === null)
    return {
      ok: false,
      failure: {
        code: wireCodes.notBuilt,
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

/** The result of a call, or why there is none. */
export type ToolAnswer =
  | { readonly ok: true; readonly result: CallToolResult }
  | { readonly ok: false; readonly failure: Failure };

/**
 * The ack of a `client:tool_call` as an MCP result (`_meta`, no nulls). A result with `isError` is a result;
 * `failureIn` tells what went wrong in it. What has a list of contents is a result, whatever stands beside that.
 */
export function readToolResult(ack: unknown): ToolAnswer {
  const answer: Answer =
    isObject(ack) && Array.isArray(ack['content']) ? { ok: true, body: ack } : readAnswer(ack);
  return answer.ok ? { ok: true, result: unwrappedFromWire(toolResult(answer.body)) } : answer;
}

/** Whether a result says that its call did not end well; then what it says of its end. */
export const reportIn = (result: CallToolResult): Partial<Ending> | undefined =>
  result.isError === true ? endingIn(result._meta) : undefined;

/**
 * The failure that a result with `isError` carries in `structuredContent.error`, ours or Python's; else what strangers say.
 * A computer of ours says how the call ended, and of a failure its code: without one the tool itself has failed, and what
 * looks like a failure in its result is its own.
 */
export function failureIn(result: CallToolResult): Failure | undefined {
  const { isError: hasFailed, structuredContent, _meta: meta = {} } = result;
  if (hasFailed !== true) return undefined;
  if (meta['a2c_outcome'] !== undefined && typeof meta['error_code'] !== 'number') return undefined;
  const error = isObject(structuredContent) ? structuredContent['error'] : undefined;
  return isError(error) ? readError(error) : foreignFailureIn(result);
}

/** How the answer to a call says that it ended; `tool_error`: the tool itself says that it failed, and gives no code. */
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

/**
 * End of a call as the Python SDK tells it, in words and marks of its own: its computers know no `a2c_outcome`. The
 * texts are those of 0.1.2 to 0.4.2, whole, so that a tool which only quotes them is not mistaken for one.
 */
const executed = /^(?:调用异常: )?Tool execution failed: (.*)$/s;
const timedOut = /^(?:调用异常: )?Tool '.*' execution timed out$|^工具调用超时 \/ Tool call timeout: /s;
/** The connection to the server ended, or it did not answer the SDK in time: it had the call by then. */
const lost = /^(?:Connection closed|Timed out while waiting for response to .*|)$/s;
/** Reason of a failure that leaves open whether the tool has run. */
export const connectionClosed = 'connection_closed';

const ofType: Readonly<Record<string, Failure['code']>> = {
  ValueError: wireCodes.toolNotFound,
  PermissionError: wireCodes.toolDisabled,
  TimeoutError: wireCodes.toolTimeout,
};
/** Words of the one `ValueError` that means that there is no such tool: others are about arguments. */
const notFound = /^Tool '.*' not found in /s;

/** Failure that the text alone tells of a call that was sent. */
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

/** Null: the tool has failed by itself, and its result says why. */
function foreignFailureIn({ content, structuredContent, _meta }: CallToolResult): Failure | undefined {
  const { error, error_type: type } = (structuredContent ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof error === 'string') return ofException(error, type);
  const [first] = content;
  const text = typeof first?.['text'] === 'string' ? first['text'] : '';
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
