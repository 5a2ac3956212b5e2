import { Check } from '../../machines/trace/index.ts';
import { Acting } from '../stage/plan/acting.ts';
import type { Plan } from '../stage/plan/plan.ts';
import { VirtualWorld, type Staging } from '../stage/plan/virtual/virtual-world.ts';
import { stageLaws } from '../invariants/invariants.ts';
import type { Breach } from '../invariants/index.ts';

/** How a day went. */
export interface Simulated {
  /** In the order in which they were found; empty is a clean day. */
  readonly breaches: readonly Breach[];
  /** Over all that the machines did, eight hex digits: the same plan, the same check. */
  readonly check: string;
  readonly records: number;
  readonly virtualMs: number;
  /** Words of the fault vocabulary that did happen. */
  readonly faults: ReadonlySet<string>;
  /** Transitions, when they are watched. */
  readonly taken: ReadonlySet<string>;
}
export type SimulateOptions = Pick<Staging, 'kinds' | 'watches'>;

/** Long enough for every ladder and time-out of the way down. */
const postMortemMs = 30_000;

/** All steps of its plan, then the end of everything. */
export function liveThrough(plan: Plan, world: VirtualWorld): void {
  const { stage } = world;
  for (const wait of new Acting(plan, world).run()) {
    if (!('ms' in wait)) throw new Error(`a simulated day waits for nobody: ${wait.what}`);
    stage.run(wait.ms);
  }
  stage.close();
  stage.run(postMortemMs);
}
/** The same, and a look at what is left. */
function live(plan: Plan, world: VirtualWorld): Breach[] {
  const { stage, bench } = world;
  liveThrough(plan, world);
  bench.closed(stage.clock.now());
  const left = Object.entries(stageLaws).flatMap(([law, check]) =>
    check(stage, {}).map((what): Breach => ({ law, kind: 'safety', at: 'stage', what })),
  );
  return [...world.breaches, ...left];
}

/** Plays a plan in virtual time as fast as it can, and holds every law against it. The same plan goes the same way. */
export function simulate(plan: Plan, { kinds, watches = 'nothing' }: SimulateOptions = {}): Simulated {
  const check = new Check();
  const faults = new Set<string>();
  let records = 0;
  const world = new VirtualWorld(plan, {
    ...(kinds && { kinds }),
    watches,
    onFault: (word) => faults.add(word),
    observer: {
      record(record) {
        records += 1;
        check.take(record);
      },
    },
  });
  for (const step of plan.steps) if (step.do === 'fault') faults.add(step.fault.fault);
  const { stage } = world;
  let breaches: readonly Breach[];
  try {
    breaches = live(plan, world);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    const thrown: Breach = { law: 'nothing is thrown at the host', kind: 'safety', at: 'stage', what };
    breaches = [...world.breaches, thrown];
  }
  return { breaches, check: check.text, records, virtualMs: stage.clock.now(), faults, taken: stage.taken };
}
