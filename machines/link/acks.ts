import { withMeta } from '../call/policy/index.ts';
import type { CallSettled } from '../call/messages.ts';
import { withRemedy, type AggregateShown, type ResourceRead } from '../resources/collections.ts';
import type { SmcpTool } from '../protocol/messages/collections.ts';
import { endingMeta, errorAck, failureResult, type Ending } from '../protocol/messages/answers.ts';
import type { Failure } from '../protocol/failure.ts';
import { toolResult, wrappedForWire } from '../protocol/tool-result.ts';

/** The acks that a computer gives: plain JSON of the wire, made from what the machines know. */

const textOf = (settled: CallSettled, failure: Failure): string => {
  if (settled.end === 'cancelled') return 'Tool call cancelled';
  if (settled.end === 'timedOut') return `调用异常: Tool '${settled.tool}' execution timed out`;
  return failure.message;
};
const marksOf = (settled: CallSettled, failure: Failure): Record<string, unknown> => {
  if (settled.end === 'timedOut') return { a2c_timeout: true };
  if (settled.end === 'cancelled')
    return { a2c_cancelled: true, a2c_cancel_reason: failure.details?.cancel_reason ?? 'agent_requested' };
  return {};
};

/** Null: it succeeded. */
const endingOf = ({ outcome, phase }: CallSettled): Ending | null =>
  outcome === 'succeeded' ? null : { outcome, phase: phase ?? 'running' };

/** A tool that says itself that it failed gives no code of ours: one that stands in its meta is its own. */
const noCode = (result: unknown): Record<string, unknown> => {
  const { _meta, meta } = toolResult(result);
  const all = { ..._meta, ...(meta as object | undefined) };
  return 'error_code' in all ? { error_code: null } : {};
};

/**
 * The ack of `client:tool_call`: the server's own result, or a CallToolResult with `isError` whose
 * `structuredContent.error` says why. Either has `meta.a2c_outcome` and `meta.a2c_server`, whatever its server said there,
 * and `meta.a2c_phase` unless it succeeded.
 */
export function callAck(settled: CallSettled): unknown {
  const { failure, result, server } = settled;
  const ending = endingOf(settled);
  const whose = server === '' ? {} : { a2c_server: server };
  if (failure === null) {
    const wire = wrappedForWire(toolResult(result));
    const said =
      ending === null ? { a2c_outcome: 'succeeded' } : { ...endingMeta(ending), ...noCode(result) };
    return withMeta(wire.result, { ...wire.meta, ...whose, ...said });
  }
  return failureResult(failure, {
    text: textOf(settled, failure),
    meta: { ...whose, ...marksOf(settled, failure) },
    ...(ending && { ending }),
  });
}

export const toolsAck = (tools: readonly SmcpTool[], reqId: string): unknown => ({ tools, req_id: reqId });

/** `missing` is ours, and there only when something is: a server of which not all could be had, and why. */
export const aggregateAck = ({ body, missing, failure, reqId }: AggregateShown): unknown =>
  failure
    ? { ...errorAck(withRemedy(failure)), req_id: reqId }
    : { ...body, ...(missing.length > 0 && { missing }), req_id: reqId };
export const contentsAck = ({ contents, failure, reqId }: ResourceRead): unknown =>
  failure ? { ...errorAck(withRemedy(failure)), req_id: reqId } : { contents, req_id: reqId };
