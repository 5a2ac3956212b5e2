/** Answers to questions and calls: why one failed, and what is known of the effect of a call. */
import type { z } from 'zod';
import { events } from '../events.ts';
import { toWireError, wireCodes, type Failure, type WireError } from '../failure.ts';

/**
 * The ack of a question that failed; calls, joins and leaves have forms of their own (`refusal`). Peers of 0.2 and later
 * read its own fields, those of the draft read `error`: both say the same.
 */
export interface ErrorAck extends WireError {
  /** Why, in the shape of the draft. */
  readonly error: WireError;
}

/** The answer to a `client:*` or `server:list_room` that failed. */
export function errorAck(failure: Failure): ErrorAck {
  const error = toWireError(failure);
  return { ...error, error };
}

/** A failed tool call as the wire has it: a CallToolResult, because that is what every agent can parse. */
export interface FailureResult {
  /** One text, for the model. */
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  /** The same for programs: what `failureIn` reads. */
  readonly structuredContent: { readonly error: WireError };
  readonly isError: true;
  /** `error_code`, `a2c_outcome`, `a2c_phase`, of a login `mcp_server` and `auth_hint`, and what the options add. Python says `meta` where MCP says `_meta`. */
  readonly meta: Readonly<Record<string, unknown>>;
}
/** Parts of the result of a failed call beside its failure. */
export interface FailureResultOptions {
  /** Text for the model; the failure's message by default. */
  readonly text?: string;
  /** Known effect of the call, and where it ended. By default it was never sent. */
  readonly ending?: Ending;
  /** Joins `error_code`, `a2c_outcome` and `a2c_phase`, and `a2c_timeout` or `a2c_cancelled` where the failure is one. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** The ack of a `client:tool_call` that failed. An agent reads it back with `readToolResult` and `failureIn`. */
export function failureResult(failure: Failure, options: FailureResultOptions = {}): FailureResult {
  const error = toWireError(failure);
  const timedOut = error.code === wireCodes.timeout || error.code === wireCodes.toolTimeout;
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

/** Words about a server that wants a login: which, and what to do (A2C-SMCP 0.3). */
function loginMeta({ code, message, details, remedy }: Failure): Readonly<Record<string, unknown>> {
  if (code !== 'Unauthorized' && code !== 'AccessDenied') return {};
  const server = details?.['server_name'];
  return {
    ...(server !== undefined && { mcp_server: server }),
    auth_hint: { action: 'login', message: remedy ?? message },
  };
}

/** The arguments of the ack that says no to an event, in the form that this event's askers can read. */
export function refusal(event: string, failure: Failure, ending = neverSent): readonly unknown[] {
  if (event === events.joinOffice || event === events.leaveOffice) return [false, failure.message];
  return [event === events.toolCall ? failureResult(failure, { ending }) : errorAck(failure)];
}

/** A payload that its schema refuses → 400 with one readable line per field: `timeout: expected whole seconds`. */
export function badPayload(error: z.ZodError, event: string): Failure {
  const problems = problemsIn(error);
  return {
    code: wireCodes.badRequest,
    message: `Wrong payload of ${event}: ${problems.join('; ')}`,
    details: { event, problems },
  };
}

/** Most problems that are told of one message; the rest is counted. */
const most = 10;

/** Problems that a schema finds, a line for each field: `pages.0.title: Invalid input: expected string, received undefined`. */
export function problemsIn({ issues }: z.ZodError): string[] {
  const lines = issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  );
  return lines.length > most ? [...lines.slice(0, most), `and ${lines.length - most} more`] : lines;
}

/**
 * Known effect of a call: never sent, or answered with an error → `failed`; sent and unanswered
 * (time-out, cancel, death of the server) → `unknown`. The `meta.a2c_outcome` of every answer to a call.
 */
export const outcomes = ['succeeded', 'failed', 'unknown'] as const;
/** Known effect of a call. `unknown`: it was sent and never answered, so it may have taken effect. */
export type Outcome = (typeof outcomes)[number];

/** Phases in which a call can end otherwise than well: `meta.a2c_phase`. */
export const callPhases = ['resolving', 'judging', 'confirming', 'queued', 'running'] as const;
/**
 * Phase of a call: its tool and its server are found (`resolving`), it is checked (`judging`), a person is asked
 * (`confirming`), it waits for its turn (`queued`), its server has it (`running`).
 */
export type CallPhase = (typeof callPhases)[number];

/** Ending of a call that did not end well. */
export interface Ending {
  /** `failed`: it surely had no effect, or the tool itself says that it failed. */
  readonly outcome: Exclude<Outcome, 'succeeded'>;
  /** Phase in which it ended. */
  readonly phase: CallPhase;
}
/** Ending of a call that was sent to no server. */
export const neverSent: Ending = { outcome: 'failed', phase: 'resolving' };
/** Ending of a call that was passed on, and is answered no more. */
export const unanswered: Ending = { outcome: 'unknown', phase: 'running' };

type Meta = Readonly<Record<string, unknown>>;
export const endingMeta = ({ outcome, phase }: Ending): Meta => ({
  a2c_outcome: outcome,
  a2c_phase: phase,
});

const phases: ReadonlySet<unknown> = new Set(callPhases);
/** Ending as the `meta` of a failed result tells it; strangers tell nothing, or something else. */
export function endingIn(meta: Meta | undefined): Partial<Ending> {
  const { a2c_outcome: outcome, a2c_phase: phase } = meta ?? {};
  return {
    ...((outcome === 'failed' || outcome === 'unknown') && { outcome }),
    ...(phases.has(phase) && { phase: phase as CallPhase }),
  };
}
