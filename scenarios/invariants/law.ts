import type { Address } from '../../machines/kernel/address.ts';
import type { LaneLimits } from '../../machines/call/policy/index.ts';
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
export interface Breach {
  /** The name of the law (scenarios/invariants). */
  readonly law: string;
  /** `liveness`: something that had to come has not come. `safety`: something came that must not. */
  readonly kind: 'safety' | 'liveness';
  /** The machine of which it is told. */
  readonly at: Address;
  /** In one sentence for a person. */
  readonly what: string;
}
/** What a law cannot read from the records. */
export interface Bounds {
  /** ms by which real or stalled time may be late. */
  readonly slackMs: number;
  /** ms that a message between an agent and its computer may take, there and back. */
  readonly wayMs: number;
  /** Texts that must not leave a host: canaries. */
  readonly secrets?: readonly string[];
  /** How many calls of each server may run and wait; who is not named has the default, and all together no limit. */
  readonly limits?: Readonly<Record<string, LaneLimits>>;
}
/**
 * Reads what one directory reported, record after record. It runs for each record of ten thousands of runs, so it
 * makes no texts and no lists before there is something to say.
 */
export interface Judge {
  take(record: DirectoryRecord, at: number): Found | readonly Found[] | undefined;
  /** Faults have been over for long enough that nothing may be under way still. Asked at such a moment only. */
  quiet?(at: number): readonly Found[];
  /** Everything was told to end, and had time to. */
  closed?(at: number): readonly Found[];
}
/** What somebody may have seen, from its beginning or from somewhere in the middle. */
export interface Story {
  readonly how: string;
  readonly seen: readonly Seen[];
  /** What is asked at its end. */
  readonly until?: 'quiet' | 'closed';
  readonly bounds?: Partial<Bounds>;
}
/**
 * A law over what a directory reported, with time, so that the same code judges scenarios, simulations, replays,
 * recordings and living hosts. Of what was before the first record nobody knows anything: a recording may begin in
 * the middle of a life, and what began earlier breaks no law.
 */
export interface Law {
  /** The sentence by which it is known everywhere. */
  readonly law: string;
  /** What it is good for, and where it comes from. */
  readonly why: string;
  /** The records that it wants to see, so that each costs only those who care. */
  readonly sees: readonly Topic[];
  readonly open: (bounds: Bounds) => Judge;
  /** Stories that break it, and what is then said: the proof that it can see. */
  readonly crimes: readonly (Story & { readonly said: string })[];
  /** Stories that look like it and are none: the proof that it can tell. */
  readonly lawful: readonly Story[];
}

/**
 * All records of a kind, or some: letters and commands by the type of their event, inputs by that of a fact, or by
 * how else they came in.
 */
export type Topic = DirectoryRecord['k'] | `${'in' | 'out' | 'post'} ${string}`;

export type RecordOf<K extends DirectoryRecord['k']> = Extract<DirectoryRecord, { k: K }>;
/** An event as a law reads it: whatever fields it may have. */
/** The one answer to a question: before it there may have been progress. */
export const isAnswer = ({ via, ev }: RecordOf<'in'>): boolean => via === 'ask' && isAnswerType(ev?.type);
export type Said<Fields> = Readonly<{ type: string } & Partial<Fields>>;
