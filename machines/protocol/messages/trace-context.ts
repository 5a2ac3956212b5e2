import { z } from 'zod';

/**
 * The place of a call in a distributed trace, as the W3C has it (Trace Context): an extension of ours in `client:tool_call`,
 * and in `_meta` of `tools/call`, where MCP has it.
 */
export interface TraceContext {
  /** Such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. */
  readonly traceparent: string;
  /** What vendors add. */
  readonly tracestate?: string;
}
const traceparent = z.string().regex(/^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/);
const tracestate = z.string().max(512);
/** What is none is left out: no call fails by its trace. */
export const traceFields = {
  traceparent: traceparent.optional().catch(undefined),
  tracestate: tracestate.optional().catch(undefined),
};
/** Of whatever a peer or a host has given. */
export function traceIn(given: {
  readonly traceparent?: unknown;
  readonly tracestate?: unknown;
}): TraceContext | undefined {
  if (given.traceparent === undefined) return undefined;
  const parent = traceparent.safeParse(given.traceparent);
  if (!parent.success) return undefined;
  const state = tracestate.safeParse(given.tracestate);
  return { traceparent: parent.data, ...(state.success && { tracestate: state.data }) };
}
