import { describe, expect, it } from 'vitest';
import { createComputer, createOffice, type ComputerOptions } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';
import { foreign } from '../../machines/config/config-input.ts';
import { anyTiming } from '../../machines/kernel/timing.ts';

const file = fixtureFile('mcp-server.mjs');
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

  it('says what its program crashed with, and not which Node it ran on', async () => {
    const script = "console.error('up'); function start() { throw new TypeError('no database') } start()";
    await using computer = await computerOf({
      broken: { command: process.execPath, args: ['-e', script], a2c: { restart: 'never' } },
    });
    const [{ reason, failure } = {}] = computer.status().servers;
    expect(reason).toBe("Server 'broken' ended with exit code 1; stderr: TypeError: no database");
    expect(failure).toMatchObject({
      code: 'ServerLost',
      details: { exit_code: 1, stderr: expect.stringContaining('\n    at start ([eval]:1:47)') },
      remedy: expect.stringContaining('by hand'),
    });
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

  it('is not waited for longer than the boot may take', async () => {
    const mcpServers = { mute: server('mute'), good: server() };
    await using computer = await computerOf(mcpServers, { timing: { bootMs: 20 } });
    const [mute] = computer.status().servers;
    expect(mute).toMatchObject({ name: 'mute', state: 'connecting', waits: { for: 'initialize', came: '' } });
    expect(computer.status().state).toBe('degraded');
    await computer.servers.start('good');
    expect((await computer.tools()).tools).not.toHaveLength(0);
    expect(computer.status().state).toBe('degraded');
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
  it('rests while it is not wanted, and its tools come and go', async () => {
    await using computer = await computerOf({ s: server() }, { autoConnect: false });
    const heard: [number, number][] = [];
    computer.on('tools.changed', ({ added, removed }) => heard.push([added.length, removed.length]));
    expect(computer.status().servers).toEqual([{ name: 's', state: 'idle' }]);
    expect(computer.status().state).toBe('whole');
    await computer.servers.start('s');
    await computer.servers.start('s');
    const { length } = (await computer.tools()).tools;
    expect(computer.status().servers).toEqual([
      { name: 's', state: 'ready', pid: expect.any(Number) as number },
    ]);
    await computer.servers.stop('s');
    await computer.servers.stop('s');
    expect(computer.status().servers).toEqual([{ name: 's', state: 'idle' }]);
    expect((await computer.tools()).tools).toEqual([]);
    expect(await computer.callTool('echo', {}, { confirmed: true })).toMatchObject({
      outcome: 'failed',
      failure: {
        code: 'ServerNotActive',
        remedy: "Start it: startServer('s'); in the prompt: start s",
      },
    });
    await computer.servers.start('s');
    expect(heard).toEqual([
      [length, 0],
      [0, length],
      [length, 0],
    ]);
  });

  it('settles its calls as unknown when it is stopped under them', async () => {
    const timing = { drainMs: 20 };
    await using computer = await computerOf({ s: server('echo', { autoApprove: ['all'] }) }, { timing });
    const call = computer.callTool('hang', { label: 'x' });
    await computer.callTool('seen');
    await computer.servers.stop('s');
    expect(await call).toMatchObject({ outcome: 'unknown', end: 'cancelled' });
  });

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

describe('a computer without its office', () => {
  it('serves its own host, says what it waits for, and sits down when the office is there', async () => {
    const office = await createOffice({ port: 0 });
    await office.close();
    await using computer = await computerOf(
      { s: server() },
      { office: { url: office.url, keepTrying: true }, timing: anyTiming({ linkBackoffMs: 20 }) },
    );
    expect(await computer.callTool('echo', { text: 'x' }, { confirmed: true })).toMatchObject({
      outcome: 'succeeded',
    });
    const joined = computer.joined();
    await using _again = await createOffice({ port: office.port });
    await joined;
    expect(computer.status().link).toEqual({ state: 'joined', reason: null, refusal: null });
  });

  it('says so when its name is taken there', async () => {
    await using office = await createOffice({ port: 0 });
    await using _first = await computerOf({}, { office: { url: office.url } });
    await using second = await computerOf({}, { office: { url: office.url, keepTrying: true } });
    const refused = new Promise<string | null>((resolve) => {
      second.on('link.changed', ({ state, reason }) => state === 'waiting' && resolve(reason));
    });
    expect(await refused).toContain("'c1' already exists");
  });
});
