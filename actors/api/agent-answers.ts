/** Meaning of the answers to an agent's calls and questions. */
import {
  failureIn,
  readToolResult,
  wireCodes,
  type CallToolResult,
  type Failure,
} from '../../machines/protocol/index.ts';
import { connectionClosed, reportIn } from '../../machines/protocol/reading.ts';
import { A2cError } from '../kernel/errors.ts';
import type { CallOutcome } from './pending-calls.ts';

/**
 * Tells whether a failed call may have run, where its peer does not say: an office answers for a computer that has
 * the call already, a server is slow, a call is cancelled. An office of Python reports a computer that is lost during
 * a call like one that was never there.
 */
function mayHaveRun({ code, details }: Failure, wasThere: boolean): boolean {
  if (code === wireCodes.notFound)
    return lostReasons.has(details?.reason) || (wasThere && details?.reason === undefined);
  if (code === wireCodes.toolFailed) return details?.reason === connectionClosed;
  return code === wireCodes.timeout || code === wireCodes.toolTimeout || code === 'ToolCallCancelled';
}
const lostReasons: ReadonlySet<unknown> = new Set(['left', 'too_large', 'closing']);

const nameIn = (fields: Readonly<Record<string, unknown>> | undefined, key: string): string | undefined => {
  const name = fields?.[key];
  return typeof name === 'string' ? name : undefined;
};
/** The server that has the tool, as far as its computer says. */
const serverOf = (meta: CallToolResult['_meta'], failure: Failure | null): string =>
  nameIn(meta, 'a2c_server') ?? nameIn(failure?.details, 'server_name') ?? nameIn(meta, 'mcp_server') ?? '';
/** Tells whether the computer says that the agent took this call back. */
const isTakenBack = ({ code, details }: Failure): boolean =>
  (code === 'ToolCallCancelled' || details?.reason === 'ToolCallCancelled') &&
  details?.cancel_reason === 'agent_requested';

/**
 * Reads the outcome of a call from the answer of the other side. The agent's own machine only sees that an answer
 * came; whether the call may have had an effect, where it was and why is in the answer. `wasThere`: the computer sat
 * in the office when it was called.
 */
export function interpreted(outcome: CallOutcome, wasThere = false): CallOutcome {
  if (outcome.failure !== null) return outcome;
  const read = readToolResult(outcome.result);
  const said = (read.ok ? failureIn(read.result) : read.failure) ?? null;
  const result = read.ok ? read.result : null;
  const report = read.ok ? reportIn(read.result) : {};
  const meta = result?._meta;
  const known = { ...outcome, server: serverOf(meta, said), result };
  if (!report && !said) return known;
  const { outcome: end = said && mayHaveRun(said, wasThere) ? 'unknown' : 'failed', phase = 'running' } =
    report ?? {};
  const ended = { ...known, outcome: end, phase };
  return said && isTakenBack(said)
    ? { ...ended, end: 'cancelled', failure: { ...said, code: 'ToolCallCancelled' } }
    : { ...ended, end, failure: said };
}
/** The outcome of a call of this computer, with the server and the computer that its failure is about. */
export function placedAt(computer: string, outcome: CallOutcome): CallOutcome {
  const { failure, server } = outcome;
  const details = { ...failure?.details, ...(server !== '' && { server_name: server }), computer };
  return { ...outcome, computer, ...(failure && { failure: { ...failure, details } }) };
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
