import type { Failure } from '../protocol/failure.ts';

/** The programs of a config (`vrl`) over the results of calls. */
export type ProgramChecked = { readonly ok: true } | { readonly ok: false; readonly failure: Failure };
export type Transformed =
  /** The event after the program, as JSON. */
  { readonly ok: true; readonly json: string } | { readonly ok: false; readonly failure: Failure };
/**
 * Programs run one after the other, in the order that they were asked for. One that takes too long is ended, and
 * those behind it run. Everything that is asked is answered once, but for what was withdrawn, which never is.
 */
export interface Transformer {
  /** Whether it can be run: `VrlSyntaxError` with `{message, line, column}` when it cannot. Never rejects. */
  check(source: string): Promise<ProgramChecked>;
  /** `emit` is never called before this returns. The returned function withdraws. */
  run(source: string, event: object, emit: (answer: Transformed) => void): () => void;
  /** What is asked is refused; resolves when nothing of it is left. */
  close(): Promise<void>;
}
