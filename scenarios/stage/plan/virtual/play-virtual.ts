import { violations as brokenInvariants } from '../../../invariants/invariants.ts';
import { Acting } from '../acting.ts';
import { summaryOf, type Summary } from '../agreement.ts';
import type { Plan } from '../plan.ts';
import { divergenceIn } from '../../recording.ts';
import { VirtualWorld } from './virtual-world.ts';
import type { Wait } from '../world.ts';

/** How a play went. */
export interface Played {
  /** What did not hold; empty when it went as planned. */
  readonly wrong: readonly string[];
  /** What happened up to the last step, for a comparison. */
  readonly summary: Summary;
  /** How long it took: virtual ms, or real ones. */
  readonly ms: number;
}
/** How a play in virtual time went, and what it went through. */
export interface PlayedVirtually extends Played {
  /** Every transition that was taken, see actors/runtime/charts.ts. */
  readonly taken: ReadonlySet<string>;
  /** The lines of its trace. */
  readonly trace: readonly string[];
}

/** Nothing is waited for longer than that. */
const patienceMs = 120_000;
/** Long enough for every ladder and time-out of the way down. */
const postMortemMs = 30_000;

/** Goes on until what is waited for is there; says so when it does not come. */
function waited({ harness }: VirtualWorld, wait: Wait): string[] {
  const { clock } = harness;
  if ('ms' in wait) {
    clock.advance(wait.ms);
    return [];
  }
  const limit = clock.now() + patienceMs;
  while (!wait.until()) if (!clock.step(limit)) return [`waited for ${wait.what}, and it never came`];
  return [];
}

/** Goes through its steps. What its expectations say, and what never came; of invariants only what it asks for. */
export function enact(plan: Plan, world: VirtualWorld): string[] {
  const acting = new Acting(plan, world);
  for (const wait of acting.run()) {
    const stuck = waited(world, wait);
    if (stuck.length > 0) return [...acting.violations, ...stuck];
  }
  return acting.violations;
}
function act(plan: Plan): { world: VirtualWorld; wrong: string[]; summary: Summary } {
  const world = new VirtualWorld(plan);
  const wrong = enact(plan, world);
  const summary = summaryOf(world.observed);
  world.harness.close();
  world.harness.run(postMortemMs);
  return { world, summary, wrong: [...wrong, ...brokenInvariants(world.harness, plan.stage)] };
}

/**
 * Plays a plan in virtual time, checks the invariants, and replays what was recorded, to the last digit of a
 * context. `isTwice`: and again from the start, for the fakes have to be as deterministic as the machines.
 */
export function playVirtually(plan: Plan, { isTwice = false, isReplayed = true } = {}): PlayedVirtually {
  const began = performance.now();
  const { world, wrong, summary } = act(plan);
  const { harness } = world;
  if (isReplayed) wrong.push(...divergenceIn(harness.recorder, harness.kinds));
  if (isTwice) {
    const again = act(plan).world.harness.trace;
    const at = harness.trace.findIndex((line, i) => line !== again[i]);
    if (at >= 0 || again.length !== harness.trace.length)
      wrong.push(`a second play differs: ${harness.trace[at]} | ${again[at]}`);
  }
  return { wrong, summary, taken: harness.taken, trace: harness.trace, ms: performance.now() - began };
}
