import { expect, it } from 'vitest';
import { contextAfter, readTrace } from '../../machines/trace/index.ts';
import { attachTo } from '../../scenarios/fixtures/attached.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';

const fixture = fixtureFile('mcp-server.mjs');
const echo = { command: process.execPath, args: [fixture, 'echo'], autoApprove: ['all'] };

it('a page knows of every machine what it remembers, from what changed alone', async () => {
  await using computer = await bootedComputer({
    name: 'c1',
    stateDir: false,
    config: { mcpServers: { echo } },
  });
  await using inspection = await computer.inspect();
  const page = await attachTo(inspection.url);
  await page.welcome();
  for (const text of ['one', 'two']) await computer.callTool('echo', { text });
  await computer.stopServer('echo');
  await computer.startServer('echo');
  const begun = page.rows.length;
  const second = await attachTo(inspection.url);
  await second.welcome();
  await page.row(({ k, s }) => k === 'key' && s > (page.rows[begun - 1]?.s ?? 0));
  const read = readTrace(page.messages.map((each) => ('lines' in each ? each.lines : '')).join(''));
  const lines = read.ok ? read.trace.lines : [];
  const at = lines.findLastIndex(({ record }) => record.k === 'key');
  const known = new Map<string, { value: unknown; context: unknown }>();
  const rootsOf = (record?: (typeof lines)[number]['record']) => (record?.k === 'key' ? record.roots : []);
  for (const { record } of lines.slice(0, at)) {
    for (const { a, snapshot } of rootsOf(record)) known.set(a, snapshot as never);
    if (record.k === 'end') known.delete(record.a);
    if (record.k === 'step')
      known.set(record.a, { value: record.v, context: contextAfter(known.get(record.a)?.context, record) });
    if (record.k === 'step' && record.st !== undefined) known.delete(record.a);
  }
  const roots = rootsOf(lines[at]?.record);
  expect(roots.length).toBeGreaterThan(3);
  for (const { a, snapshot } of roots) expect(snapshot).toMatchObject(known.get(a) ?? { a });
  expect(known.size).toBe(roots.length);
  await Promise.all([page.close(), second.close()]);
});
