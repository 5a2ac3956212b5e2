import type { CallPhase, Outcome } from './call.rules.ts';
import type { Progress } from '../protocol/messages/messages.ts';

export type ServerHistory = readonly Pick<KnownCall, 'server'>[];

/** Most recently called first, then by name. Servers that occur only in the history are left out. */
export function byRecency(servers: Iterable<string>, history: ServerHistory): readonly string[] {
  const rest = new Set(servers);
  const called = history
    .toReversed()
    .map(({ server }) => server)
    .filter((server) => rest.delete(server));
  return [...called, ...[...rest].sort()];
}

/**
 * Reason why a call waits: for servers that may have its tool and still start, for its own server, for the connect
 * permit of that server, for the policy, for a person, or for other calls to end (`turn`).
 */
export type CallWait = 'servers' | 'server' | 'permit' | 'policy' | 'person' | 'turn';
/** Tool call as its computer knows it: one that runs, or one of the last that have ended. */
export interface KnownCall {
  /** Id that the caller gave the call; `cancel` takes it. */
  readonly reqId: string;
  /** Name of the agent that made the call; null when the host itself did. */
  readonly agent: string | null;
  /** Name of the server that has the tool, even if the call never reached it; empty while none is known. */
  readonly server: string;
  /** Server's own name of the tool; the listed name while no server is known. */
  readonly tool: string;
  /** Arguments as the caller gave them, with secrets hidden; more than 16 KiB are replaced by `{not_kept: why}`. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Time limit of the call in ms; null = no limit. */
  readonly timeoutMs: number | null;
  /** Time when the call arrived: ISO 8601, UTC. */
  readonly at: string;
  /** Time when the call was settled; null while it has not ended. */
  readonly endedAt: string | null;
  /** State of the call. `running`: the server is executing it. */
  readonly state: 'waiting' | 'running' | 'ended';
  /** Stage in which the call is or has ended; null after success. */
  readonly phase: CallPhase | null;
  /** Reason of the wait; null when the call does not wait. */
  readonly waitsFor: CallWait | null;
  /** Last progress that the server reported, or null. */
  readonly progress: Progress | null;
  /** Known effect of the call; null while the call has not ended. */
  readonly outcome: Outcome | null;
  /**
   * Explanation of the wait or of the ending, in one sentence; null while the server executes the call, or after
   * success.
   */
  readonly reason: string | null;
  /** Context that the host gave the call; absent for calls of agents, and when the host gave none. */
  readonly context?: unknown;
}

/** Number of past calls that a computer remembers by default (a2c-wire §9 X39). */
export const defaultRemembered = 10;

export const withCall = <Call>(
  history: readonly Call[],
  call: Call,
  most: number = defaultRemembered,
): readonly Call[] => [...history, call].slice(Math.max(0, history.length + 1 - Math.max(0, most)));

/** Traces show it, and a permission for the session holds for it. */
export const pageCaller = 'a2c inspector page';
