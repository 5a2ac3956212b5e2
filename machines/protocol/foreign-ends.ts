import { isWireCode, wireCodes, type Failure } from './failure.ts';
import type { CallToolResult } from './tool-result.ts';

/**
 * What the Python SDK says of the end of a call, in words and marks of its own: its computers know no `a2c_outcome`. The
 * texts are those of 0.1.2 to 0.4.2, whole, so that a tool which only quotes them is not mistaken for one.
 */
const executed = /^(?:调用异常: )?Tool execution failed: (.*)$/s;
const timedOut = /^(?:调用异常: )?Tool '.*' execution timed out$|^工具调用超时 \/ Tool call timeout: /s;
/** The connection to the server ended, or it did not answer the SDK in time: it had the call by then. */
const lost = /^(?:Connection closed|Timed out while waiting for response to .*|)$/s;
/** The reason of a failure after which nobody knows whether the tool has run. */
export const connectionClosed = 'connection_closed';

const ofType: Readonly<Record<string, Failure['code']>> = {
  ValueError: wireCodes.toolNotFound,
  PermissionError: wireCodes.toolDisabled,
  TimeoutError: wireCodes.toolTimeout,
};
/** Of a `ValueError` only this one means that there is no such tool: others are about arguments. */
const notFound = /^Tool '.*' not found in /s;

/** What its text alone tells of a call that was sent. */
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
export function foreignFailureIn({ content, structuredContent, _meta }: CallToolResult): Failure | undefined {
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
