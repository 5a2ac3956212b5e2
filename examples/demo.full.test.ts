import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startDemo } from '../scenarios/fixtures/started-demo.ts';

it('the demonstration serves its page until Ctrl-C, and leaves no process', { timeout: 60_000 }, async () => {
  const mark = crypto.randomUUID();
  const demo = await startDemo({ ...process.env, MARK: mark });
  const answer = await fetch(demo.url.split('#')[0] ?? '');
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('inspector')]);
  expect(await demo.close()).toBe(0);
  const living = fileURLToPath(new URL('../scenarios/fixtures/living-processes.mjs', import.meta.url));
  expect(JSON.parse(execFileSync(process.execPath, [living, mark, '5000'], { encoding: 'utf8' }))).toEqual(
    [],
  );
});
