import { Harness, type HarnessOptions } from '../../stage/harness.ts';
import { registered } from '../../stage/plan/index.ts';
import { enact } from '../../stage/plan/virtual/play-virtual.ts';
import { VirtualWorld } from '../../stage/plan/virtual/virtual-world.ts';
import { staged } from '../../stage/scenario.ts';

/**
 * What the own expectations of a story say when it is played with other machines than today's; empty: it passes. No
 * invariant is looked at, and nothing but an expectation counts as a failure.
 */
export function missed(title: string, kinds?: HarnessOptions['kinds']): string {
  const plan = registered.find((story) => story.title === title);
  if (plan) {
    const own = { ...plan, steps: plan.steps.filter((step) => step.do !== 'quiescent') };
    return enact(own, new VirtualWorld(own, kinds && { kinds })).join('\n');
  }
  const story = staged.find((each) => each.title === title);
  if (!story) throw new Error(`there is no story "${title}"`);
  if (kinds && story.options.kinds) throw new Error(`"${title}" has machines of its own`);
  try {
    story.act(new Harness({ ...story.options, ...(kinds && { kinds }) }));
    return '';
  } catch (error) {
    if (error instanceof Error && error.name === 'AssertionError') return error.message;
    throw error;
  }
}
