import { expect, it } from 'vitest';
import { pidsOf } from '../scenarios/fixtures/hosted.ts';
import { startDemo } from '../scenarios/fixtures/started-demo.ts';

it('the demonstration serves its page until Ctrl-C, and leaves no process', { timeout: 60_000 }, async () => {
  const mark = crypto.randomUUID();
  const demo = await startDemo({ ...process.env, MARK: mark });
  const answer = await fetch(demo.url.split('#')[0] ?? '');
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('inspector')]);
  expect(await demo.close()).toBe(0);
  await expect.poll(() => pidsOf(mark)).toEqual([]);
});
