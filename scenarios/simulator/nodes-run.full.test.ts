import { expect, it } from 'vitest';
import { NodesRun } from './nodes-run.ts';

const each = 1_000;
it.each(Array.from({ length: 10 }, (_, n) => 1 + n * each))(
  'an office on several nodes keeps its rules in 1,000 runs from seed %i',
  async (first) => {
    for (let seed = first; seed < first + each; seed += 1)
      expect({ seed, wrong: (await new NodesRun(seed).play()).wrong }).toEqual({ seed, wrong: [] });
  },
);
