import type { z } from 'zod';
import { events } from '../protocol.ts';
import { toWireError, wireCodes, type Failure, type WireError } from '../failure.ts';

/**
 * Acknowledgement of a failed question; calls, joins and leaves have other forms (`refusal`). Peers of 0.2 and later
 * read the fields at the top, peers of the draft read `error`; both hold the same failure.
 */
export interface ErrorAck extends WireError {
  /** Same failure once more, as the nested object that peers of the protocol draft read. */
  readonly error: WireError;
}

/** Builds the acknowledgement of a `client:*` question or a `server:list_room` that failed. */
export function errorAck(failure: Failure): ErrorAck {
  const error = toWireError(failure);
  return { ...error, error };
}

/** Failed tool call as sent on the wire. It has the form of a CallToolResult, because every agent can parse that. */
export interface FailureResult {
  /** Failure as one text, for the model. */
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  /** Failure for programs, as `failureIn` reads it. */
  readonly structuredContent: { readonly error: WireError };
  readonly isError: true;
  /**
   * Metadata: `error_code`, `a2c_outcome`, `a2c_phase`, for a missing login `mcp_server` and `auth_hint`, and
   * additions from the options. The Python SDK names this field `meta` where MCP has `_meta`.
   */
  readonly meta: Readonly<Record<string, unknown>>;
}
/** Options for the result of a failed call. */
export interface FailureResultOptions {
  /** Text for the model; the message of the failure by default. */
  readonly text?: string;
  /** Known effect of the call, and the phase in which it ended. By default it was never sent. */
  readonly ending?: Ending;
  /**
   * Additional metadata beside `error_code`, `a2c_outcome`, `a2c_phase`, and `a2c_timeout` or `a2c_cancelled` where
   * they apply.
   */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/**
 * Builds the acknowledgement of a `client:tool_call` that failed. An agent reads it with `readToolResult` and
 * `failureIn`.
 */
export function failureResult(failure: Failure, options: FailureResultOptions = {}): FailureResult {
  const error = toWireError(failure);
  const timedOut = error.code === wireCodes.noAnswer || error.code === wireCodes.toolTimeout;
  return {
    content: [{ type: 'text', text: options.text ?? failure.message }],
    structuredContent: { error },
    isError: true,
    meta: {
      error_code: error.code,
      ...endingMeta(options.ending ?? neverSent),
      ...(timedOut && { a2c_timeout: true }),
      ...(failure.code === 'ToolCallCancelled' && { a2c_cancelled: true }),
      ...loginMeta(failure),
      ...options.meta,
    },
  };
}

/** For a server that requires a login (A2C-SMCP 0.3). */
function loginMeta({ code, message, details, remedy }: Failure): Readonly<Record<string, unknown>> {
  if (code !== 'Unauthorized' && code !== 'AccessDenied') return {};
  const server = details?.['server_name'];
  return {
    ...(server !== undefined && { mcp_server: server }),
    auth_hint: { action: 'login', message: remedy ?? message },
  };
}

/**
 * Builds the arguments of the acknowledgement that refuses an event, in the form that senders of this event can read.
 */
export function refusal(event: string, failure: Failure, ending = neverSent): readonly unknown[] {
  if (event === events.joinOffice || event === events.leaveOffice) return [false, failure.message];
  return [event === events.toolCall ? failureResult(failure, { ending }) : errorAck(failure)];
}

/**
 * Converts a payload that broke its schema into a failure with code 400 and one readable line per field: `timeout:
 * expected whole seconds`.
 */
export function badPayload(error: z.ZodError, event: string): Failure {
  const problems = problemsIn(error);
  return {
    code: wireCodes.badRequest,
    message: `Wrong payload of ${event}: ${problems.join('; ')}`,
    details: { event, problems },
  };
}

const most = 10;

/** One line per field: `pages.0.title: Invalid input: expected string, received undefined`. */
export function problemsIn({ issues }: z.ZodError): string[] {
  const lines = issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  );
  return lines.length > most ? [...lines.slice(0, most), `and ${lines.length - most} more`] : lines;
}

/** `meta.a2c_outcome`. Never sent, or answered with an error: `failed`; sent but unanswered: `unknown`. */
export const outcomes = ['succeeded', 'failed', 'unknown'] as const;
/** Known effect of a call. `unknown`: the call was sent and never answered, so it may have taken effect. */
export type Outcome = (typeof outcomes)[number];

/** Sent as `meta.a2c_phase`. */
export const callPhases = ['resolving', 'judging', 'confirming', 'queued', 'running'] as const;
/**
 * Phase of a call: finding its tool and server (`resolving`), checking it (`judging`), asking a person
 * (`confirming`), waiting for other calls to end (`queued`), executing on the server (`running`).
 */
export type CallPhase = (typeof callPhases)[number];

/** Ending of a call that did not succeed. */
export interface Ending {
  /** Known effect. `failed`: the call surely had no effect, or the tool itself reported a failure. */
  readonly outcome: Exclude<Outcome, 'succeeded'>;
  /** Phase in which the call ended, such as `queued` or `running`. */
  readonly phase: CallPhase;
}
const neverSent: Ending = { outcome: 'failed', phase: 'resolving' };
export const unanswered: Ending = { outcome: 'unknown', phase: 'running' };

type Meta = Readonly<Record<string, unknown>>;
export const endingMeta = ({ outcome, phase }: Ending): Meta => ({
  a2c_outcome: outcome,
  a2c_phase: phase,
});

const phases: ReadonlySet<unknown> = new Set(callPhases);
/** Empty or partial when the computer is of another make. */
export function endingIn(meta: Meta | undefined): Partial<Ending> {
  const { a2c_outcome: outcome, a2c_phase: phase } = meta ?? {};
  return {
    ...((outcome === 'failed' || outcome === 'unknown') && { outcome }),
    ...(phases.has(phase) && { phase: phase as CallPhase }),
  };
}
