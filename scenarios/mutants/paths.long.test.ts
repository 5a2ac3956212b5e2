import { describe, expect, test } from 'vitest';
import { machines } from '../../actors/kinds/all.ts';
import { endingsOf, pathsOf, probed, walk, walkerOf, type Ending, type Path, type Walker } from './paths.ts';
import { violationsOf } from './rules.ts';

const brokenOn = (walker: Walker, path: Path, ending: Ending): string[] => {
  const walked = walk(walker, path, ending);
  const way = walked.steps.map(({ event }) => event.type).join(' → ');
  return violationsOf(walked).map((what) => `${what}: ${way}`);
};

describe('a generated path for each transition', () => {
  test.each(Object.entries(machines))('breaks no rule of what is seen outside: %s', (kind, machine) => {
    const walker = walkerOf(kind, machine);
    const paths = pathsOf(walker);
    expect(paths.length).toBeGreaterThan(0);
    const all = paths.flatMap((path) => probed(walker, path));
    const broken = all.flatMap((path) => endingsOf(kind).flatMap((ending) => brokenOn(walker, path, ending)));
    expect([...new Set(broken)]).toEqual([]);
  });
});
