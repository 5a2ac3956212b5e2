import type { Address } from '../../machines/kernel/address.ts';
import type { CallLimits } from '../../machines/call/policy/index.ts';
import { isAnswer as isAnswerType } from '../../machines/kernel/ports.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';

/** A record and when it was made, in ms. */
export interface Seen {
  /** ms, by the clock of whoever recorded it. */
  readonly at: number;
  /** What the directory reported. */
  readonly record: DirectoryRecord;
}
/** `liveness`: something that had to come has not come. `safety` (default): something came that must not. */
export interface Found {
  readonly at: Address;
  readonly what: string;
  readonly kind?: 'safety' | 'liveness';
}
/** Something that must not be, at an address. */
export interface Violation {
  /** The name of the invariant (scenarios/invariants). */
  readonly invariant: string;
  /** `liveness`: something that had to come has not come. `safety`: something came that must not. */
  readonly kind: 'safety' | 'liveness';
  /** The machine of which it is told. */
  readonly at: Address;
  /** In one sentence for a person. */
  readonly what: string;
}
/** What an invariant cannot read from the records. */
export interface Bounds {
  /** ms by which real or stalled time may be late. */
  readonly slackMs: number;
  /** ms that a message between an agent and its computer may take, there and back. */
  readonly wayMs: number;
  /** Texts that must not leave a host: canaries. */
  readonly secrets?: readonly string[];
  /** How many calls of each server may run and wait; who is not named has the default, and all together no limit. */
  readonly limits?: Readonly<Record<string, CallLimits>>;
}
/**
 * Reads what one directory reported, record after record. It runs for each record of ten thousands of runs, so it
 * makes no texts and no lists before there is something to say.
 */
export interface Judge {
  take(record: DirectoryRecord, at: number): Found | readonly Found[] | undefined;
  /** Faults were cleared long enough ago that nothing may be under way. Called only when the system is quiescent. */
  quiescent?(at: number): readonly Found[];
  /** Everything was told to end, and had time to. */
  closed?(at: number): readonly Found[];
}
/** Records as somebody may have seen them, from the beginning or from somewhere in the middle. */
export interface Story {
  readonly how: string;
  readonly seen: readonly Seen[];
  /** What is asked at its end. */
  readonly until?: 'quiescent' | 'closed';
  readonly bounds?: Partial<Bounds>;
}
/**
 * An invariant over the records of one directory, with time, so that the same code checks scenarios, simulations, replays,
 * recordings and living hosts. Of what was before the first record nobody knows anything: a recording may begin in
 * the middle of a life, and what began earlier violates no invariant.
 */
export interface Invariant {
  /** The sentence by which it is named everywhere. */
  readonly invariant: string;
  /** What it is good for, and where it comes from. */
  readonly why: string;
  /** The records that it wants to see, so that each costs only those who care. */
  readonly sees: readonly Topic[];
  readonly open: (bounds: Bounds) => Judge;
  /** Examples that violate it, and what is then reported. */
  readonly violating: readonly (Story & { readonly said: string })[];
  /** Examples that look like violations and are none. */
  readonly passing: readonly Story[];
}

/**
 * All records of a kind, or some: messages and commands by the type of their event, inputs by that of a fact, or by
 * how else they came in.
 */
export type Topic = DirectoryRecord['k'] | `${'in' | 'out' | 'post'} ${string}`;

export type RecordOf<K extends DirectoryRecord['k']> = Extract<DirectoryRecord, { k: K }>;
/** An event as an invariant reads it: whatever fields it may have. */
/** The one answer to a question: before it there may have been progress. */
export const isAnswer = ({ via, ev }: RecordOf<'in'>): boolean => via === 'ask' && isAnswerType(ev?.type);
export type Said<Fields> = Readonly<{ type: string } & Partial<Fields>>;
