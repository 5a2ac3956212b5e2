import type { Emit, RequestFact } from '../../machines/kernel/ports.ts';
import type { SessionInput } from '../../machines/ports/session.ts';
import type { SpanEnd, Tracing } from '../../machines/kernel/tracing.ts';
import { traceIn } from '../../machines/protocol/messages/messages.ts';
import { toolResult } from '../../machines/protocol/tool-result.ts';
import type { RemoteSpec } from './http/remote.ts';
import type { ListRequest } from './messages/pages.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';

type Send = (request: ListRequest, emit: Emit<RequestFact>, sent: (id: number) => void) => () => void;
function networkOf(
  process: SessionInput['process'],
  kind: RemoteSpec['kind'] | undefined,
): Record<string, string> {
  if (process !== null) return { 'network.transport': 'pipe' };
  const isWeb = kind === 'streamable' || kind === 'sse';
  return isWeb ? { 'network.transport': 'tcp', 'network.protocol.name': 'http' } : {};
}
function endOf(fact: RequestFact): SpanEnd | undefined {
  if (fact.type === 'ask.answered')
    return toolResult(fact.result).isError === true
      ? { outcome: 'failed', code: 'tool_error' }
      : { outcome: 'succeeded' };
  if (fact.type !== 'ask.refused') return undefined;
  const { failure, lost } = fact;
  const rpcCode = lost ? undefined : failure.details?.['code'];
  return {
    outcome: lost ? 'unknown' : 'failed',
    code: failure.code,
    ...(typeof rpcCode === 'number' && { rpcCode }),
  };
}
const withdrawn: SpanEnd = { outcome: 'unknown', code: 'cancelled' };

/** Sender of the tool calls of one session. Each call has a span of its own by the OpenTelemetry conventions for MCP clients. */
export class TracedRequests {
  readonly #tracing: Tracing;
  readonly #more: Readonly<Record<string, string>>;

  constructor(tracing: Tracing, { server, process }: SessionInput, kind: RemoteSpec['kind'] | undefined) {
    this.#tracing = tracing;
    this.#more = {
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'a2c.server': server,
      ...networkOf(process, kind),
    };
  }
  send(
    request: ListRequest,
    emit: Emit<RequestFact>,
    { reqId, version }: { readonly reqId: string | undefined; readonly version: string },
    send: Send,
  ): () => void {
    const { name, _meta: meta } = fieldsOf(request.params);
    const span = this.#tracing.start({
      layer: 'server',
      kind: 'client',
      method: request.method,
      ...(typeof name === 'string' && { tool: name }),
      reqId,
      more: { ...this.#more, ...(version !== '' && { 'mcp.protocol.version': version }) },
      parent: traceIn(fieldsOf(meta)),
    });
    const params = span.trace
      ? { ...fieldsOf(request.params), _meta: { ...fieldsOf(meta), ...span.trace } }
      : request.params;
    const told: Emit<RequestFact> = (fact) => {
      const end = endOf(fact);
      if (end) span.end(end);
      emit(fact);
    };
    const sent = (id: number): void => span.set('jsonrpc.request.id', String(id));
    const withdraw = span.within(() => send({ ...request, params }, told, sent));
    return () => {
      span.end(withdrawn);
      withdraw();
    };
  }
}
