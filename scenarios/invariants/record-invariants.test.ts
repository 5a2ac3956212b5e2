import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Bench, invariants } from './index.ts';
import type { Invariant, Story } from './invariant.ts';

function saidOf(invariant: Invariant, { seen, until, bounds }: Story): string[] {
  const bench = new Bench({ slackMs: 0, ...bounds }, [invariant]);
  for (const each of seen) bench.take(each);
  const end = seen.at(-1)?.at ?? 0;
  if (until === 'quiescent') bench.quiescent(end);
  if (until === 'closed') bench.closed(end);
  return bench.violations.map(({ what }) => what);
}
const violating = invariants.flatMap((invariant) =>
  invariant.violating.map((example) => ({ ...example, invariant, name: invariant.invariant })),
);
const passing = invariants.flatMap((invariant) =>
  invariant.passing.map((story) => ({ ...story, invariant, name: invariant.invariant })),
);

describe('an invariant', () => {
  it.each(violating)('is violated by $how: $name', ({ invariant, said, ...story }) => {
    expect(saidOf(invariant, story)).toEqual([expect.stringContaining(said)]);
  });

  it.each(passing)('is not violated by $how: $name', ({ invariant, ...story }) => {
    expect(saidOf(invariant, story)).toEqual([]);
  });

  it('has at least one violating and one passing example', () => {
    const blind = invariants.filter(
      ({ violating: some, passing: others }) => some.length === 0 || others.length === 0,
    );
    expect(blind.map(({ invariant }) => invariant)).toEqual([]);
  });

  it('stands on docs/simulator.md', () => {
    const page = readFileSync(new URL('../../docs/simulator.md', import.meta.url), 'utf8');
    expect(invariants.filter(({ invariant }) => !page.includes(invariant))).toEqual([]);
  });

  it('has a name of its own', () => {
    expect(new Set(invariants.map(({ invariant }) => invariant)).size).toBe(invariants.length);
  });

  it('has a file of its own, and every file is in the index', () => {
    const here = new URL('./', import.meta.url);
    const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.invariant.ts'),
    );
    const index = readFileSync(new URL('index.ts', here), 'utf8');
    expect(files.filter((name) => !index.includes(`'./${name}'`))).toEqual([]);
    expect(invariants).toHaveLength(files.length);
  });

  it('needs nothing but the records: no platform, no clock, no xstate', () => {
    const here = new URL('./', import.meta.url);
    const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter(
      (name) =>
        name.endsWith('.ts') && !name.endsWith('.test.ts') && !/^(charts|truth|invariants)/.test(name),
    );
    const foreign = files.flatMap((name) =>
      [...readFileSync(new URL(name, here), 'utf8').matchAll(/^import (?!type).*'([^.][^']*)';$/gm)].map(
        ([, from]) => `${name}: ${from}`,
      ),
    );
    expect(foreign).toEqual([]);
  });
});
