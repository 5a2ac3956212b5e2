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

/** A seed whose run violated an invariant, with what is needed to examine it. */
export interface Failure {
  readonly seed: number;
  readonly violation: Violation;
  /** A second run went the same way. */
  readonly isDeterministic: boolean;
  /** A scenario that can be pasted into `scenarios/`, the same as a trace, and as data. */
  readonly files: { readonly scenario: string; readonly trace: string; readonly plan: string };
  readonly steps: number;
  /** Runs that the shrinking took; null: it was not asked for. */
  readonly tries: number | null;
}
export interface CloserLook extends Drawing, Pick<SimulateOptions, 'kinds'> {
  readonly out: string;
  readonly isShrunk: boolean;
  readonly budgetMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Trace of a plan while it is played. */
function traceText(plan: Plan, { kinds }: Pick<SimulateOptions, 'kinds'>): string {
  const world = new VirtualWorld(plan, kinds ? { kinds } : {});
  try {
    runThrough(plan, world);
  } catch {
    // The exception is the failure; the records until then are the trace.
  }
  return world.harness.recorder.text('closed');
}

/** Executes the run again, shrinks it when that is wanted, and writes down what is needed to fix it. */
export async function lookCloser(seed: number, violation: Violation, look: CloserLook): Promise<Failure> {
  const { forMs, faults, out, isShrunk, ...rest } = look;
  const others = rest.kinds ? { kinds: rest.kinds } : {};
  const drawn = expand(seed, { forMs, among: selectionOf(faults) });
  const [first, again] = [simulate(drawn, others), simulate(drawn, others)];
  const { invariant } = violation;
  const small = isShrunk ? await shrink(drawn, { invariant, ...rest }) : { plan: drawn, tries: null };
  const plan = { ...small.plan, title: `seed ${seed}: ${invariant}` };
  mkdirSync(out, { recursive: true });
  const at = (end: string): string => join(out, `seed-${seed}.${end}`);
  const files = { scenario: at('scenario.ts'), trace: at('trace.ndjson'), plan: at('plan.json') };
  writeFileSync(files.scenario, `import { scenario } from '../../stage/plan/index.ts';\n\n${pasted(plan)}`);
  writeFileSync(files.trace, traceText(plan, others));
  writeFileSync(files.plan, `${JSON.stringify(plan)}\n`);
  const isDeterministic = first.rollingHash === again.rollingHash;
  return { seed, violation, isDeterministic, files, steps: plan.steps.length, tries: small.tries };
}
