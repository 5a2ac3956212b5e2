import { RollingHash } from './rolling-hash.ts';
import { Acting } from '../stage/plan/acting.ts';
import type { Plan } from '../stage/plan/plan.ts';
import { VirtualWorld, type VirtualWorldOptions } from '../stage/plan/virtual/virtual-world.ts';
import { harnessInvariants } from '../invariants/invariants.ts';
import type { Violation } from '../invariants/index.ts';

export interface Simulated {
  readonly violations: readonly Violation[];
  readonly rollingHash: string;
  readonly records: number;
  readonly virtualMs: number;
  readonly faults: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
}
export type SimulateOptions = Pick<VirtualWorldOptions, 'kinds' | 'watches'>;

/** Longer than every sequence of time-outs while closing. */
const postMortemMs = 30_000;

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
async function runToEnd(plan: Plan, world: VirtualWorld): Promise<Violation[]> {
  const { harness, bench } = world;
  await runThrough(plan, world);
  bench.closed(harness.clock.now());
  const left = Object.entries(harnessInvariants).flatMap(([invariant, check]) =>
    check(harness, {}).map((what): Violation => ({ invariant, kind: 'safety', at: 'harness', what })),
  );
  return [...world.violations, ...left];
}

/** The same plan always runs in the same way. */
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
