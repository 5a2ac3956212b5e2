import { createHash } from 'node:crypto';
import type { AnyStateMachine } from 'xstate';
import { assemble } from '../../actors/runtime/assemble.ts';
import { machines } from '../../actors/kinds/all.ts';
import { Directory, type Observer, Tap } from '../../actors/runtime/directory.ts';
import { canonical } from '../../machines/trace/canonical.ts';
import { redacted } from '../../machines/secrets/redaction.ts';
import type { Trace } from '../../machines/trace/reading.ts';
import type { SeenRecord } from '../invariants/index.ts';
import { steppingOfTests } from '../lockstep/stepping-of-tests.ts';
import { Comparison, type Difference } from './comparison.ts';
import { watchGuards, type RedactedRead } from './guards.ts';
import { momentsBefore } from './outcomes.ts';
import { RecordedWorld } from './recorded-world.ts';
import { isTimer, tapeOf, type TapeMoment, type TapeStep, type Tape, type TapeLine } from './tape.ts';

export type Kinds = Readonly<Record<string, AnyStateMachine>>;
export interface ReplayTraceOptions {
  /** Stops after the last input whose number is at most this. */
  readonly until?: number;
  readonly kinds?: Kinds;
  /** `now` returns the replay's time in ms since the beginning. */
  readonly observer?: (now: () => number) => Observer;
  readonly onInput?: (line: TapeLine) => void;
}
export interface TraceReplay {
  readonly difference: Difference | undefined;
  readonly more: number;
  /** Crossings that left the host and agree with the recording; `total` is the number of all of them. */
  readonly matched: number;
  readonly total: number;
  readonly inputs: number;
  /** SHA-256 of everything that left the host; equal for two replays that did the same. */
  readonly digest: string;
  readonly crossings: readonly TapeMoment[];
  readonly seen: readonly SeenRecord[];
  /** Timers and draws that the recording does not contain; `unclaimed` are its timers that were not set. */
  readonly foreign: readonly string[];
  readonly unclaimed: readonly string[];
  readonly reworded: Comparison['reworded'];
  readonly unheard: readonly number[];
  readonly redactedReads: readonly RedactedRead[];
  readonly directory: Directory;
}
/** Error for an input that cannot be delivered, so that this version cannot replay the trace. */
export class Unplayable extends Error {
  readonly line: TapeLine | undefined;
  constructor(line: TapeLine | undefined, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.line = line;
  }
}

/** Synchronous, without process, socket or real clock; when it returns, nothing is under way. */
export function replayTrace(trace: Trace, options: ReplayTraceOptions = {}): TraceReplay {
  const tape = tapeOf(trace);
  const { until = Infinity } = options;
  const steps = tape.steps.filter(({ line }) => line.s <= until);
  const play: Play = {
    ...options,
    tape,
    steps,
    isWhole: trace.tail !== undefined || steps.length < tape.steps.length,
  };
  const replay = played(play);
  const isRedacted = replay.difference && trace.lines.some(({ text }) => redacted.test(text));
  if (!isRedacted) return replay;
  // Watching is slow: only when there is a difference and something was redacted.
  const { observer: _, onInput: __, ...unseen } = play;
  return { ...replay, redactedReads: played({ ...unseen, isWatching: true }).redactedReads };
}
export interface Play extends ReplayTraceOptions {
  readonly tape: Tape;
  readonly steps: readonly TapeStep[];
  /** The consequences of the last step were recorded too; in a torn trace they were not. */
  readonly isWhole: boolean;
  readonly isWatching?: boolean;
  readonly forksAt?: number;
  readonly horizonMs?: number;
}
export function played(play: Play): TraceReplay {
  const { tape, steps, kinds = machines, observer, onInput, forksAt, horizonMs = 0 } = play;
  const comparison = new Comparison();
  const digest = createHash('sha256');
  const crossings: TapeMoment[] = momentsBefore(tape);
  const seen: SeenRecord[] = [];
  const redactedReads: RedactedRead[] = [];
  const failed: unknown[] = [];
  const unheard: number[] = [];
  let records = 0;
  const world = new RecordedWorld(tape, (crossing, t) => {
    comparison.hear({ crossing, t });
    crossings.push({ crossing, t });
    digest.update(canonical([crossing.k, crossing.ch, crossing.ev])).update('\n');
  });
  const tap = new Tap((error) => failed.push(error));
  tap.add(world);
  tap.add({
    record: (record) => {
      records += 1;
      if (!comparison.difference || forksAt !== undefined) seen.push({ at: world.now(), record });
    },
  });
  if (observer) tap.add(observer(() => world.now()));
  const filled = play.isWatching ? watchGuards(kinds, (read) => redactedReads.push(read)) : kinds;
  const directory = assemble(new Directory(world, tap), filled, steppingOfTests());
  let last: TapeLine | undefined;
  const happen = (step: TapeStep): void => {
    const { line } = step;
    last = line;
    // Forks at the first input after a place whose own input is left out.
    world.isForked ||= forksAt !== undefined && line.s >= forksAt;
    world.advanceTo(line.t, step.pauseMs);
    comparison.begin(step, !isTimer(line.record));
    const before = records;
    const place = crossings.push({ crossing: line.record, t: line.t });
    onInput?.(line);
    const isHeard = world.happen(directory, line.record);
    if (!isHeard) comparison.unheard(line);
    if (isHeard && records > before) return;
    crossings.splice(place - 1, 1);
    if (!isTimer(line.record)) unheard.push(line.s);
  };
  try {
    if (tape.facts) world.resume(directory, tape.facts);
    for (const step of steps) happen(step);
    world.isForked ||= forksAt !== undefined;
    world.clock.advance(horizonMs);
    if (failed.length > 0) throw failed[0];
  } catch (error) {
    throw new Unplayable(last, error);
  }
  if (play.isWhole) comparison.settle();
  return {
    difference: comparison.difference,
    more: comparison.more,
    matched: comparison.matched,
    total: steps.reduce((sum, { out }) => sum + out.length, 0),
    inputs: steps.length,
    digest: digest.digest('hex'),
    crossings,
    seen,
    foreign: world.foreign,
    unclaimed: world.unclaimed,
    reworded: comparison.reworded,
    unheard,
    redactedReads,
    directory,
  };
}
