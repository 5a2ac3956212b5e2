import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InMemoryTransport, Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { createComputer } from '../index.ts';
import type { Computer } from '../index.ts';
import { createServe } from './index.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { fixtureFile as fixture, testFolder } from '../../scenarios/fixtures/test-folder.ts';

/** Lists its resource once its tool `release` was called, unless the file WITHOUT is there, and has no prompts. */
const late = {
  command: process.execPath,
  args: [
    '--input-type=module',
    '-e',
    `import { existsSync } from 'node:fs';
    import { serveOverStdio } from ${JSON.stringify(new URL('../../scenarios/fixtures/stdio-server.mjs', import.meta.url).href)};
    let release;
    const released = new Promise((resolve) => (release = resolve));
    const tools = ['release', 'wait'].map((name) => ({ name, inputSchema: { type: 'object' } }));
    serveOverStdio('late', { tools: {}, resources: {}, prompts: {} }, {
      'tools/list': () => ({ tools }),
      'prompts/list': () => ({ prompts: [] }),
      'resources/templates/list': () => ({ resourceTemplates: [] }),
      'resources/list': async () => {
        await released;
        const has = !existsSync(process.env.WITHOUT ?? '');
        return { resources: has ? [{ uri: 'late://one', name: 'one' }] : [] };
      },
      'tools/call': ({ name }) => (name === 'release' && release(), { content: [] }),
    });`,
  ],
};
const root = testFolder('served');
let folders = 0;
const newFolder = (): string => join(root, String((folders += 1)));
const telling = { command: process.execPath, args: [fixture('telling-server.mjs'), 'serve'] };

async function served(
  servers: Record<string, object>,
  how: { wrap?: string; tools?: boolean; a2c?: object; stateDir?: string } = {},
): Promise<{ client: Client; computer: Computer; lists: string[] }> {
  const { wrap, tools, a2c = {}, stateDir = false } = how;
  const config = { mcpServers: servers, a2c };
  const computer = closedAfter(await createComputer({ config, stateDir, reaper: false, record: false }));
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  closedAfter(await createServe({ computer, wrap, tools, transport: theirs }));
  const client = new Client({ name: 'test', version: '1' });
  const lists: string[] = [];
  client.fallbackNotificationHandler = async ({ method }) => {
    if (method.endsWith('list_changed')) lists.push(method);
  };
  await client.connect(mine);
  return { client, computer, lists };
}
const names = async (client: Client): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);
const refused = (call: Promise<unknown>): Promise<{ code: number; message: string; data: object }> =>
  call.then(
    () => expect.unreachable('it was answered'),
    (error: unknown) => error as { code: number; message: string; data: object },
  );

describe('a host that serves', () => {
  it('keeps the tools of a server that is stopped in the list, and refuses their calls in words', async () => {
    const { client, computer, lists } = await served(
      { a: telling, b: telling },
      { a2c: { onConflict: 'prefix' } },
    );
    const before = await names(client);
    expect(before).toContain('a_good');
    await computer.servers.stop('a');
    expect(await names(client)).toEqual(before);
    const error = await refused(client.callTool({ name: 'a_good', arguments: {} }));
    expect(error.message).toContain('was not sent');
    expect(await client.callTool({ name: 'b_good', arguments: {} })).toHaveProperty('content');
    expect(lists).toEqual([]);
  });

  it('tells a call that a restart of its server has cancelled of no person who could start it', async () => {
    const server = { command: process.execPath, args: [fixture('mcp-server.mjs')] };
    const { client, computer } = await served({ server }, { a2c: { timeouts: { drainMs: 0 } } });
    await names(client);
    const call = refused(client.callTool({ name: 'hang', arguments: {} }));
    await computer.once('call.started');
    await computer.servers.restart('server');
    const { message } = await call;
    expect(message).toContain('is being stopped');
    expect(message).not.toContain('A person');
  });

  it('does not run a forbidden tool, and does not list it', async () => {
    const { client } = await served({ only: { ...telling, forbidden_tools: ['good'] } }, { wrap: 'only' });
    expect(await names(client)).toEqual(['fail', 'failed', 'die']);
    expect(await refused(client.callTool({ name: 'good', arguments: {} }))).toMatchObject({ code: -32602 });
  });

  it('answers a list of resources when it was read, though the tools are known before', async () => {
    const { client } = await served({ late }, { wrap: 'late' });
    expect(await names(client)).toEqual(['release', 'wait']);
    const listed = client.listResources();
    await client.callTool({ name: 'release', arguments: {} });
    expect((await listed).resources).toEqual([{ uri: 'late://one', name: 'one' }]);
  });

  it('lists what the last run has read until it is read again, and also that a list was empty', async () => {
    const stateDir = newFolder();
    const first = await served({ late }, { stateDir });
    await first.client.callTool({ name: 'release', arguments: {} });
    const { resources } = await first.client.listResources();
    expect(resources).toHaveLength(1);
    await first.computer.close();
    const { client, computer } = await served({ late }, { stateDir });
    expect((await computer.servers.listed())[0]).toMatchObject({ unread: [], resources, prompts: [] });
    await client.callTool({ name: 'wait', arguments: {} });
    expect((await client.listResources()).resources).toEqual(resources);
  });

  it('keeps the lists of a server under its new config, although they are the same', async () => {
    const stateDir = newFolder();
    const changed = { only: { ...telling, env: { SPARE: '2' } } };
    const first = await served({ only: { ...telling, env: { SPARE: '1' } } }, { stateDir });
    const tools = await names(first.client);
    await first.computer.servers.set({ mcpServers: changed });
    const told = (): Promise<string> =>
      first.client.callTool({ name: 'good', arguments: {} }).then(JSON.stringify, String);
    await expect.poll(told).toContain('SPARE=2');
    expect(await names(first.client)).toEqual(tools);
    await first.computer.close();
    const { computer } = await served(changed, { stateDir });
    const [listed] = await computer.servers.listed();
    expect(listed?.tools.map(({ name }) => name)).toEqual(tools);
  });

  it('forgets the resources of the last run when there are none any more', async () => {
    const stateDir = newFolder();
    const server = { ...late, env: { WITHOUT: join(stateDir, 'without') } };
    const first = await served({ late: server }, { stateDir });
    await first.client.callTool({ name: 'release', arguments: {} });
    expect((await first.client.listResources()).resources).toHaveLength(1);
    await first.computer.close();
    writeFileSync(join(stateDir, 'without'), '');
    const second = await served({ late: server }, { stateDir });
    await second.client.callTool({ name: 'release', arguments: {} });
    await expect.poll(async () => (await second.client.listResources()).resources).toEqual([]);
    await second.computer.close();
    const { computer } = await served({ late: server }, { stateDir });
    expect((await computer.servers.listed())[0]).toMatchObject({ unread: [], resources: [] });
  });

  it('has tools of its own only when they are wanted', async () => {
    const { client } = await served({ only: telling }, { tools: true });
    expect(await names(client)).toContain('a2c_restart');
    const status = await client.callTool({ name: 'a2c_status', arguments: {} });
    expect(JSON.stringify(status)).toContain('only: ready');
    const again = await client.callTool({ name: 'a2c_restart', arguments: { server: 'only' } });
    expect(JSON.stringify(again)).toContain('only is up again');
  });
});
