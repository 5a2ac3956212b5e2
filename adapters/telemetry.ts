import type * as Api from '@opentelemetry/api';
import type { InspectionEvent } from 'xstate';
import { optionalPackage } from './optional-packages.ts';
import type { Span, SpanEnd, SpanStart, Tracing } from '../machines/kernel/tracing.ts';
import { traceIn, type TraceContext } from '../machines/protocol/messages/messages.ts';
import { asLine } from '../machines/text.ts';

/** What a line of a log begins with, and its sentence; the rest are fields. */
interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
}

/**
 * A log that writes lines of JSON, by pino, which is loaded for who asks. `write` takes one line, without its end. Rejects with what
 * to install where pino is missing.
 */
export async function openJsonLog<Entry extends LogLine>(
  write: (line: string) => void,
): Promise<(entry: Entry) => void> {
  const { pino } = await optionalPackage('pino', '--log', () => import('pino'));
  const logger = pino(
    {
      // What is told at all was decided before.
      level: 'debug',
      base: null,
      // An entry says when it was.
      timestamp: false,
      messageKey: 'message',
      formatters: { level: (level) => ({ level }) },
    },
    { write: (line) => write(line.trimEnd()) },
  );
  return ({ level, message, ...fields }) => logger[level](fields as object, message);
}

type OpenTelemetry = typeof Api;
/** Longer than any sensible name: agents choose what stands there. */
const mostText = 200;
const shown = (text: string): string => asLine(text.slice(0, mostText));

/** As the W3C writes it, whatever propagator the SDK of the host has. */
function traceOf(
  api: OpenTelemetry,
  span: Api.Span,
  parent: TraceContext | undefined,
): TraceContext | undefined {
  const at = span.spanContext();
  if (!api.isSpanContextValid(at)) return parent;
  // Nobody made a span: what was given goes on as it came.
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
  readonly #ended: (span: OpenSpan) => void;
  #isOver = false;

  constructor(
    api: OpenTelemetry,
    span: Api.Span,
    parent: TraceContext | undefined,
    ended: (span: OpenSpan) => void,
  ) {
    this.#api = api;
    this.#span = span;
    this.#ended = ended;
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
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ended(this);
    this.#span.setAttribute('a2c.outcome', outcome);
    if (outcome !== 'succeeded') {
      this.#span.setAttribute('error.type', String(rpcCode ?? code ?? '_OTHER'));
      if (rpcCode !== undefined) this.#span.setAttribute('rpc.response.status_code', String(rpcCode));
      // Without the message: it may quote arguments, or the result. Logs have it, by the `req_id`.
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
    const open = new OpenSpan(this.#api, span, parent, (ended) => this.#open.delete(ended));
    this.#open.add(open);
    return open;
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

/**
 * Spans by the API of OpenTelemetry; where they go the SDK says that this program has set up, before or after. Without an SDK
 * nobody makes any, and a `trace` that a host gave passes unchanged. Rejects with what to install where the API is missing.
 */
export async function openTracing(scope: {
  readonly name: string;
  readonly version: string;
}): Promise<Tracing> {
  const api = await optionalPackage('@opentelemetry/api', 'tracing', () => import('@opentelemetry/api'));
  return new OpenTelemetryTracing(api, api.trace.getTracer(scope.name, scope.version));
}

export interface StatelySink {
  inspect(event: InspectionEvent): void;
  stop(): void;
}

/**
 * Feeds `@statelyai/inspect`, an optional peer of ours, at a WebSocket URL. Its sanitizers leak (contexts stand in
 * definitions and outputs too), so what goes there is everything: parameters and results of calls with it. That is
 * why it is asked for by URL, and never the default. Rejects with what to install when the package is not there.
 */
export async function connectStately(url: string): Promise<StatelySink> {
  if (!/^wss?:\/\//.test(url))
    throw new Error(`--stately takes a WebSocket URL such as ws://127.0.0.1:8080, not ${url}`);
  const { createWebSocketInspector } = await optionalPackage(
    '@statelyai/inspect',
    '--stately',
    () => import('@statelyai/inspect'),
  );
  const inspector = createWebSocketInspector({ url, autoStart: true });
  return {
    inspect: (event) => inspector.inspect.next?.(event),
    stop: () => inspector.stop(),
  };
}
