import { describe, expect, it } from 'vitest';
import { NodesRun } from './nodes-run.ts';

describe('an office on several nodes', () => {
  it.each([1])('keeps its rules whatever befalls it: 50 runs from seed %i', async (first) => {
    for (let seed = first; seed < first + 50; seed += 1)
      expect({ seed, wrong: (await new NodesRun(seed).play()).wrong }).toEqual({ seed, wrong: [] });
  });
});
