import { RollingHash } from './rolling-hash.ts';
import { Acting } from '../stage/plan/acting.ts';
import type { Plan } from '../stage/plan/plan.ts';
import { VirtualWorld, type VirtualWorldOptions } from '../stage/plan/virtual/virtual-world.ts';
import { harnessInvariants } from '../invariants/invariants.ts';
import type { Violation } from '../invariants/index.ts';

/** Result of a run. */
export interface Simulated {
  /** Violated invariants in the order in which they were found; empty when there are none. */
  readonly violations: readonly Violation[];
  /** Hash of everything that the machines did, eight hex digits, the same for the same plan. */
  readonly rollingHash: string;
  readonly records: number;
  readonly virtualMs: number;
  /** Words of the fault vocabulary that happened. */
  readonly faults: ReadonlySet<string>;
  /** Transitions that were taken, if they are watched. */
  readonly taken: ReadonlySet<string>;
}
export type SimulateOptions = Pick<VirtualWorldOptions, 'kinds' | 'watches'>;

/** Time in ms after the end of a run, longer than every sequence of time-outs while closing. */
const postMortemMs = 30_000;

/** Executes all steps of a plan, then closes everything. */
export async function runThrough(plan: Plan, world: VirtualWorld): Promise<void> {
  const { harness } = world;
  for (const wait of new Acting(plan, world).run()) {
    if ('until' in wait) throw new Error(`a simulated run cannot wait: ${wait.what}`);
    if ('ms' in wait) await harness.run(wait.ms);
    else await wait.act(harness);
  }
  harness.close();
  await harness.run(postMortemMs);
}
/** Executes a plan and checks that nothing is left afterwards. */
async function runToEnd(plan: Plan, world: VirtualWorld): Promise<Violation[]> {
  const { harness, bench } = world;
  await runThrough(plan, world);
  bench.closed(harness.clock.now());
  const left = Object.entries(harnessInvariants).flatMap(([invariant, check]) =>
    check(harness, {}).map((what): Violation => ({ invariant, kind: 'safety', at: 'harness', what })),
  );
  return [...world.violations, ...left];
}

/** Executes a plan in virtual time as fast as possible and checks every invariant. The same plan always runs in the same way. */
export async function simulate(
  plan: Plan,
  { kinds, watches = 'nothing' }: SimulateOptions = {},
): Promise<Simulated> {
  const rollingHash = new RollingHash();
  const faults = new Set<string>();
  let records = 0;
  const world = new VirtualWorld(plan, {
    ...(kinds && { kinds }),
    watches,
    onFault: (word) => faults.add(word),
    observer: {
      record(record) {
        records += 1;
        rollingHash.take(record);
      },
    },
  });
  for (const step of plan.steps) if (step.do === 'fault') faults.add(step.fault.fault);
  const { harness } = world;
  let violations: readonly Violation[];
  try {
    violations = await runToEnd(plan, world);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    const thrown: Violation = {
      invariant: 'nothing is thrown at the host',
      kind: 'safety',
      at: 'harness',
      what,
    };
    violations = [...world.violations, thrown];
  }
  return {
    violations,
    rollingHash: rollingHash.text,
    records,
    virtualMs: harness.clock.now(),
    faults,
    taken: harness.taken,
  };
}
