import type { ReadOptions } from './agent-handle.ts';
/** Reading of the answers to an agent's calls and questions. */
import {
  failureIn,
  readToolResult,
  wireCodes,
  type CallToolResult,
  type Failure,
} from '../../machines/protocol/index.ts';
import { fromWireError } from '../../machines/protocol/failure.ts';
import { mayHaveRun, reportIn } from '../../machines/protocol/reading.ts';
import { A2cError } from '../kernel/errors.ts';
import type { ToldOutcome } from './call-outcome.ts';

/**
 * Sends one question to a computer. Resolves with the raw ack and with the `req_id` that the ack has to repeat;
 * rejects when no ack comes.
 */
export type AskComputer = (
  method: string,
  request: object,
  options: ReadOptions,
) => Promise<{ readonly ack: unknown; readonly reqId: string }>;

const nameIn = (fields: Readonly<Record<string, unknown>> | undefined, key: string): string | undefined => {
  const name = fields?.[key];
  return typeof name === 'string' ? name : undefined;
};
/** Returns the name of the server that has the tool, as far as its computer says; else an empty text. */
const serverOf = (meta: CallToolResult['_meta'], failure: Failure | null): string =>
  nameIn(meta, 'a2c_server') ?? nameIn(failure?.details, 'server_name') ?? nameIn(meta, 'mcp_server') ?? '';
/** Tells whether a computer reports that a call was cancelled at the agent's request. */
const isTakenBack = ({ code, details }: Failure): boolean =>
  code === 'ToolCallCancelled' && details?.cancel_reason === 'agent_requested';

/**
 * Reads the outcome of a call from the computer's answer: whether the call may have had an effect, on which
 * server, and why it failed. The agent's own machine only knows that an answer came. `wasThere` tells whether the
 * computer sat in the office when the call was made.
 */
export function interpreted(outcome: ToldOutcome, wasThere = false): ToldOutcome {
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
  const failure = said && fromWireError(said);
  return { ...ended, end: failure && isTakenBack(failure) ? 'cancelled' : end, failure };
}
/**
 * Adds the names of the computer and the server to the outcome of a call and to the details of its failure. `there`
 * returns the computers that are in the office.
 */
export function placedAt(
  computer: string,
  outcome: ToldOutcome,
  there: () => readonly string[],
): ToldOutcome {
  const { failure, server } = outcome;
  if (!failure) return { ...outcome, computer };
  const details = { ...failure.details, ...(server !== '' && { server_name: server }), computer };
  return {
    ...outcome,
    computer,
    failure: { ...atComputer(computer, withPresent(computer, failure, there)), details },
  };
}
/** Largest number of computers that a remedy names. */
const mostNamed = 20;
/** Adds the names that are in the office to a refusal of a computer that is not there, as its remedy. */
export function withPresent(computer: string, failure: Failure, there: () => readonly string[]): Failure {
  if (failure.code !== wireCodes.notFound || failure.remedy !== undefined) return failure;
  const names = there();
  if (names.includes(computer)) return failure;
  const named = names.slice(0, mostNamed).map((name) => `'${name}'`);
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return { ...failure, remedy: `In this office: ${named.join(', ') || 'no computer'}${more}.` };
}
/** Says for whom the remedy of a call is that nobody confirmed: for the host of the computer. */
const atComputer = (computer: string, failure: Failure): Failure =>
  failure.code === wireCodes.notConfirmed && failure.remedy !== undefined
    ? { ...failure, remedy: `On computer '${computer}': ${failure.remedy}` }
    : failure;

/** Makes the error of a failed question, with the `req_id` under which the logs of all sides have it. */
export const questionError = (failure: Failure, reqId: string): A2cError => {
  const read = fromWireError(failure);
  return new A2cError({ ...read, details: { ...read.details, req_id: reqId } });
};

/**
 * Returns the error of a question that got no answer, else undefined. A timeout gets a text of its own, because
 * the machine's text speaks of tool calls.
 */
export function unanswered({ end, failure, reqId }: ToldOutcome, method: string): A2cError | undefined {
  if (!failure) return undefined;
  if (end !== 'timedOut') return questionError(failure, reqId);
  const message = `There was no answer to ${method} within ${String(failure.details?.['timeout'])} ms`;
  return questionError({ code: wireCodes.timeout, message }, reqId);
}
