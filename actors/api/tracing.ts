import { newId } from '../../adapters/clock.ts';
import type { SpanStart, Tracing } from '../../machines/kernel/tracing.ts';
import { version } from '../../machines/version.ts';
import type { CallOutcome, Call, CallOptions } from './call-outcome.ts';
import { badRequest } from '../kernel/errors.ts';
import { traceIn } from '../../machines/protocol/messages/messages.ts';

/** Rejects with an `A2cError` where the package `@opentelemetry/api` is not installed. */
export async function tracingOf(isWanted: boolean | undefined): Promise<Tracing | undefined> {
  if (isWanted !== true) return undefined;
  try {
    const { openTracing } = await import('../../adapters/telemetry.ts');
    return await openTracing({ name: 'a2c-actors', version });
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error), 'Or leave out tracing.');
  }
}
const codeOf = ({ failure, toolError }: CallOutcome) => (toolError ? ('tool_error' as const) : failure?.code);
/** The parent of the new span is the `trace` of the host, else the span that is active in the program. */
export function tracedCall<C extends Call>(
  tracing: Tracing,
  about: Pick<SpanStart, 'layer' | 'kind' | 'method' | 'tool' | 'office' | 'computer'>,
  options: CallOptions,
  call: (options: CallOptions) => C,
): C {
  const { reqId = newId() } = options;
  const span = tracing.start({ ...about, reqId, parent: traceIn(options.trace ?? {}), isOurs: true });
  const { trace: _, ...others } = options;
  const called = call({ ...others, reqId, ...(span.trace && { trace: span.trace }) });
  void called.then((outcome) => span.end({ outcome: outcome.outcome, code: codeOf(outcome) }));
  return called;
}
