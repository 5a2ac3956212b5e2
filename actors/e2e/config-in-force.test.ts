import { expect, it } from 'vitest';
import { launched, linked, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import type { ComputerOptions } from '../index.ts';
import { bootedHosts } from '../../scenarios/fixtures/booted.ts';
import { endingComputer } from '../../scenarios/fixtures/ending-computer.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { foreign } from '../../machines/config/config-input.ts';

/** Tests that a host can read the config in force and resources of any kind from its computer. */
const mark = crypto.randomUUID();
const start = async (options: ComputerOptions) => (await endingComputer(mark, options)).computer;
const off = { type: 'inmemory', a2c: { autoConnect: false } } as const;
/** A computer with two servers of resources and prompts, of which one waits until it is started. */
const withFull = () => {
  const { connect } = linked('full');
  const config = { mcpServers: { full: { type: 'inmemory' as const }, off } };
  return start({ config, inMemory: { full: connect, off: connect } });
};
it('config() is what is in force, also after a change, with nothing hidden from the host', async () => {
  const computer = await start({
    config: { mcpServers: { a: { command: 'x', env: { KEY: 'v' }, disabled: true } }, a2c: { pollMs: 1 } },
  });
  expect(computer.config()).toMatchObject({
    servers: { a: { type: 'stdio', server_parameters: { command: 'x', env: { KEY: 'v' } } } },
    settings: { pollMs: 1 },
    serverSettings: { a: {} },
  });
  await computer.servers.set({ mcpServers: { b: { command: 'y', disabled: true } } });
  expect([Object.keys(computer.config().servers), computer.config().settings]).toEqual([['b'], {}]);
});
it('a server with autoConnect: false waits until it is started', async () => {
  const server = launched(mark, 'echo', { a2c: { autoConnect: false } });
  const computer = await start({ config: { mcpServers: { a: server } } });
  const { state, servers } = computer.status();
  expect([state, servers[0]?.state, pidsOf(mark)]).toEqual(['whole', 'idle', []]);
  await computer.servers.start('a');
  expect(computer.status().servers[0]?.state).toBe('ready');
});
it('a resource of any kind is read from the server that is named, and from no other', async () => {
  const computer = await withFull();
  const uri = 'note://1';
  const contents = [{ uri, text: `content of ${uri}` }];
  expect(await computer.readResource(uri, { server: 'full' })).toMatchObject(contents);
  await expect(computer.readResource('other://1', { server: 'full' })).rejects.toThrow('no such resource');
  for (const [server, code] of [
    ['off', 'ServerNotActive'],
    ['ghost', 'NotFound'],
  ] as const)
    await expect(computer.readResource(uri, { server })).rejects.toMatchObject({ code });
  expect(await computer.readResource(uri)).toMatchObject(contents);
  await expect(computer.readResource('other://1')).rejects.toMatchObject({
    code: 'NotFound',
    details: { uri: 'other://1' },
    remedy: expect.not.stringContaining('dpe') as string,
  });
});
it('an agent reads what a server lists, whatever its scheme, and nothing else', async () => {
  const { connect } = linked('full');
  const { agent, computer } = closedAfter(
    await bootedHosts({
      name: 'pc',
      config: { mcpServers: { full: { type: 'inmemory' } } },
      inMemory: { full: connect },
    }),
  );
  const listed = (await agent.resources('pc', 'full')).resources.map(({ uri }) => uri);
  expect(listed).toContain('note://1');
  for (const how of [{}, { server: 'full' }])
    for (const uri of listed.filter((each) => each.startsWith('note:')))
      expect(await agent.readResource('pc', uri, how)).toMatchObject([{ uri }]);
  // Known to the server, but not listed: only its host reads it.
  expect(await computer.readResource('note://99', { server: 'full' })).toMatchObject([{ uri: 'note://99' }]);
  for (const [uri, how] of [
    ['note://99', {}],
    ['note://99', { server: 'full' }],
    ['note://1', { server: 'ghost' }],
    ['file:///etc/passwd', { server: 'full' }],
  ] as const)
    await expect(agent.readResource('pc', uri, how)).rejects.toMatchObject({
      code: 'NotFound',
      details: { uri },
    });
});
it('prompts and resources are what servers list, and a prompt is filled in by its server', async () => {
  const computer = await withFull();
  expect(await computer.prompts.list()).toEqual([
    { server: 'full', prompts: [{ name: 'greet' }, { name: 'part' }], failure: null },
    { server: 'off', prompts: [], failure: 'it is idle' },
  ]);
  const [full] = await computer.resources();
  expect(full?.resources.map(({ uri }) => uri)).toEqual(['note://1', 'note://2']);
  expect(full?.templates.map(({ uriTemplate }) => uriTemplate)).toEqual(['note://{id}', 'page://{id}']);
  expect((await computer.prompts.get('full', 'greet', { who: 'you' })).messages).toEqual([
    { role: 'user', content: { type: 'text', text: 'greet you' } },
  ]);
  await expect(computer.prompts.get('off', 'greet')).rejects.toMatchObject({ code: 'ServerNotActive' });
  await expect(computer.prompts.get('none', 'greet')).rejects.toMatchObject({ code: 'NotFound' });
  await computer.close();
  await expect(computer.prompts.get('full', 'greet')).rejects.toMatchObject({ code: 'ServerNotActive' });
});
it('the launch config of a server that runs stays when it must not be restarted; other changes are taken', async () => {
  const one = (behaviour: string, more: object = {}): object => ({
    mcpServers: { a: launched(mark, behaviour, more) },
  });
  const computer = await start({ config: foreign(one('echo')), autoReconnect: false });
  const namesOf = async (): Promise<string[]> => (await computer.tools()).tools.map(({ name }) => name);
  await expect(computer.servers.add(foreign(one('pages')))).rejects.toMatchObject({
    code: 'Conflict',
    message: 'Server a is active. Stop it before updating config',
  });
  expect(await namesOf()).toContain('echo');
  await computer.servers.add(foreign(one('echo', { forbidden_tools: ['echo'] })));
  expect(await namesOf()).not.toContain('echo');
});
