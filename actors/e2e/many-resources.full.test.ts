import { afterAll, expect, it } from 'vitest';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';
import { anyTiming } from '../../machines/kernel/timing.ts';

const mark = crypto.randomUUID();
afterAll(() => expect(pidsOf(mark)).toEqual([]));

it('4,000 windows and 10,000 documents are complete in the first answer, each read once', async () => {
  const args = [fixtureFile('many-resources.mjs'), '--page', '1000', '--windows', '4000'];
  const many = {
    command: process.execPath,
    args: [...args, '--documents', '10000'],
    env: { MARK: mark },
  };
  await using computer = await bootedComputer({
    config: { mcpServers: { many } },
    // The first answer has to be complete on a slow machine, too.
    timing: anyTiming({ aggregateMs: 120_000 }),
  });
  const readsOf = async (): Promise<unknown> => {
    const [content] = await computer.readResource('note://reads', { server: 'many' });
    return JSON.parse(String(content?.text));
  };
  const [desktop, finder] = await Promise.all([computer.desktop(), computer.finder()]);
  expect([desktop.desktops.length, desktop.missing]).toEqual([4000, []]);
  expect([finder.total_count, finder.missing]).toEqual([10_000, []]);
  expect(await readsOf()).toEqual({ read: 14_000, most: 1 });
  expect((await computer.desktop()).desktops.length).toBe(4000);
  expect((await computer.finder()).total_count).toBe(10_000);
  expect(await readsOf()).toEqual({ read: 14_000, most: 1 });
});
