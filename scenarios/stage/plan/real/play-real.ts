import { Acting } from '../acting.ts';
import { summaryOf } from '../agreement.ts';
import { brokenReally } from './real-invariants.ts';
import type { Plan } from '../plan.ts';
import type { Played } from '../virtual/play-virtual.ts';
import { RealWorld } from './real-world.ts';
import { divergenceIn } from '../replaying.ts';

/** This machine may be busy; what takes longer than that does not come. */
const patienceMs = 60_000;

/**
 * Plays a plan with real processes against the fault server. What was recorded of it is replayed without any
 * process, to the last step.
 */
export async function playReally(plan: Plan): Promise<Played> {
  const began = performance.now();
  const world = new RealWorld(plan);
  const acting = new Acting(plan, world);
  const wrong: string[] = [];
  try {
    for (const wait of acting.run()) {
      const missing = await world.wait(wait, patienceMs);
      if (missing === undefined) continue;
      wrong.push(missing);
      break;
    }
  } catch (error) {
    wrong.push(String(error));
  }
  const summary = summaryOf(world.observed);
  await world.close(patienceMs);
  wrong.unshift(...acting.violations);
  wrong.push(...brokenReally(world));
  wrong.push(...divergenceIn(world.recorder));
  return { wrong, summary, ms: performance.now() - began };
}
