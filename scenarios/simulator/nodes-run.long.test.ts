import { expect, it } from 'vitest';
import { NodesRun } from './nodes-run.ts';

it('an office on several nodes keeps its rules whatever befalls it: 50 runs from seed 1', async () => {
  for (let seed = 1; seed <= 50; seed += 1)
    expect({ seed, wrong: (await new NodesRun(seed).play()).wrong }).toEqual({ seed, wrong: [] });
});
