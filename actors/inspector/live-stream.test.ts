import { expect, it } from 'vitest';
import { contextAfter } from '../../machines/trace/record.ts';
import { attachTo } from '../../scenarios/fixtures/attached.ts';
import { computerWith } from '../../scenarios/fixtures/booted.ts';
import { launched } from '../../scenarios/fixtures/hosted.ts';

it('a page knows of every machine what it remembers, from what changed alone', async () => {
  await using computer = await computerWith({ echo: launched('live-stream') });
  await using page = await attachTo((await computer.debug.inspect()).url);
  await page.welcome();
  const begin = page.rows.length;
  await page.say({ type: 'ask', id: 1, what: 'records', isWhole: true });
  for (const text of ['one', 'two']) await computer.callTool('echo', { text });
  await computer.servers.stop('echo');
  await computer.servers.start('echo');
  await page.say({ type: 'ask', id: 2, what: 'records', isWhole: false });
  const at = page.rows.findLastIndex(({ k }) => k === 'key');
  const known = new Map<unknown, { value: unknown; context: unknown }>();
  type Roots = readonly { readonly a: string; readonly snapshot: { value: unknown; context: unknown } }[];
  const rootsOf = (row?: (typeof page.rows)[number]): Roots => (row?.['roots'] ?? []) as Roots;
  for (const row of page.rows.slice(begin, at)) {
    for (const { a, snapshot } of rootsOf(row)) known.set(a, snapshot);
    if (row.k === 'end') known.delete(row.a);
    if (row.k === 'step')
      known.set(row.a, {
        value: row['v'],
        context: contextAfter(known.get(row.a)?.context, { ctx: row['ctx'], gone: row['gone'] }),
      });
    if (row.k === 'step' && row['st'] !== undefined) known.delete(row.a);
  }
  const roots = rootsOf(page.rows[at]);
  expect(roots.length).toBeGreaterThan(3);
  for (const { a, snapshot } of roots) expect(snapshot).toMatchObject(known.get(a) ?? { a });
  expect(known.size).toBe(roots.length);
});
