/** What `a2c replay` says of a recording, as its page shows it. */
export interface Checks {
  /** `same`, `diverged`, … */
  readonly verdict: string;
  /** As `a2c replay` prints it. */
  readonly text: string;
  readonly invariants: readonly CheckedInvariant[];
  /** Where today's machines go another way; null: they do the same. */
  readonly difference: CheckedDifference | null;
}
export interface CheckedInvariant {
  readonly name: string;
  readonly why: string;
  readonly violations: readonly {
    /** The number of the record that broke it; null: what never came. */
    readonly s: number | null;
    readonly at: string;
    readonly what: string;
  }[];
}
export interface CheckedDifference {
  /** The number of the input that was handled; null: the first one. */
  readonly s: number | null;
  /** The last records that are the same, as text. */
  readonly agreed: readonly string[];
  /** What was recorded from there on, and what today's machines do, until the next input. */
  readonly recorded: readonly string[];
  readonly replayed: readonly string[];
}
