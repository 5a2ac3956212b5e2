/** What an agent makes of the answers to its calls and questions. */
import { failureIn, readToolResult, wireCodes, type Failure } from '../machines/wire/index.ts';
import { A2cError } from './errors.ts';
import type { CallOutcome } from './pending-calls.ts';

/** An office that answers for a computer which has the call already, or that computer when its server was too slow. */
function mayHaveRun({ code, details }: Failure): boolean {
  if (details?.outcome === 'unknown' || details?.outcome === 'failed') return details.outcome === 'unknown';
  if (code === wireCodes.notFound) return lostReasons.has(details?.reason);
  return code === wireCodes.timeout || code === wireCodes.toolTimeout;
}
const lostReasons: ReadonlySet<unknown> = new Set(['left', 'too_large', 'closing']);

const failed = { outcome: 'failed', end: 'failed' } as const;

/** What the other side said of a call, in our words: its error object may know more than our own machine. */
export function interpreted(outcome: CallOutcome): CallOutcome {
  if (outcome.failure !== null) return outcome;
  const read = readToolResult(outcome.result);
  const failure = read.ok ? failureIn(read.result) : read.failure;
  const result = read.ok ? read.result : null;
  // Wrapped as Rust does it, or spelled as Python does: our machine did not see that the tool says it failed.
  if (!failure)
    return read.ok && read.result.isError ? { ...outcome, ...failed, result } : { ...outcome, result };
  const end = mayHaveRun(failure) ? 'unknown' : 'failed';
  return { ...outcome, outcome: end, end, result, failure };
}

/** A failure of a question, with the name under which it is found in the logs of everybody on its way. */
export const questionError = (failure: Failure, reqId: string): A2cError =>
  new A2cError({ ...failure, details: { ...failure.details, req_id: reqId } });

/** Why a question has no answer at all; the machine that asked it speaks of tools. */
export function unanswered({ end, failure, reqId }: CallOutcome, method: string): A2cError | undefined {
  if (!failure) return undefined;
  if (end !== 'timedOut') return questionError(failure, reqId);
  const message = `There was no answer to ${method} within ${String(failure.details?.['timeout'])} ms`;
  return questionError({ code: wireCodes.timeout, message }, reqId);
}
