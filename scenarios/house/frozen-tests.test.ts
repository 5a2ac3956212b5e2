import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
/**
 * Titles of regression tests for bugs fixed in releases, one a line in `frozen-tests.txt`; these tests must not
 * disappear.
 */
const frozen = readFileSync(new URL('frozen-tests.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const sources = ['machines', 'adapters', 'actors', 'scenarios', 'examples']
  .flatMap((room) =>
    readdirSync(root + room, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(test|scenario|contract)\.ts$/.test(path))
      .map((path) => readFileSync(`${root}${room}/${path}`, 'utf8')),
  )
  .join('\n');

it('tests that found a fault once are still there, under their titles', () => {
  const gone = frozen.filter(
    (title) => !["'", '"', '`'].some((quote) => sources.includes(quote + title + quote)),
  );
  const advice =
    'a test that found a fault is gone: in frozen-tests.txt put the title of the test that finds the same fault, or of ' +
    'the renamed one, in the place of this line';
  expect(gone, advice).toEqual([]);
});
