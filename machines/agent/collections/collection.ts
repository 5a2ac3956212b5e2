import type { Failure } from '../../protocol/failure.ts';
import type { Missing } from '../../protocol/messages/missing.ts';

/** What of a computer a view follows. */
export type Collection = 'tools' | 'desktop' | 'finder';

/** What was given so far of a subject that is asked for in pages. */
export interface Gathered {
  readonly items: readonly object[];
  /** How many entries they came from: what is not readable is no item. */
  readonly given: number;
  readonly missing: readonly Missing[];
  /** How many there are to be. */
  readonly total: number;
  /** Answers that are in it. */
  readonly pages: number;
  /** How often it was begun anew, because what the pages tell is not of one piece. */
  readonly torn: number;
}

/** What an answer is to whoever asked. */
export type Reading<Value> =
  | { readonly step: 'whole'; readonly value: Value }
  /** The next question is for what is not in it yet. */
  | { readonly step: 'part'; readonly gathered: Gathered }
  | { readonly step: 'unreadable'; readonly failure: Failure };

/** In which subjects differ; all else is one machine. */
export interface ViewRules<Value> {
  /** The event of the wire that asks for it. */
  readonly method: string;
  /** Its fields beside `agent`, `req_id` and `computer`; null: nothing was gathered yet. */
  readonly fieldsOf: (gathered: Gathered | null) => object;
  readonly read: (ack: unknown, reqId: string, gathered: Gathered | null) => Reading<Value>;
  /** Questions in a row that may fail before nobody asks any more by himself; null: as many as there are. */
  readonly tries: number | null;
}
