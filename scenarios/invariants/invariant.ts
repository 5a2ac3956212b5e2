import type { EventObject } from 'xstate';
import { isAnswer as isAnswerType } from '../../machines/kernel/ports.ts';
import type { Crossing } from '../../machines/trace/channels.ts';
import type { DirectoryRecord } from '../../machines/trace/record.ts';

/** Record of a directory, with its time in ms. */
export interface SeenRecord {
  /** Time in ms, by the clock of the recorder. */
  readonly at: number;
  /** Record that the directory reported. */
  readonly record: DirectoryRecord;
}
export interface Crossed {
  readonly at: number;
  readonly crossing: Crossing;
}
/** `liveness`: something that had to come has not come; `safety` (the default): something came that must not. */
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
export interface Bounds {
  /** By which real or stalled timers may be late. */
  readonly slackMs: number;
  /** For a message between an agent and its computer, there and back. */
  readonly wayMs: number;
  /** Canaries that must not leave a host. */
  readonly secrets?: readonly string[];
}
/** Judges run in ten thousands of runs, so they build no texts and no lists before a violation. */
export interface Judge<What> {
  take(what: What, at: number): FoundViolation | readonly FoundViolation[] | undefined;
  /** At rest: faults were cleared long enough ago that nothing may be under way. */
  quiescent?(at: number): readonly FoundViolation[];
  /** Everything was told to end, and had time to. */
  closed?(at: number): readonly FoundViolation[];
}
export interface Story {
  readonly how: string;
  readonly seen: readonly (SeenRecord | Crossed)[];
  /** Without it, judged only while records come. */
  readonly until?: 'quiescent' | 'closed';
  readonly bounds?: Partial<Bounds>;
}
interface Stated<Reads extends string, What> {
  /** `boundary`: a recording alone is enough; `inside`: it needs the messages between machines. */
  readonly reads: Reads;
  readonly invariant: string;
  readonly why: string;
  /** Kinds, or a kind and a word, such as `in callTool` and `out ask tools/call`; others are not passed to it. */
  readonly sees: readonly string[];
  readonly open: (bounds: Bounds) => Judge<What>;
  readonly violating: readonly (Story & { readonly said: string })[];
  readonly passing: readonly Story[];
}
/** A recording may begin in the middle of a life: earlier events are unknown, and violate no invariant. */
export type Boundary = Stated<'boundary', Crossing>;
export type Structural = Stated<'inside', DirectoryRecord>;
export type Invariant = Boundary | Structural;

export type RecordOf<K extends DirectoryRecord['k']> = Extract<DirectoryRecord, { k: K }>;
/** There is one answer; progress may come before. */
export const isAnswer = ({ via, ev }: RecordOf<'in'>): boolean => via === 'ask' && isAnswerType(ev?.type);
export type EventFields<Fields> = Readonly<{ type: string } & Partial<Fields>>;
export const fieldsOfEvent = <Fields>(ev: EventObject | undefined): EventFields<Fields> =>
  (ev ?? { type: '' }) as EventFields<Fields>;
