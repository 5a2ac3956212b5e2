import { afterEach, expect, it } from 'vitest';
import { launched, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { createAgent, createOffice } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

/**
 * Tests of a list of allowed tools over a real server: a host, a model and an agent are offered only these and can call
 * only these.
 */
const mark = crypto.randomUUID();
afterEach(() => expect(pidsOf(mark)).toEqual([]));

it('nothing offers more than is in a list of allowed tools, also one of another client', async () => {
  await using office = await createOffice({ port: 0 });
  const servers = {
    ours: launched(mark, 'echo', { a2c: { tools: ['echo'] } }),
    theirs: launched(mark, 'pages', { includeTools: ['fail', 'no such tool'] }),
  };
  await using computer = await bootedComputer({
    name: 'c1',
    office: { url: office.url },
    config: { mcpServers: servers, a2c: { onConflict: 'prefix' } },
    stateDir: false,
  });
  await using agent = await createAgent({ url: office.url });
  const mine = (await computer.tools()).tools.map(({ name }) => name);
  expect(mine).toContain('echo');
  const offered = (await agent.tools('c1')).tools.map(({ name }) => name);
  expect(offered.toSorted()).toEqual(mine.toSorted());
  expect(mine.every((name) => ['echo', 'fail'].includes(name))).toBe(true);
  expect(await agent.callTool('c1', 'echo', { text: 'hi' })).toMatchObject({ outcome: 'succeeded' });
  expect(await agent.callTool('c1', 'slow')).toMatchObject({
    outcome: 'failed',
    failure: { code: 'ToolDisabled' },
  });
  expect(await computer.callTool('slow')).toMatchObject({
    outcome: 'failed',
    failure: { code: 'ToolDisabled' },
  });
});
