import { wireText, withMeta } from '../call/policy/index.ts';
import type { BlobShown } from '../blobs/blobs.rules.ts';
import type { CallSettled } from '../call/messages.ts';
import { withRemedy, type AggregateShown, type ResourceRead } from '../resources/collections.ts';
import type { ResourcesShown } from '../resources/resource-pages.ts';
import type { SkillShown, SkillsShown } from '../skills/skills.rules.ts';
import type { PartTaken } from '../uploads/upload.rules.ts';
import type { Missing, SmcpTool } from '../protocol/messages/collections.ts';
import { endingMeta, errorAck, failureResult, type Ending } from '../protocol/messages/answers.ts';
import type { Failure } from '../protocol/failure.ts';
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

/** Ending of a call for the wire; null when it succeeded. */
const endingOf = ({ outcome, phase }: CallSettled): Ending | null =>
  outcome === 'succeeded' ? null : { outcome, phase: phase ?? 'running' };

/**
 * Hides an `error_code` in the metadata of a tool that reported its own failure, because it is not a code of the
 * protocol.
 */
const noCode = (result: unknown): Record<string, unknown> => {
  const { _meta, meta } = toolResult(result);
  const all = { ..._meta, ...(meta as object | undefined) };
  return 'error_code' in all ? { error_code: null } : {};
};

/**
 * Builds the acknowledgement of `client:tool_call`: the server's own result, or a CallToolResult with `isError` whose
 * `structuredContent.error` gives the reason. Both carry `meta.a2c_outcome` and `meta.a2c_server`, overriding the
 * server's values, and `meta.a2c_phase` unless the call succeeded.
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

/** Builds the acknowledgement of `client:get_tools`; `missing` as for a Desktop. */
export const toolsAck = (
  tools: readonly SmcpTool[],
  missing: readonly Missing[],
  reqId: string,
): unknown => ({
  tools,
  ...(missing.length > 0 && { missing }),
  req_id: reqId,
});

/**
 * Builds the acknowledgement of a Desktop or Finder question. `missing` is an extension of ours, present only when
 * data of a server is missing, with the reason.
 */
export const aggregateAck = ({ body, missing, failure, reqId }: AggregateShown): unknown =>
  failure
    ? { ...errorAck(withRemedy(failure)), req_id: reqId }
    : { ...body, ...(missing.length > 0 && { missing }), req_id: reqId };
export const contentsAck = ({ contents, failure, reqId }: ResourceRead): unknown =>
  failure ? { ...errorAck(withRemedy(failure)), req_id: reqId } : { contents, req_id: reqId };

/**
 * Builds the acknowledgement of `client:get_resources`. Peers of 0.2 and later read the server and the capability of
 * a refusal beside its code.
 */
export function resourcesAck({ resources, nextCursor, failure, reqId }: ResourcesShown): unknown {
  if (failure === null)
    return { resources, ...(nextCursor !== null && { next_cursor: nextCursor }), req_id: reqId };
  const { mcp_server, capability } = failure.details ?? {};
  return {
    ...errorAck(failure),
    ...(mcp_server !== undefined && { mcp_server }),
    ...(capability !== undefined && { capability }),
    req_id: reqId,
  };
}

export const skillsAck = ({ skills, failure, reqId }: SkillsShown): unknown =>
  failure ? { ...errorAck(failure), req_id: reqId } : { skills, req_id: reqId };
export const skillAck = ({ file, failure, reqId }: SkillShown): unknown =>
  failure ? { ...errorAck(failure), req_id: reqId } : { ...file, req_id: reqId };
/** Builds the acknowledgement of `client:put_blob`; `received` is an extension of ours. */
export const partAck = ({ upload, offset, received, landed, failure, reqId }: PartTaken): unknown =>
  failure
    ? { ...errorAck(failure), req_id: reqId }
    : {
        upload_id: upload,
        chunk_offset: offset,
        received,
        ...(landed && { landing_path: landed.path, total_size: landed.bytes, sha256: landed.sha256 }),
        req_id: reqId,
      };
export const blobAck = ({ part, failure, reqId }: BlobShown): unknown =>
  failure ? { ...errorAck(failure), req_id: reqId } : { ...part, req_id: reqId };
