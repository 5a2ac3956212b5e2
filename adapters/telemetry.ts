import type * as Api from '@opentelemetry/api';
import { optionalPackage } from './optional-packages.ts';
import { codeNameOf } from '../machines/protocol/failure.ts';
import type { Span, SpanEnd, SpanStart, Tracing } from '../machines/kernel/tracing.ts';
import { traceIn, type TraceContext } from '../machines/protocol/messages/messages.ts';
import { asLine } from '../machines/text.ts';

type OpenTelemetry = typeof Api;
/** Longest attribute of a span, in characters. Agents choose tool names, so longer text is cut. */
const mostText = 200;
const shown = (text: string): string => asLine(text.slice(0, mostText));

/** W3C `traceparent`, whatever propagator the host's SDK uses. */
function traceOf(
  api: OpenTelemetry,
  span: Api.Span,
  parent: TraceContext | undefined,
): TraceContext | undefined {
  const at = span.spanContext();
  if (!api.isSpanContextValid(at)) return parent;
  // Passes the given context on unchanged when no SDK created a span of its own.
  if (parent?.traceparent.split('-')[2] === at.spanId) return parent;
  const flags = at.traceFlags.toString(16).padStart(2, '0');
  return traceIn({
    traceparent: `00-${at.traceId}-${at.spanId}-${flags}`,
    tracestate: at.traceState?.serialize() || undefined,
  });
}

class OpenSpan implements Span {
  readonly trace: TraceContext | undefined;
  readonly #api: OpenTelemetry;
  readonly #span: Api.Span;
  readonly #open: Set<OpenSpan>;

  constructor(api: OpenTelemetry, span: Api.Span, parent: TraceContext | undefined, open: Set<OpenSpan>) {
    this.#api = api;
    this.#span = span;
    this.#open = open.add(this);
    this.trace = traceOf(api, span, parent);
  }
  set(attribute: string, value: string): void {
    this.#span.setAttribute(attribute, shown(value));
  }
  within<T>(run: () => T): T {
    const { context, trace } = this.#api;
    return context.with(trace.setSpan(context.active(), this.#span), run);
  }
  end({ outcome, code, rpcCode }: SpanEnd): void {
    if (!this.#open.delete(this)) return;
    this.#span.setAttribute('a2c.outcome', outcome);
    if (outcome !== 'succeeded') {
      this.#span.setAttribute(
        'error.type',
        String(rpcCode ?? (code === undefined ? '_OTHER' : codeNameOf(code as never))),
      );
      if (rpcCode !== undefined) this.#span.setAttribute('rpc.response.status_code', String(rpcCode));
      // The message may quote arguments or results of a call; the log has it under the same `req_id`.
      this.#span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}

class OpenTelemetryTracing implements Tracing {
  readonly #api: OpenTelemetry;
  readonly #tracer: Api.Tracer;
  readonly #open = new Set<OpenSpan>();

  constructor(api: OpenTelemetry, tracer: Api.Tracer) {
    this.#api = api;
    this.#tracer = tracer;
  }
  start({
    layer,
    kind,
    method,
    tool,
    reqId,
    office,
    computer,
    more,
    parent,
    isOurs = false,
  }: SpanStart): Span {
    const { ROOT_CONTEXT, SpanKind, context, trace } = this.#api;
    const attributes: Record<string, string> = { 'a2c.layer': layer };
    const given = {
      'gen_ai.tool.name': tool,
      'a2c.req_id': reqId,
      'a2c.office': office,
      'a2c.computer': computer,
      ...more,
    };
    for (const [name, value] of Object.entries(given))
      if (value !== undefined) attributes[name] = shown(value);
    const remote = parent && this.#remoteOf(parent);
    const around = remote
      ? trace.setSpanContext(ROOT_CONTEXT, remote)
      : isOurs
        ? context.active()
        : ROOT_CONTEXT;
    const kinds = { client: SpanKind.CLIENT, server: SpanKind.SERVER, internal: SpanKind.INTERNAL };
    const name = tool === undefined ? method : `${method} ${shown(tool)}`;
    const span = this.#tracer.startSpan(name, { kind: kinds[kind], attributes }, around);
    return new OpenSpan(this.#api, span, parent, this.#open);
  }
  close(): void {
    for (const span of this.#open) span.end({ outcome: 'unknown' });
  }
  #remoteOf({ traceparent, tracestate }: TraceContext): Api.SpanContext {
    const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-');
    const traceState = tracestate === undefined ? undefined : this.#api.createTraceState(tracestate);
    return {
      traceId,
      spanId,
      traceFlags: parseInt(flags, 16),
      isRemote: true,
      ...(traceState && { traceState }),
    };
  }
}

/** Without an SDK no span is created, and a trace context that the host passes in is forwarded unchanged. */
export async function openTracing(scope: {
  readonly name: string;
  readonly version: string;
}): Promise<Tracing> {
  const api = await optionalPackage<typeof Api>('@opentelemetry/api', 'tracing');
  return new OpenTelemetryTracing(api, api.trace.getTracer(scope.name, scope.version));
}
