import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isRate, officeLimits } from '../../machines/office/rooms/limits.ts';

it('the page of offices has every limit, with its default', () => {
  const page = readFileSync(new URL('../../docs/office.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| ([\d/]+) \|/gm)].map(([, name, value]) => [name, value]);
  expect(rows).toEqual(
    Object.entries(officeLimits).map(([name, limit]) => [
      name,
      isRate(limit) ? `${limit.perSecond}/${limit.burst}` : String(limit),
    ]),
  );
});
