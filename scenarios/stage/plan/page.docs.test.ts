import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { planOf, Scene } from './builder.ts';
import type { Plan } from './plan.ts';
import { playVirtually } from './virtual/play-virtual.ts';

const page = readFileSync(new URL('../../../docs/scenario.md', import.meta.url), 'utf8');
function planOfPage(): Plan {
  const [, code = ''] = /const plan = (planOf\([^]*?\n\}\));/.exec(page) ?? [];
  // The page is ours.
  // oxlint-disable-next-line typescript/no-implied-eval
  return (new Function('planOf', `return ${code}`) as (make: typeof planOf) => Plan)(planOf);
}

it('the example of docs/scenario.md holds, and is red where the server lives', async () => {
  const plan = planOfPage();
  expect((await playVirtually(plan)).wrong).toEqual([]);
  const mended: Plan = { ...plan, servers: plan.servers.map((server) => ({ ...server, faults: [] })) };
  expect((await playVirtually(mended)).wrong[0]).toContain('expected "unknown", saw "succeeded"');
});

it('docs/scenario.md names words that there are', () => {
  const named = [...page.matchAll(/`s\.(\w+)/g)].map(([, word = '']) => word);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((word) => !(word in new Scene('')))).toEqual([]);
});
