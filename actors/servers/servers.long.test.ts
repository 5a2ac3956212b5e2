import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createComputer, type A2cError, type ComputerOptions } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';
import { foreign } from '../../machines/config/config-input.ts';

const file = fixtureFile('mcp-server.mjs');
const folder = testFolder('servers');
const server = (behaviour = 'echo', more: object = {}): object => ({
  command: process.execPath,
  args: [file, behaviour],
  ...more,
});
const computerOf = (mcpServers: object, options: ComputerOptions = {}) =>
  bootedComputer({ name: 'c1', config: foreign({ mcpServers }), ...options });

describe('a server that cannot start', () => {
  it.each([
    ['the file of its environment', { command: 'node', envFile: '/nowhere/${input:password}' }],
    ['its certificates', { url: 'https://127.0.0.1:9/', ca: '/nowhere/${input:password}' }],
  ])('shows no secret of the path of %s', async (_, server) => {
    const inputs = [{ type: 'promptString', id: 'password', description: 'p', password: true }];
    await using computer = await bootedComputer({
      config: foreign({ mcpServers: { server }, inputs }),
      input: async () => 'Pa55-of-nobody',
    });
    const [status] = computer.status().servers;
    expect(status).toMatchObject({ state: 'unsupported', reason: expect.stringContaining('/nowhere/***') });
    expect(JSON.stringify(status)).not.toContain('Pa55-of-nobody');
  });

  it('shows no secret of its values where a restart is refused', async () => {
    const envFile = join(folder, 'Pa55-of-nobody.env');
    await writeFile(envFile, 'A=1\n');
    const inputs = [{ type: 'promptString', id: 'password', description: 'p', password: true }];
    await using computer = await bootedComputer({
      config: foreign({
        mcpServers: { calm: server('echo', { envFile: join(folder, '${input:password}.env') }) },
        inputs,
      }),
      input: async () => 'Pa55-of-nobody',
    });
    await rm(envFile);
    const failure = await computer.servers.restart('calm').catch((error: unknown) => error as A2cError);
    expect(failure).toMatchObject({ code: 'ConfigInvalid', message: expect.stringContaining('***.env') });
    expect(JSON.stringify([failure, String(failure)])).not.toContain('Pa55-of-nobody');
    expect(computer.status().servers).toMatchObject([{ name: 'calm', state: 'ready' }]);
  });

  it('is shown with its reason, and the others serve', async () => {
    await using computer = await computerOf(
      {
        good: server(),
        needy: server('echo', { env: { TOKEN: '${input:token}', USER: '${input:user}' } }),
        off: server('echo', { disabled: true }),
        nowhere: { type: 'inmemory' },
        strange: { type: 'own:tunnel' },
        remote: { url: 'http://127.0.0.1:9/mcp' },
      },
      { transports: { 'own:unix': () => Promise.reject(new Error('nobody asks for this one')) } },
    );
    expect(computer.status()).toMatchObject({ name: 'c1', link: null });
    expect(computer.status().servers).toEqual([
      { name: 'good', state: 'ready', pid: expect.any(Number) },
      {
        name: 'needy',
        state: 'needsInput',
        reason:
          "Server 'needy' needs input token (the config does not define it); needs input user (the config does not define it)",
        failure: expect.objectContaining({ code: 'InputNotFound' }),
      },
      { name: 'off', state: 'disabled', reason: 'disabled in its config' },
      {
        name: 'nowhere',
        state: 'unsupported',
        reason: expect.stringContaining('this host has none'),
        failure: expect.objectContaining({ code: 'ConfigInvalid' }),
      },
      {
        name: 'strange',
        state: 'unsupported',
        reason:
          "Server 'strange' is of the type own:tunnel, and this host has none of that name (it has own:unix)",
        failure: expect.objectContaining({ code: 'ConfigInvalid' }),
      },
      {
        name: 'remote',
        state: 'waiting',
        reason: expect.stringContaining('nobody listens there'),
        failure: expect.objectContaining({ message: expect.stringContaining('nobody listens there') }),
        nextTryMs: expect.any(Number),
      },
    ]);
    const { tools, servers } = await computer.tools();
    expect(new Set(tools.map((t) => t.server))).toEqual(new Set(['good']));
    expect(servers.map(({ name }) => name)).toEqual(computer.status().servers.map(({ name }) => name));
  });

  it.each([
    ['needy', 'needs input token'],
    ['off', 'disabled in its config'],
    ['nowhere', 'this host has none of that name'],
    ['nobody', 'Unknown server: nobody'],
  ])('cannot be started by hand, for that reason: %s', async (name, reason) => {
    await using computer = await computerOf({
      needy: server('echo', { env: { TOKEN: '${input:token}' } }),
      off: server('echo', { disabled: true }),
      nowhere: { type: 'inmemory' },
    });
    await expect(computer.servers.start(name)).rejects.toThrow(reason);
    // A server that waits for a missing input or file can be stopped; afterwards it is no longer wanted.
    if (name === 'needy' || name === 'nowhere') await computer.servers.stop(name);
    else await expect(computer.servers.stop(name)).rejects.toThrow(reason);
  });

  it.each<[string, object, RegExp]>([
    ['has no command', { command: 'no-such-command' }, /command not found/],
    ['ends at once', server('diesEarly'), /exit code 4/],
    ['says no to initialize', server('refuses'), /not today/],
  ])('says so, and does not stop the others, because it %s', async (_, broken, reason) => {
    await using computer = await computerOf({ broken, good: server() }, { autoReconnect: false });
    const [first, second] = computer.status().servers;
    expect(first).toMatchObject({ name: 'broken', state: 'open' });
    expect(first?.reason).toMatch(reason);
    expect(second).toEqual({ name: 'good', state: 'ready', pid: expect.any(Number) as number });
    expect(computer.status().state).toBe('degraded');
    await expect(computer.servers.start('broken')).rejects.toThrow(reason);
  });
});

describe('a server that does not answer', () => {
  it('holds up neither its computer nor calls of others, and every list names it as missing', async () => {
    const mcpServers = { mute: server('mute'), good: server('echo', { autoApprove: ['all'] }) };
    await using computer = await createComputer({ config: { mcpServers }, timing: { toolsMs: 20 } });
    expect(computer.status().state).toBe('booting');
    expect(await computer.callTool('echo', { text: 'hi' })).toMatchObject({ outcome: 'succeeded' });
    const reason = expect.stringContaining('waits for the answer to initialize') as string;
    const { tools, missing, servers } = await computer.tools();
    expect([tools.length > 0, missing, servers[0]?.state]).toEqual([
      ...[true, [{ server: 'mute', reason }]],
      'connecting',
    ]);
    expect((await computer.desktop()).missing).toEqual([{ server: 'mute', reason }]);
    for (const [mute, good] of [await computer.resources(), await computer.prompts.list()])
      expect([mute?.failure, good?.failure]).toEqual([reason, null]);
    await expect(computer.prompts.get('mute', 'any')).rejects.toThrow('is not ready');
  });
});

describe('a server that is started and stopped by hand', () => {
  it('settles every order that is given while another one is carried out', async () => {
    await using computer = await computerOf({ s: server() });
    const orders = ['stop', 'start', 'stop', 'start'].map((order) =>
      order === 'stop' ? computer.servers.stop('s') : computer.servers.start('s'),
    );
    await Promise.allSettled(orders);
    await computer.servers.start('s');
    expect(computer.status().servers).toEqual([
      { name: 's', state: 'ready', pid: expect.any(Number) as number },
    ]);
  });
});
