import type { EventObject } from 'xstate';
import { isAnswer as isAnswerType } from '../../machines/kernel/ports.ts';
import type { Crossing, DirectoryRecord } from '../../machines/trace/index.ts';

/** A record and when it was made, in ms. */
export interface SeenRecord {
  /** Time in ms, by the clock of the recorder. */
  readonly at: number;
  /** Record of the directory. */
  readonly record: DirectoryRecord;
}
/** Crossing and its time: enough for every invariant of what the outside sees. */
export interface Crossed {
  readonly at: number;
  readonly crossing: Crossing;
}
/** `liveness`: something that had to come has not come. `safety` (default): something came that must not. */
export interface FoundViolation {
  readonly at: string;
  readonly what: string;
  readonly kind?: 'safety' | 'liveness';
}
/** Something that must not be, and where. */
export interface Violation {
  /** The name of the invariant (scenarios/invariants). */
  readonly invariant: string;
  /** `liveness`: something that had to come has not come. `safety`: something came that must not. */
  readonly kind: 'safety' | 'liveness';
  /** The channel of which it is told, or the machine where it is a matter of structure. */
  readonly at: string;
  /** In one sentence for a person. */
  readonly what: string;
}
/** Bounds that the records do not tell. */
export interface Bounds {
  /** ms by which real or stalled time may be late. */
  readonly slackMs: number;
  /** ms that a message between an agent and its computer may take, there and back. */
  readonly wayMs: number;
  /** Texts that must not leave a host: canaries. */
  readonly secrets?: readonly string[];
}
/**
 * Reads what one directory reported, one thing after another. It runs for each of ten thousands of runs, so it makes no
 * texts and no lists before there is something to say.
 */
export interface Judge<What> {
  take(what: What, at: number): FoundViolation | readonly FoundViolation[] | undefined;
  /** Faults were cleared long enough ago that nothing may be under way. Called only when the system is quiescent. */
  quiescent?(at: number): readonly FoundViolation[];
  /** Everything was told to end, and had time to. */
  closed?(at: number): readonly FoundViolation[];
}
/** Crossings as somebody may have seen them, from the beginning or from the middle. */
export interface Story {
  readonly how: string;
  readonly seen: readonly (SeenRecord | Crossed)[];
  /** Judgement that is asked for at its end. */
  readonly until?: 'quiescent' | 'closed';
  readonly bounds?: Partial<Bounds>;
}
interface Stated<Reads extends string, What> {
  /** `boundary`: a recording alone is enough. `inside`: it asks for what happened between machines. */
  readonly reads: Reads;
  /** The sentence by which it is named everywhere. */
  readonly invariant: string;
  /** Reason and origin. */
  readonly why: string;
  /** Topics that it wants to see, so that each costs only those who care: a kind, or a kind and a word. */
  readonly sees: readonly string[];
  readonly open: (bounds: Bounds) => Judge<What>;
  /** Examples that violate it, and what is then reported. */
  readonly violating: readonly (Story & { readonly said: string })[];
  /** Examples that look like violations and are none. */
  readonly passing: readonly Story[];
}
/**
 * An invariant over what crosses the boundary of a host, with time, so that the same code checks scenarios,
 * simulations, replays, recordings and living hosts, with any machines inside. A recording may begin in the middle of
 * a life: earlier events are unknown, and violate no invariant. `sees`: such as `said call.settled` and `in
 * callTool`; of questions `out ask tools/call`, `out withdraw tools/call` and, for all answers, `in ask tools/call`;
 * of chance `draw judge`.
 */
export type Boundary = Stated<'boundary', Crossing>;
/** A property of the structure, invisible from outside: over the records of one directory. */
export type Structural = Stated<'inside', DirectoryRecord>;
export type Invariant = Boundary | Structural;

export type RecordOf<K extends DirectoryRecord['k']> = Extract<DirectoryRecord, { k: K }>;
/** The one answer to a question: before it there may have been progress. */
export const isAnswer = ({ via, ev }: RecordOf<'in'>): boolean => via === 'ask' && isAnswerType(ev?.type);
/** An event as an invariant reads it: any field may be absent. */
export type EventFields<Fields> = Readonly<{ type: string } & Partial<Fields>>;
/** The same of a crossing, which may have none. */
export const fieldsOfEvent = <Fields>(ev: EventObject | undefined): EventFields<Fields> =>
  (ev ?? { type: '' }) as EventFields<Fields>;
