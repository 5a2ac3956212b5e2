/** Outcomes of calls as hosts get them, and the reading of them from the answers of machines. */
import type { AgentBlob } from './downloads.ts';
import { wireCodes, type CallToolResult, type Failure } from '../../machines/protocol/index.ts';
import { withoutPrefix } from '../../machines/protocol/reading.ts';
import { toolResult } from '../../machines/protocol/tool-result.ts';
import type { CallEnd, CallPhase, CallSettled, Outcome } from '../../machines/call/messages.ts';

/** Call that the tool has done. */
export interface CallSucceeded {
  /** Effect of the call: the server answered without an error. */
  readonly outcome: 'succeeded';
  /** Always false: the tool reported no error. */
  readonly toolError: false;
  /** Always null: the call went through all of its stages. */
  readonly phase: null;
  /**
   * Result as MCP defines it. A computer adds its own facts under `_meta` (docs/calls.md). A result that is too large
   * is cut to a part, and its `_meta.a2c_cut.handle` names the whole for `cachedResult` of that computer.
   */
  readonly result: CallToolResult;
  /** Always null. */
  readonly failure: null;
}
/** Call that reached the tool, which reported an error of its own (`isError`). */
export interface CallToolError {
  /** Effect of the call: the server answered with an error. */
  readonly outcome: 'failed';
  /** Always true: the tool itself reported the error. */
  readonly toolError: true;
  /** Stage in which the call ended. */
  readonly phase: CallPhase;
  /** Result with `isError`, whose contents say what went wrong. */
  readonly result: CallToolResult;
  /** Failure with the code 4003, and the first text of the result as its message. */
  readonly failure: Failure;
}
/** Call without an answer of the tool: refused, cancelled, too late, or lost with its server. */
export interface CallFailed {
  /** Effect of the call. `failed`: it was not carried out. `unknown`: it was sent and never answered. */
  readonly outcome: 'failed' | 'unknown';
  /** Always false: the tool reported nothing. */
  readonly toolError: false;
  /** Stage in which the call ended. */
  readonly phase: CallPhase;
  /** Result that came with the failure, such as the text of another computer for a model; else null. */
  readonly result: CallToolResult | null;
  /** Reason why the call did not succeed. */
  readonly failure: Failure;
}
/** Ways in which a call ends; `outcome` and then `toolError` tell them apart. */
export type CallEnding = CallSucceeded | CallToolError | CallFailed;

/** Facts of every call that has ended. */
export interface CallFacts {
  /** Way in which the call ended, more exact than `outcome`. */
  readonly end: CallEnd;
  /**
   * Name of the MCP server that has the tool; empty where it is not known, as for computers of other
   * implementations.
   */
  readonly server: string;
  /** Name of the computer that was asked; only in calls of an agent. */
  readonly computer?: string;
  /** Name of the tool on its own server, without a prefix or an alias. */
  readonly tool: string;
  /** Id of the call on the wire, in logs and in traces. */
  readonly reqId: string;
  /** Duration of the call in ms, from `callTool` to its end. */
  readonly durationMs: number;
  /**
   * Contents that are not in the result because they are too large, as streams; absent when all are in it. Only in calls
   * of an agent, where the contents of a result count up to 7 MiB of base64 together.
   */
  readonly blobs?: readonly AgentBlob[];
  /** Context that the host gave the call; absent when it gave none. */
  readonly context?: unknown;
}
/** End of a call. The promise of a call never rejects: a failure is data here. */
export type CallOutcome = CallFacts & CallEnding;

/** Outcome of a call or a question as a machine tells it, with a result of any form. */
export interface ToldOutcome extends CallFacts {
  readonly outcome: Outcome;
  readonly phase: CallPhase | null;
  readonly result: unknown;
  /** Reason why the call did not succeed; null also where the tool itself reported an error. */
  readonly failure: Failure | null;
}

/** Largest number of characters of a tool's text in the message of a failure. */
const longestMessage = 2_000;
/** Returns what a tool says about its own error: the first text of its result. */
export function toolErrorText(result: unknown): string {
  const { content } = toolResult(result);
  const texts = content.flatMap(({ text }) =>
    typeof text === 'string' && text !== '' ? [withoutPrefix(text)] : [],
  );
  return texts[0]?.slice(0, longestMessage) ?? 'The tool says that it failed';
}

/** Reads the end of a call for a host; its result is one of MCP, with one `_meta`. */
export function endingOf(told: Pick<CallSettled, 'outcome' | 'phase' | 'result' | 'failure'>): CallEnding {
  const { outcome, result } = told;
  if (outcome === 'succeeded')
    return { outcome, toolError: false, phase: null, result: toolResult(result), failure: null };
  const phase = told.phase ?? 'running';
  const failure = told.failure ?? { code: wireCodes.toolFailed, message: toolErrorText(result) };
  if (outcome === 'failed' && told.failure === null)
    return { outcome, toolError: true, phase, result: toolResult(result), failure };
  const given = result === null || result === undefined ? null : toolResult(result);
  return { outcome, toolError: false, phase, result: given, failure };
}
/** Reads the outcome of a call for a host. */
export const outcomeOf = (told: ToldOutcome): CallOutcome => {
  const { end, server, computer, tool, reqId, durationMs, context, blobs } = told;
  const known = { end, server, tool, reqId, durationMs, ...(blobs && { blobs }) };
  const facts: CallFacts = context === undefined ? known : { ...known, context };
  return { ...(computer === undefined ? facts : { ...facts, computer }), ...endingOf(told) };
};
