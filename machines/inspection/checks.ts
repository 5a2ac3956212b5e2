/** What `a2c replay` says of a recording, as its page shows it. */
export interface Checks {
  /** `same`, `changed`, … */
  readonly verdict: string;
  /** As `a2c replay` prints it. */
  readonly text: string;
  readonly invariants: readonly CheckedInvariant[];
  /** Where today's code does something else; null: it does the same. */
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
  /** The number of the input that was handled; null: it is not there. */
  readonly s: number | null;
  /** Events of the world just before, as text. */
  readonly before: readonly string[];
  /** Crossing that was recorded, and that of today's code; null: nothing. */
  readonly recorded: string | null;
  readonly now: string | null;
  /** Cause of the change, in words. */
  readonly cause: string;
}
