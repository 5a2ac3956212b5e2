import { Acting } from '../acting.ts';
import { summaryOf } from '../agreement.ts';
import { Observed } from '../observations.ts';
import type { Plan } from '../plan.ts';
import type { Played } from '../virtual/play-virtual.ts';
import { RealWorld } from './real-world.ts';
import { divergenceIn } from '../../recording.ts';
import { judge } from '../../../invariants/index.ts';
import { boundsOf } from '../../../invariants/lateness.ts';

export function brokenReally({ runtime, servers, seen, blunders, left }: RealWorld): string[] {
  const wrong = judge(seen, true, { bounds: boundsOf(seen) }).map(
    ({ invariant, what }) => `${invariant}: ${what}`,
  );
  if (servers.ledger.size > 0) wrong.push(`${servers.ledger.size} processes are in the ledger`);
  for (const pid of left) wrong.push(`a process of group ${pid} is left`);
  return [...wrong, ...runtime.directory.audit(), ...blunders.map(String)];
}

/** Long enough for a busy machine. */
const patienceMs = 60_000;

/**
 * Plays a plan with real processes against the fault server, then replays its recording without any process to the
 * last step. A plan for virtual time only (`virtualOnly`) is not played, and `wrong` says why.
 */
export async function playReally(plan: Plan): Promise<Played> {
  const { virtualOnly } = plan;
  if (virtualOnly !== undefined) {
    const wrong = [`This plan is for virtual time only: ${virtualOnly}`];
    return { wrong, summary: summaryOf(new Observed()), ms: 0 };
  }
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
