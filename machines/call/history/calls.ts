/** One tool call that is over, as its computer remembers it: the fields of seed 001's `ToolCallRecord`. */
export interface PastCall {
  /** When it was settled: ISO 8601, UTC. */
  readonly timestamp: string;
  /** The id that its caller gave it. */
  readonly reqId: string;
  /** The server that had its tool, also when it never reached it. */
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
  /** As its caller gave them, secrets hidden; more than 16 KiB are replaced by `{not_kept: why}`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Null: without limit. */
  readonly timeoutMs: number | null;
  /** False also where it is not known whether it took effect. */
  readonly success: boolean;
  /** Why it failed, in one sentence. */
  readonly error: string | null;
}
/** The last calls of one computer, the oldest first. */
export type CallHistory = readonly PastCall[];

/** What a computer remembers by itself (a2c-wire §9 X39). */
export const defaultRemembered = 10;

/** The history after one more call; of more than `most` the oldest are forgotten. */
export const withCall = (
  history: CallHistory,
  call: PastCall,
  most: number = defaultRemembered,
): CallHistory => [...history, call].slice(Math.max(0, history.length + 1 - Math.max(0, most)));
