import { expect, it } from 'vitest';
import { createEar, launched, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { createAgent, createOffice, type Computer } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

const mark = crypto.randomUUID();
const burst = { times: 200, ms: 50 };

/** Number of `tools/list` requests that the server has received so far. */
async function listsOf(computer: Computer): Promise<number> {
  const { result } = await computer.callTool('methods');
  const [{ text = '' } = {}] = (result as { content: readonly { text?: string }[] }).content;
  return (JSON.parse(text) as string[]).filter((method) => method === 'tools/list').length;
}

it('200 changes of a list in 50 ms are at most two refreshes and one announcement, and the last one is what holds', async () => {
  const ear = createEar();
  await using office = await createOffice({ port: 0 });
  await using computer = await bootedComputer({
    name: 'c1',
    config: { mcpServers: { s: launched(mark), quiet: launched(mark, 'pages') } },
    onEvent: ear.onEvent,
  });
  await computer.join({ url: office.url });
  await using agent = await createAgent({ url: office.url });
  const before = (await agent.tools('c1')).tools.length;
  const heard: { added: readonly string[]; removed: readonly string[] }[] = [];
  agent.on('tools.changed', ({ added, removed }) => {
    heard.push({ added, removed });
    ear.look();
  });
  const asked = await listsOf(computer);

  await computer.callTool('burst', burst);
  await ear.until(() => heard.length === 1);
  expect(heard).toEqual([{ added: ['version-200'], removed: [] }]);
  expect((await agent.tools('c1')).tools.map(({ name }) => name)).toContain('version-200');
  expect((await agent.tools('c1')).tools).toHaveLength(before + 1);
  expect((await listsOf(computer)) - asked).toBeLessThanOrEqual(2);

  // A second announcement of the first burst would be heard before the announcement of this burst.
  await computer.callTool('burst', { times: 1, ms: 1 });
  await ear.until(() => heard.length === 2);
  expect(heard[1]).toEqual({ added: ['version-1'], removed: ['version-200'] });
  // The computer asks only the server that changed; the catalog of the other server keeps its revision.
  const lists = computer.debug.catalogs().filter(({ list }) => list === 'tools');
  const revisions = Object.fromEntries(lists.map(({ server, revision }) => [server, revision]));
  expect(revisions).toEqual({ s: 3, quiet: 1 });
  await computer.close();
  expect(pidsOf(mark)).toEqual([]);
});
