import { violations as brokenInvariants } from '../../../invariants/invariants.ts';
import { Acting } from '../acting.ts';
import { summaryOf, type Summary } from '../agreement.ts';
import type { Plan } from '../plan.ts';
import { divergenceIn } from '../../recording.ts';
import { VirtualWorld, type VirtualWorldOptions } from './virtual-world.ts';
import type { Wait } from '../world.ts';

/** Result of a play. */
export interface Played {
  /** Violations of the play; empty when everything held. */
  readonly wrong: readonly string[];
  /** Summary of the play up to its last step, for comparisons. */
  readonly summary: Summary;
  /** Duration of the play in ms, virtual or real. */
  readonly ms: number;
}
/** Result of a play in virtual time, with coverage and trace. */
export interface PlayedVirtually extends Played {
  /** Transitions that were taken, named as in actors/runtime/charts.ts. */
  readonly taken: ReadonlySet<string>;
  /** Lines of the trace of the play. */
  readonly trace: readonly string[];
}

const patienceMs = 120_000;
/** Virtual time, long enough for every escalation and time-out of a shutdown. */
const postMortemMs = 30_000;
/** Then a play counts as endless; the longest story has a third of it. */
const mostTurns = 20_000;

async function waited({ harness }: VirtualWorld, wait: Wait): Promise<string[]> {
  if ('act' in wait) await wait.act(harness);
  if ('ms' in wait) await harness.run(wait.ms);
  const hasCome = !('until' in wait) || (await harness.until(wait.until, patienceMs));
  return hasCome ? [] : [`waited for ${wait.what}, and it never came`];
}

/** Invariants are checked only where the plan says so. */
export async function enact(plan: Plan, world: VirtualWorld): Promise<string[]> {
  const acting = new Acting(plan, world);
  for (const wait of acting.run()) {
    const stuck = await waited(world, wait);
    if (stuck.length > 0) return [...acting.violations, ...stuck];
  }
  return acting.violations;
}
export async function act(
  plan: Plan,
  options: VirtualWorldOptions = {},
): Promise<{ world: VirtualWorld; wrong: string[]; summary: Summary }> {
  const world = new VirtualWorld(plan, { mostTurns, ...options });
  const wrong = await enact(plan, world);
  const summary = summaryOf(world.observed);
  world.harness.close();
  await world.harness.run(postMortemMs);
  return { world, summary, wrong: [...wrong, ...brokenInvariants(world.harness, plan.stage)] };
}

/**
 * Plays a plan in virtual time, checks the invariants, and replays the recording with exact comparison of every
 * context. With `isTwice` the plan is played a second time, because the fakes have to be as deterministic as the
 * machines.
 * @example
 * const { wrong } = await playVirtually(plan);
 * console.log(wrong); // A sentence for each expectation that does not hold.
 */
export async function playVirtually(
  plan: Plan,
  { isTwice = false, isReplayed = true } = {},
): Promise<PlayedVirtually> {
  const began = performance.now();
  const { world, wrong, summary } = await act(plan);
  const { harness } = world;
  if (isReplayed) wrong.push(...divergenceIn(harness.recorder, harness.kinds));
  if (isTwice) {
    const again = (await act(plan)).world.harness.trace;
    const at = harness.trace.findIndex((line, i) => line !== again[i]);
    if (at >= 0 || again.length !== harness.trace.length)
      wrong.push(`a second play differs: ${harness.trace[at]} | ${again[at]}`);
  }
  return { wrong, summary, taken: harness.taken, trace: harness.trace, ms: performance.now() - began };
}
