import type { CallSettled } from './settlement.ts';
import type { AggregateShown, ResourceRead } from './systems/index.ts';
import type { SmcpTool } from './wire/tool.ts';
import { errorAck, failureResult } from './wire/answers.ts';
import { wireCodes, type Failure } from './wire/failure.ts';

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
  return settled.end === 'refused' ? { error_code: wireCodes.notConfirmed } : {};
};

/**
 * The ack of `client:tool_call`: the server's own result as it came, or a CallToolResult with `isError` whose
 * `structuredContent.error` says why and, in `details.outcome`, whether the tool may have run.
 */
export function callAck(settled: CallSettled): unknown {
  const { failure } = settled;
  if (failure === null) return settled.result;
  const details = { ...failure.details, outcome: settled.outcome };
  return failureResult(
    { ...failure, details },
    { text: textOf(settled, failure), meta: marksOf(settled, failure) },
  );
}

export const conflictAck = (reqId: string): unknown =>
  failureResult({
    code: wireCodes.conflict,
    message: `A call '${reqId}' is already in flight`,
    details: { req_id: reqId, outcome: 'failed' },
  });

export const toolsAck = (tools: readonly SmcpTool[], reqId: string): unknown => ({ tools, req_id: reqId });

/** `missing` is ours, and there only when something is: a server of which not all could be had, and why. */
export const aggregateAck = ({ body, missing, failure, reqId }: AggregateShown): unknown =>
  failure
    ? { ...errorAck(failure), req_id: reqId }
    : { ...body, ...(missing.length > 0 && { missing }), req_id: reqId };
export const contentsAck = ({ contents, failure, reqId }: ResourceRead): unknown =>
  failure ? { ...errorAck(failure), req_id: reqId } : { contents, req_id: reqId };
