/** Answer to a call of an agent, as it goes over the wire. */
import { type CallSettled } from '../call/call.rules.ts';
import { wireText } from '../call/policy/policy.ts';
import { withMeta } from '../call/policy/result.ts';
import type { Failure } from '../protocol/failure.ts';
import { endingMeta, failureResult, type Ending } from '../protocol/messages/answers.ts';
import { type Missing, type SmcpTool } from '../protocol/messages/collections.ts';
import { toolResult, wrappedForWire } from '../protocol/tool-result.ts';

const textOf = (settled: CallSettled, failure: Failure): string => {
  if (settled.end === 'cancelled') return 'Tool call cancelled';
  if (settled.end === 'timedOut') return `调用异常: Tool '${settled.tool}' execution timed out`;
  return wireText(failure);
};
const marksOf = (settled: CallSettled, failure: Failure): Record<string, unknown> => {
  if (settled.end === 'timedOut') return { a2c_timeout: true };
  if (settled.end === 'cancelled')
    return { a2c_cancelled: true, a2c_cancel_reason: failure.details?.cancel_reason ?? 'agent_requested' };
  return {};
};

const endingOf = ({ outcome, phase }: CallSettled): Ending | null =>
  outcome === 'succeeded' ? null : { outcome, phase: phase ?? 'running' };

/** An `error_code` of a tool that reported its own failure is no code of the protocol. */
const noCode = (result: unknown): Record<string, unknown> => {
  const { _meta, meta } = toolResult(result);
  const all = { ..._meta, ...(meta as object | undefined) };
  return 'error_code' in all ? { error_code: null } : {};
};

/** A failure gets `structuredContent.error`; `meta.a2c_*` override the server's values. */
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

/** `missing` is an extension of ours, present only when tools of a server are missing. */
export const toolsAck = (
  tools: readonly SmcpTool[],
  missing: readonly Missing[],
  reqId: string,
): unknown => ({ tools, ...(missing.length > 0 && { missing }), req_id: reqId });
