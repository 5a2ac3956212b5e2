/** The last calls of a computer, and the order of servers that follows from them. */
import type { Outcome } from './messages.ts';

/** Past calls, of which only the server counts here. */
export type ServerHistory = readonly Pick<PastCall, 'server'>[];

/**
 * The order in which servers are shown, each once: whose tool was called last comes first, those that no remembered
 * call went to follow by name. A server that only the history knows is left out.
 */
export function byRecency(servers: Iterable<string>, history: ServerHistory): readonly string[] {
  const rest = new Set(servers);
  const called = history
    .toReversed()
    .map(({ server }) => server)
    .filter((server) => rest.delete(server));
  return [...called, ...[...rest].sort(byCodePoint)];
}

/** Order of texts as Python has it. JavaScript compares halves of surrogate pairs, which puts an emoji before U+FF01. */
function byCodePoint(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}

/** Wait of a call: for servers that may have its tool and start still, for its own server, for the connect permit of that, … */
export type CallWait = 'servers' | 'server' | 'permit' | 'policy' | 'person' | 'turn';
/** State of a call. */
export interface CallStanding {
  /** `running`: its server has it. */
  readonly state: 'waiting' | 'running' | 'ended';
  /** Null: it does not wait. */
  readonly waitsFor: CallWait | null;
  /** Known effect; null: the call has not ended. */
  readonly outcome: Outcome | null;
  /** Reason why it waits, or why it ended as it did, in one sentence; null: its server has it, or it succeeded. */
  readonly reason: string | null;
}
/** One tool call, as its computer remembers it: the fields of seed 001's `ToolCallRecord`, who asked, and where it stands. */
export interface PastCall extends CallStanding {
  /** When it was settled; of one that has not ended, when it came: ISO 8601, UTC. */
  readonly timestamp: string;
  /** When it came: ISO 8601, UTC. */
  readonly since: string;
  /** The id that its caller gave it. */
  readonly reqId: string;
  /** The agent that asked; null: the host itself. */
  readonly agent: string | null;
  /** The server that has its tool, also when it never reached it; empty: none is known. */
  readonly server: string;
  /** The server's own name of the tool; the listed one where no server was found. */
  readonly tool: string;
  /** Arguments as the caller gave them, secrets hidden; more than 16 KiB are replaced by `{not_kept: why}`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Null: without limit. */
  readonly timeoutMs: number | null;
  /** False also where it is not known whether it took effect, and before it has ended. */
  readonly success: boolean;
  /** Why it failed, in one sentence; null also before it has ended. */
  readonly error: string | null;
}
/** The last calls of one computer, the oldest first. */
export type CallHistory = readonly PastCall[];

/** Past call as a computer remembers it by itself (a2c-wire §9 X39). */
export const defaultRemembered = 10;

/** The history after one more call; of more than `most` the oldest are forgotten. */
export const withCall = <Call>(
  history: readonly Call[],
  call: Call,
  most: number = defaultRemembered,
): readonly Call[] => [...history, call].slice(Math.max(0, history.length + 1 - Math.max(0, most)));
