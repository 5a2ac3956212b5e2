import type { EventObject } from 'xstate';
import { isAnswer as isAnswerType } from '../../machines/kernel/ports.ts';
import type { Crossing, DirectoryRecord } from '../../machines/trace/index.ts';

/** Record of a directory, with its time in ms. */
export interface SeenRecord {
  /** Time in ms, by the clock of the recorder. */
  readonly at: number;
  /** Record that the directory reported. */
  readonly record: DirectoryRecord;
}
/** Crossing with its time, enough for every boundary invariant. */
export interface Crossed {
  readonly at: number;
  readonly crossing: Crossing;
}
/**
 * Violation as a judge reports it. `liveness`: something that had to come has not come; `safety` (the default):
 * something came that must not.
 */
export interface FoundViolation {
  readonly at: string;
  readonly what: string;
  readonly kind?: 'safety' | 'liveness';
}
/** Violation of an invariant, with its place. */
export interface Violation {
  /** Name of the invariant (scenarios/invariants). */
  readonly invariant: string;
  /**
   * Kind of the violation. `liveness`: something that had to come has not come; `safety`: something came that must
   * not.
   */
  readonly kind: 'safety' | 'liveness';
  /** Channel in question, or the machine for a structural invariant. */
  readonly at: string;
  /** Description in one sentence for a person. */
  readonly what: string;
}
/** Bounds that cannot be read from the records. */
export interface Bounds {
  /** Time in ms by which real or stalled timers may be late. */
  readonly slackMs: number;
  /** Time in ms that a message between an agent and its computer may take, there and back. */
  readonly wayMs: number;
  /** Secret texts (canaries) that must not leave a host. */
  readonly secrets?: readonly string[];
}
/**
 * Checks one invariant over the reports of one directory, one after another. Judges run in ten thousands of runs, so
 * they build no texts and no lists before a violation.
 */
export interface Judge<What> {
  take(what: What, at: number): FoundViolation | readonly FoundViolation[] | undefined;
  /**
   * Returns violations at rest: faults were cleared long enough ago that nothing may be under way. Called only when
   * the system is quiescent.
   */
  quiescent?(at: number): readonly FoundViolation[];
  /** Returns violations at the end: everything was told to end, and had time to. */
  closed?(at: number): readonly FoundViolation[];
}
/** Example of crossings, seen from the beginning or from the middle. */
export interface Story {
  readonly how: string;
  readonly seen: readonly (SeenRecord | Crossed)[];
  /** Moment at which the example is judged; without it, only while records come. */
  readonly until?: 'quiescent' | 'closed';
  readonly bounds?: Partial<Bounds>;
}
interface Stated<Reads extends string, What> {
  /**
   * Input of the invariant. `boundary`: a recording alone is enough; `inside`: it needs the messages between
   * machines.
   */
  readonly reads: Reads;
  /** Name of the invariant, a sentence that is used everywhere. */
  readonly invariant: string;
  /** Reason for the invariant, and its origin. */
  readonly why: string;
  /**
   * Topics that the invariant wants to see, each a kind, or a kind and a word; other records are not passed to it.
   */
  readonly sees: readonly string[];
  readonly open: (bounds: Bounds) => Judge<What>;
  /** Examples that violate the invariant, each with the expected report. */
  readonly violating: readonly (Story & { readonly said: string })[];
  /** Examples that look like violations and are none. */
  readonly passing: readonly Story[];
}
/**
 * Invariant on what crosses the boundary of a host, with time, so that the same code checks scenarios, simulations,
 * replays, recordings and living hosts, with any machines inside. A recording may begin in the middle of a life:
 * earlier events are unknown, and violate no invariant. `sees` holds topics such as `said call.settled` and `in
 * callTool`; for questions `out ask tools/call`, `out withdraw tools/call` and, for all answers, `in ask tools/call`;
 * for random draws `draw judge`.
 */
export type Boundary = Stated<'boundary', Crossing>;
/** Structural invariant, invisible from outside: checked over the records of one directory. */
export type Structural = Stated<'inside', DirectoryRecord>;
export type Invariant = Boundary | Structural;

export type RecordOf<K extends DirectoryRecord['k']> = Extract<DirectoryRecord, { k: K }>;
/** Tells whether a record is the answer to a question, of which there is one; progress may come before. */
export const isAnswer = ({ via, ev }: RecordOf<'in'>): boolean => via === 'ask' && isAnswerType(ev?.type);
/** An event as an invariant reads it: any field may be absent. */
export type EventFields<Fields> = Readonly<{ type: string } & Partial<Fields>>;
/** Reads the event of a crossing like any other event; a crossing may have none. */
export const fieldsOfEvent = <Fields>(ev: EventObject | undefined): EventFields<Fields> =>
  (ev ?? { type: '' }) as EventFields<Fields>;
