import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Bench, laws } from './index.ts';
import type { Law, Story } from './law.ts';

/** What one law says of a story. */
function saidOf(law: Law, { seen, until, bounds }: Story): string[] {
  const bench = new Bench({ slackMs: 0, ...bounds }, [law]);
  for (const each of seen) bench.take(each);
  const end = seen.at(-1)?.at ?? 0;
  if (until === 'quiet') bench.quiet(end);
  if (until === 'closed') bench.closed(end);
  return bench.breaches.map(({ what }) => what);
}
const crimes = laws.flatMap((law) => law.crimes.map((crime) => ({ ...crime, law, name: law.law })));
const lawful = laws.flatMap((law) => law.lawful.map((story) => ({ ...story, law, name: law.law })));

describe('a law', () => {
  it.each(crimes)('is broken by $how: $name', ({ law, said, ...story }) => {
    expect(saidOf(law, story)).toEqual([expect.stringContaining(said)]);
  });

  it.each(lawful)('is not broken by $how: $name', ({ law, ...story }) => {
    expect(saidOf(law, story)).toEqual([]);
  });

  it('that nobody has seen broken, or kept, does not exist', () => {
    const blind = laws.filter(({ crimes: some, lawful: others }) => some.length === 0 || others.length === 0);
    expect(blind.map(({ law }) => law)).toEqual([]);
  });

  it('has a name of its own', () => {
    expect(new Set(laws.map(({ law }) => law)).size).toBe(laws.length);
  });

  it('has a file of its own, and every file is in the index', () => {
    const here = new URL('./', import.meta.url);
    const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.law.ts'),
    );
    const index = readFileSync(new URL('index.ts', here), 'utf8');
    expect(files.filter((name) => !index.includes(`'./${name}'`))).toEqual([]);
    expect(laws).toHaveLength(files.length);
  });

  it('needs nothing but the records: no platform, no clock, no xstate', () => {
    const here = new URL('./', import.meta.url);
    const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter(
      (name) =>
        name.endsWith('.ts') && !name.endsWith('.test.ts') && !/^(charts|truth|proofs|invariants)/.test(name),
    );
    const foreign = files.flatMap((name) =>
      [...readFileSync(new URL(name, here), 'utf8').matchAll(/^import (?!type).*'([^.][^']*)';$/gm)].map(
        ([, from]) => `${name}: ${from}`,
      ),
    );
    expect(foreign).toEqual([]);
  });
});
