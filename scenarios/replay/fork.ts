import { assemble, machines } from '../../actors/runtime/assemble.ts';
import { Directory } from '../../actors/runtime/directory.ts';
import { restoreFrom } from '../../actors/recording/checkpoint.ts';
import { Tap } from '../../actors/runtime/tap.ts';
import type { Address } from '../../machines/kernel/address.ts';
import type { Trace } from '../../machines/trace/index.ts';
import { judge, type Violation, type Seen } from '../invariants/index.ts';
import { boundsOf } from '../invariants/lateness.ts';
import { recorderOf } from '../stage/recording.ts';
import { VirtualClock } from '../stage/virtual-clock.ts';
import { Inert, type Draw, type Input } from './inert.ts';
import { differencesOf, outcomeOf } from './report/outcome.ts';
import { replayTrace, slicesOf, type Kinds } from './replay-trace.ts';

export interface Changes {
  /** From this input on the world is another one. */
  readonly at: number;
  /** Paths into that input and what stands there instead: `ev.code` → 1. */
  readonly set: ReadonlyMap<string, unknown>;
  /** Happen just before it. */
  readonly inject: readonly Input[];
  /** Numbers of inputs that do not happen. */
  readonly skip: ReadonlySet<number>;
}
export interface Fork {
  /** The new trace, as text. */
  readonly trace: string;
  /** What became of calls, servers, links otherwise. */
  readonly differences: readonly string[];
  /**
   * The recording holds inputs only, and from this one on today's machines do something else: what became of
   * anything after it was not written down, so it cannot be compared. Null: all of it can.
   */
  readonly unknownFrom: number | null;
  /** Numbers of recorded inputs for which nobody waited any more. */
  readonly unheard: readonly number[];
  /** Timers that fired although they had not in the recording. */
  readonly fired: readonly string[];
  readonly violations: readonly Violation[];
}

/** What the recording did not let fire may have been late by so much there. */
const lateMs = 50;
const lost = 'no message is lost';
/** After the last input: so long for what is still on its way. */
const horizonMs = 120_000;

/** The world of the trace up to the fork; from there on its own time, in which other timers fire too. */
class ForkedWorld extends Inert {
  readonly clock = new VirtualClock();
  readonly fired: string[] = [];
  readonly #recorded: ReadonlySet<string>;
  isForked = false;

  /** `recorded`: the timers whose firing the trace tells. */
  constructor(recorded: ReadonlySet<string>) {
    super();
    this.#recorded = recorded;
  }
  override now(): number {
    return this.clock.now();
  }
  /** Randomness that was not recorded is not available here. */
  override random(): number {
    const drawn = super.random();
    return Number.isNaN(drawn) ? 0 : drawn;
  }
  override setTimeout(fire: () => void, ms: number, a: Address, n: number): unknown {
    super.setTimeout(fire, ms, a, n);
    if (this.#recorded.has(`${a} ${n}`)) return undefined;
    return this.clock.setTimeout(() => {
      if (!this.isForked) return;
      this.fired.push(`${n} of ${a}`);
      fire();
    }, ms + lateMs);
  }
  override clearTimeout(timer?: unknown): void {
    if (timer !== undefined) this.clock.clearTimeout(timer);
  }
}
/** The same record with other values at some paths, each of which has to exist. */
export function changed(input: Input, set: ReadonlyMap<string, unknown>): Input {
  const copy = structuredClone(input) as unknown as Record<string, unknown>;
  for (const [path, value] of set) {
    const keys = path.split('.');
    const last = keys.pop() as string;
    const parent = keys.reduce<unknown>(
      (at, key) => (at as Record<string, unknown> | undefined)?.[key],
      copy,
    );
    if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, last)) {
      const there = typeof parent === 'object' && parent ? parent : copy;
      const known = Object.keys(there).map((key) => [...(there === copy ? [] : keys), key].join('.'));
      throw new Error(`--set ${path}: the input has no such value; it has ${known.join(', ')}`);
    }
    (parent as Record<string, unknown>)[last] = value;
  }
  return copy as unknown as Input;
}

/** What would have happened. The recorded inputs go on after the change, as far as somebody still waits for them. */
export function forkTrace(trace: Trace, changes: Changes, title: string, kinds: Kinds = machines): Fork {
  const slices = slicesOf(trace.lines);
  const timers = slices.filter(({ input }) => input.via === 'timer' || input.via === 'deadline');
  const world = new ForkedWorld(new Set(timers.map(({ input }) => `${input.a} ${input.n}`)));
  const tap = new Tap();
  const recorder = recorderOf(world, { title });
  const seen: Seen[] = [];
  tap.add(recorder);
  tap.add({ record: (record) => seen.push({ at: world.now(), record }) });
  const directory = assemble(new Directory(world, tap), kinds);
  const unheard: number[] = [];
  const happen = (input: Input, draws: readonly Draw[], s?: number): void => {
    const before = seen.length;
    if ((!world.apply(directory, input, draws) || seen.length === before) && s !== undefined) unheard.push(s);
  };
  if (trace.key) {
    restoreFrom(trace.key.frame, directory, (a, letters) => world.listen(directory, a, letters));
    recorder.begin(trace.key.frame);
  }
  for (const { line, input, draws } of slices) {
    if (line.s === changes.at) world.isForked = true;
    world.clock.advance(Math.max(0, line.t - world.now()));
    if (line.s === changes.at) {
      for (const injected of changes.inject) happen(injected, []);
    }
    if (changes.skip.has(line.s)) continue;
    happen(line.s === changes.at ? changed(input, changes.set) : input, draws, line.s);
  }
  world.isForked = true;
  world.clock.advance(horizonMs);
  const isClosed = directory.size === 0;
  const hasOutputs = trace.head.profile !== 'inputs';
  const today = hasOutputs ? undefined : replayTrace(trace, { kinds });
  const recorded = today?.seen ?? trace.lines;
  return {
    trace: recorder.text(isClosed ? 'closed' : 'cut'),
    differences: differencesOf(
      outcomeOf(recorded.flatMap(({ record }) => (record.k === 'step' ? [] : [record]))),
      outcomeOf(seen.map(({ record }) => record)),
    ),
    unknownFrom: today?.divergence?.input?.s ?? null,
    unheard,
    fired: world.fired,
    // What the host sent then may find nobody now: that is what a fork is for.
    violations: judge(seen, isClosed, { bounds: boundsOf(seen) }).filter(
      ({ invariant, what }) => invariant !== lost || !what.startsWith('host -> '),
    ),
  };
}
