import { expect, it } from 'vitest';
import { contextAfter } from '../../machines/trace/record.ts';
import { attachTo, traceOf } from '../../scenarios/fixtures/attached.ts';
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
  await using inspection = await computer.debug.inspect();
  const page = await attachTo(inspection.url);
  await page.welcome();
  const begin = page.messages.length;
  await page.say({ type: 'ask', id: 1, what: 'records', isWhole: true });
  for (const text of ['one', 'two']) await computer.callTool('echo', { text });
  await computer.servers.stop('echo');
  await computer.servers.start('echo');
  await page.say({ type: 'ask', id: 2, what: 'records', isWhole: false });
  // The outline begins with a checkpoint.
  await page.until(({ messages }) => messages.find(({ type }) => type === 'gap'));
  const told = page.messages.slice(begin).map((each) => ('lines' in each ? each.lines : ''));
  const read = traceOf(page, told);
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
  await page.close();
});
