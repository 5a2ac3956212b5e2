import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plan } from '../stage/plan/plan.ts';
import { VirtualWorld } from '../stage/plan/virtual/virtual-world.ts';
import type { Violation } from '../invariants/index.ts';
import type { Drawing } from './batch.ts';
import { expand } from './drawing/expand.ts';
import { pasted } from './paste.ts';
import { selectionOf } from './drawing/selection.ts';
import { shrink } from './shrink.ts';
import { runThrough, simulate, type SimulateOptions } from './simulate.ts';

/** Seed whose run violated an invariant, with everything needed to examine it. */
export interface Failure {
  readonly seed: number;
  readonly violation: Violation;
  /** Tells whether a second run went the same way. */
  readonly isDeterministic: boolean;
  /** Files for the failure: a scenario to paste into `scenarios/`, its trace, and its plan as data. */
  readonly files: { readonly scenario: string; readonly trace: string; readonly plan: string };
  readonly steps: number;
  /** Number of runs that shrinking took; null when it was not requested. */
  readonly tries: number | null;
}
export interface CloserLook extends Drawing, Pick<SimulateOptions, 'kinds'> {
  readonly out: string;
  readonly isShrunk: boolean;
  readonly budgetMs?: number;
  readonly signal?: AbortSignal | undefined;
}

async function traceText(plan: Plan, { kinds }: Pick<SimulateOptions, 'kinds'>): Promise<string> {
  const world = new VirtualWorld(plan, kinds ? { kinds } : {});
  try {
    await runThrough(plan, world);
  } catch {
    // Ignores the exception, which is the failure itself; the records until then are the trace.
  }
  return world.harness.recorder.text('closed');
}

export async function lookCloser(seed: number, violation: Violation, look: CloserLook): Promise<Failure> {
  const { forMs, faults, out, isShrunk, ...rest } = look;
  const others = rest.kinds ? { kinds: rest.kinds } : {};
  const drawn = expand(seed, { forMs, among: selectionOf(faults) });
  const [first, again] = [await simulate(drawn, others), await simulate(drawn, others)];
  const { invariant } = violation;
  const small = isShrunk ? await shrink(drawn, { invariant, ...rest }) : { plan: drawn, tries: null };
  const plan = { ...small.plan, title: `seed ${seed}: ${invariant}` };
  mkdirSync(out, { recursive: true });
  const at = (end: string): string => join(out, `seed-${seed}.${end}`);
  const files = { scenario: at('scenario.ts'), trace: at('trace.ndjson'), plan: at('plan.json') };
  writeFileSync(files.scenario, `import { scenario } from '../../stage/plan/index.ts';\n\n${pasted(plan)}`);
  writeFileSync(files.trace, await traceText(plan, others));
  writeFileSync(files.plan, `${JSON.stringify(plan)}\n`);
  const isDeterministic = first.rollingHash === again.rollingHash;
  return { seed, violation, isDeterministic, files, steps: plan.steps.length, tries: small.tries };
}
