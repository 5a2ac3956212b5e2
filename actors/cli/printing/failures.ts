import type { CallOutcome } from '../../api/call-outcome.ts';
import { resultText } from './contents.ts';
import { type ReadCommand } from './hints.ts';
import type { CommandContext } from '../context.ts';
import type { ServerStatus } from '../../servers/server-handle.ts';
import { factLine, type Fact } from '../../../machines/facts.ts';
import type { IncidentFact } from '../../../machines/incidents/incident.ts';
import { hostFailure, type Failure, type HostFailure } from '../../../machines/protocol/failure.ts';

/** With `--json` it is the one document on stdout. */
export function showFailure(
  { terminal }: CommandContext,
  failure: Failure | HostFailure,
  asJson: boolean,
): void {
  const { code, message, details = {}, remedy = null } = hostFailure(failure);
  if (asJson) terminal.out(JSON.stringify({ error: { code, message, details, remedy } }));
  else {
    // Indents every line below the first, because a config failure has one mistake a line.
    terminal.errText(`error: ${failure.message.replaceAll('\n', '\n  ')}`);
    if (remedy !== null) terminal.err(`  ${remedy}`);
  }
}

/** Null when the tool itself failed, because its result then says why. */
export const ownFailure = ({ toolError, failure }: CallOutcome): HostFailure | null =>
  toolError ? null : failure;
export const callJson = (ended: CallOutcome): object => ({
  outcome: ended.outcome,
  phase: ended.phase,
  server: ended.server,
  tool: ended.tool,
  req_id: ended.reqId,
  duration_ms: ended.durationMs,
  result: ended.result,
  failure: ownFailure(ended),
});
/** The result then has the same text in two languages, for models. */
const isUnconfirmed = ({ code }: HostFailure): boolean => code === 'NotConfirmed';
/** Undefined without a result, or when the text only repeats the failure. */
export function besideFailure(
  result: CallOutcome['result'],
  failure: HostFailure | null,
  reading: ReadCommand,
): string | undefined {
  if (result === null) return undefined;
  if (!failure) return resultText(result, reading);
  const { structuredContent: _, ...rest } = result;
  const text = resultText(rest, reading);
  return failure.message === text || isUnconfirmed(failure) ? undefined : text;
}

/** Always when no person reads stdout, and with `--facts`. */
export const tellFact = (
  { terminal }: CommandContext,
  { facts = false }: { facts?: boolean },
  fact: Fact,
): void => {
  if (facts || !terminal.isRead) terminal.line(factLine(fact));
};
/** With exactly the documented keys. */
export const statusFact = ({ name, state, reason }: ServerStatus): Fact => ({
  type: 'server_status',
  name,
  state,
  ...(reason !== undefined && { reason }),
});
export const incidentFact = (incident: IncidentFact): Fact => {
  const { kind, subject, message, remedy, since, mayHaveHappened, refused } = incident;
  const calls = { mayHaveHappened: [...mayHaveHappened], refused: [...refused] };
  return {
    type: 'incident',
    kind,
    subject,
    message,
    since,
    ...calls,
    ...(remedy !== undefined && { remedy }),
  };
};
export const failureFact = ({ code, message, details, remedy }: HostFailure) => ({
  code,
  message,
  ...(details && { details: { ...details } }),
  ...(remedy !== undefined && { remedy }),
});
