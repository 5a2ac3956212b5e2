import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { Progress } from '../protocol/messages/progress.ts';
import type { CallPhase, Outcome } from '../protocol/messages/outcome.ts';

export type { CallPhase, Outcome } from '../protocol/messages/outcome.ts';

/** How the machine of a call ended. */
export type CallEnd = 'succeeded' | 'failed' | 'timedOut' | 'cancelled' | 'refused' | 'unknown';

/** The one answer to a call, posted to its asker. */
export interface CallSettled {
  readonly type: 'call.settled';
  /** Names the asker's pending answer. */
  readonly ticket: string;
  /** The id that its caller gave it. */
  readonly reqId: string;
  /** Its name in the config. */
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** How its machine ended. */
  readonly end: CallEnd;
  /** What is known of its effect. */
  readonly outcome: Outcome;
  /** Null: it succeeded. */
  readonly phase: CallPhase | null;
  /** What the server answered, as it came. */
  readonly result: unknown;
  /** Why it did not succeed; null also where the tool itself says so. */
  readonly failure: Failure | null;
}

/** How far a call is, as its server tells it (MCP `notifications/progress`), posted to an asker that wants to know. */
export interface CallProgressed extends Progress {
  readonly type: 'call.progressed';
  /** Names the asker's pending answer. */
  readonly ticket: string;
}
/** The answer of a call that could not be opened, or whose machine broke. */
export const settledBy = (
  call: Pick<CallSettled, 'ticket' | 'reqId' | 'server' | 'tool'>,
  end: CallEnd,
  failure: Failure,
  outcome: Outcome = 'failed',
  phase: CallPhase = outcome === 'unknown' ? 'running' : 'resolving',
): CallSettled => ({
  type: 'call.settled',
  ticket: call.ticket,
  reqId: call.reqId,
  server: call.server,
  tool: call.tool,
  end,
  outcome,
  phase,
  result: null,
  failure,
});
/** Failure of a call whose `req_id` is that of one in flight. */
export const repeated = (reqId: string): Failure => ({
  code: wireCodes.conflict,
  message: `A call '${reqId}' is already in flight`,
  details: { req_id: reqId },
});
/** Failure of a call that comes when its computer is closing. */
export const leaving = (reqId: string): Failure => ({
  code: wireCodes.notFound,
  message: `Call '${reqId}' was not sent: the computer is leaving the office`,
  details: { reason: 'leaving' },
});
