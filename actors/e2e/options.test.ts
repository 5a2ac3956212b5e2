/** Options that a host may mistype: a wrong name is told the nearest one, a wrong value what it may be. */
import { once } from 'node:events';
import { expect, it, vi } from 'vitest';
import { launched, linked, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';
import {
  type A2cError,
  createAgent,
  createComputer,
  createOffice,
  type Computer,
  type ComputerOptions,
} from '../index.ts';
import { bootedHosts } from '../../scenarios/fixtures/booted.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { createPresenter } from '../presenter/index.ts';
import { planImport } from '../applications/index.ts';
import { foreign } from '../../machines/config/config-input.ts';

const config = { servers: [{ name: 's', type: 'inmemory' as const, server_parameters: {} }] };
const inside = { config, confirm: 'allow', inMemory: { s: linked().connect } } as const;
const computerOf = (options: ComputerOptions = {}): Promise<Computer> =>
  createComputer({ ...inside, record: false, stateDir: false, ...options });
const largest = 2 ** 31 - 1;

const aRedis = 'redis.url: expected a redis:// or rediss:// URL, or the path of a unix socket';
const aClient = 'redis.client: expected a client of ioredis or a function that makes one';
const aLease = 'redis.leaseMs: expected a whole number from 1000 to 86400000';
type Row = readonly [options: unknown, message: string];
const creators = { createAgent, createComputer, createOffice, createPresenter, planImport };
const refused: Readonly<Record<keyof typeof creators, readonly Row[]>> = {
  createComputer: [
    [{ cofnig: {} }, 'cofnig: unknown option (did you mean config?)'],
    [{ frobnicate: 1 }, 'frobnicate: unknown option'],
    [{ mcpServers: {} }, 'mcpServers: unknown option (mcpServers belongs in `config`)'],
    [null, 'options: expected an object, got null'],
    [{ name: ' ' }, "name: expected a text that is not blank, got ' '"],
    [{ confirm: 'yes' }, "confirm: expected 'allow', 'deny' or a function, got 'yes'"],
    [{ timing: { callTotlMs: 1 } }, 'timing.callTotlMs: unknown option (did you mean callTotalMs?)'],
    [{ timing: { bootMs: 'x' } }, `timing.bootMs: expected milliseconds from 0 to ${largest}, got 'x'`],
    [{ office: 'http://127.0.0.1:3000' }, "office: expected an object, got 'http://127.0.0.1:3000'"],
    [{ office: { id: 'x' } }, 'office.url: is missing'],
    [{ answers: { elicitt: () => {} } }, 'answers.elicitt: unknown option (did you mean elicit?)'],
    [{ signal: {} }, 'signal: expected an AbortSignal, got an object'],
    [{ inMemory: { s: 7 } }, 'inMemory.s: expected an McpServer, or a function that makes one, got 7'],
  ],
  createAgent: [
    [{ url: 'nonsense' }, "url: expected an http: or https: URL, got 'nonsense'"],
    [undefined, 'options: expected an object, got undefined'],
    [{ url: 'http://x', folow: [] }, 'folow: unknown option (did you mean follow?)'],
  ],
  createOffice: [
    [{ port: '3000' }, "port: expected a port, a whole number from 0 to 65535, got '3000'"],
    [{ metrics: { prot: 1 } }, 'metrics.prot: unknown option (did you mean port?)'],
    [{ metrics: { token: ' ' } }, 'metrics.token: expected a text that is not blank, got something else'],
    [{ limits: { conections: 1 } }, 'limits.conections: unknown option (did you mean connections?)'],
    [{ limits: { connections: -1 } }, 'limits.connections: expected a whole number from 0, got -1'],
    [{ limits: { events: 5 } }, 'limits.events: expected 0 (no limit) or a rate { perSecond, burst }, got 5'],
    [{ limits: { events: { perSecond: 5 } } }, 'limits.events.burst: is missing'],
    [{ auth: { token: 'a-token', roels: [] } }, 'auth.roels: unknown option (did you mean roles?)'],
    [{ record: true }, 'record: expected an object, got true'],
    [{ trustProxy: 1.5 }, 'trustProxy: expected a whole number from 0 to 10, got 1.5'],
    [{ redis: 'http://user:password@x' }, `${aRedis}, got something else`],
    [{ redis: {} }, 'redis: needs either a url or a client'],
    [{ redis: { url: 'redis://x', client: () => ({}) } }, 'redis: needs either a url or a client'],
    [{ redis: { client: {} } }, `${aClient}, got an object`],
    [{ redis: { url: 'redis://x', leaseMs: 10 } }, `${aLease}, got 10`],
  ],
  createPresenter: [
    [{ config: {} }, 'config: unknown option (did you mean file or settings?)'],
    [{ file: 'x', settings: {} }, 'settings: is given beside file'],
    [{ fiel: 'x' }, 'fiel: unknown option (did you mean file?)'],
    [{ settings: [] }, 'settings: expected an object, got a list'],
  ],
  planImport: [
    [{ form: 'x' }, 'form: unknown option (did you mean from?)'],
    [{}, 'from: is missing'],
  ],
};
const rows = Object.entries(refused).flatMap(([name, all]) => all.map((row) => [name, ...row] as const));
it.each(rows)('an option is refused: %s with %j', async (name, options, message) => {
  const create = creators[name as keyof typeof creators];
  await expect(create(options as never)).rejects.toMatchObject({
    ...{ code: 'BadRequest', message: `${name}: ${message}` },
    details: { option: expect.stringMatching(/^[a-zA-Z.]*$/) },
  });
});

it('a config that is a path is told how to read it', async () => {
  await expect(createComputer({ config: foreign('a2c.json') })).rejects.toMatchObject({
    code: 'ConfigInvalid',
    message: 'config: expected the content of a config as an object, got a text',
    remedy: expect.stringContaining('JSON.parse(text)'),
  });
});

it.each<[config: object, message: RegExp]>([
  [{ command: 'x' }, /^config: name: is missing: expected a string \(or give the server a name as its key: /],
  [
    { mcpServers: { a: { commnad: 'x' } } },
    /^config: mcpServers\.a\.command: is missing: .* \(commnad is no key: did you mean command\?\)$/,
  ],
  [{ mcpServer: {} }, /^config: has no servers \(mcpServer is no key: did you mean mcpServers\? /],
])('the config %j is told what was meant', async (given, message) => {
  await expect(createComputer({ config: foreign(given) })).rejects.toMatchObject({
    code: 'ConfigInvalid',
    message: expect.stringMatching(message),
  });
});

it('a misspelt key that is ignored is told with the one that was meant', async () => {
  const notices: string[] = [];
  const entry = { command: process.execPath, arg: [], disabled: true };
  await using _computer = await createComputer({
    ...{ config: { mcpServers: { a: entry } }, record: false, stateDir: false },
    onNotice: (text) => notices.push(text),
  });
  expect(notices).toContain('config: mcpServers.a.arg: unknown key, ignored (did you mean args?)');
});

it('a config is refused with all of its mistakes', async () => {
  const mark = `options-${process.pid}`;
  const odd = { command: 'x', args: 7, env: [] };
  const config = foreign({ mcpServers: { good: launched(mark), nameless: { args: [] }, odd } });
  const paths = ['nameless.command', 'odd.args', 'odd.env'];
  await expect(createComputer({ config, record: false, stateDir: false })).rejects.toMatchObject({
    ...{ code: 'ConfigInvalid', remedy: 'Fix the config; nothing was started.' },
    details: { mistakes: paths.map((path) => ({ path: `mcpServers.${path}` })) },
  });
  expect(pidsOf(mark)).toEqual([]);
});

it('an onNotice that throws is a warning of the process, and the host goes on', async () => {
  const warned = once(process, 'warning');
  const config = foreign({ mcpServers: { a: { command: 'x', arg: [], disabled: true } } });
  const onNotice = (): void => {
    throw new Error('no screen');
  };
  await using computer = await createComputer({ config, record: false, stateDir: false, onNotice });
  const message = expect.stringContaining("'onNotice' threw: Error: no screen");
  expect(await warned).toMatchObject([{ name: 'A2cListenerWarning', message }]);
  expect(computer.status().servers).toHaveLength(1);
});

it('an approval that is no group and no tool is told once the tools are known', async () => {
  const notices: string[] = [];
  const server = { command: process.execPath, args: [fixtureFile('mcp-server.mjs')] };
  const fixture = { ...server, autoApprove: ['reads', 'echo', 'write'] };
  await using computer = await createComputer({
    ...{ config: { mcpServers: { fixture } }, record: false, stateDir: false },
    onNotice: (text) => notices.push(text),
  });
  await computer.servers.start('fixture');
  await computer.tools();
  const wrong =
    "autoApprove of server 'fixture': 'reads' is no group (all, readOnlyHint, read, write) and no tool of this server. Did you mean 'read'?";
  expect(notices).toEqual([wrong]);
  await computer.servers.restart('fixture');
  expect(notices).toEqual([wrong]);
  const [status] = computer.status().servers;
  expect(() => process.kill(status?.pid ?? 0, 0)).not.toThrow();
  await computer.servers.stop('fixture');
  expect(computer.status().servers[0]).not.toHaveProperty('pid');
});

it('no error shows a text that was given in place of a config, settings or headers', async () => {
  const secret = 'sk-9f2c';
  const inJson = JSON.stringify({ mcpServers: { a: { command: 'x', env: { KEY: secret } } } });
  const texts = [inJson, `\uFEFF\n ${inJson}`, `[${inJson}]`, secret, `KEY: ${secret}\n`, `"${secret}.json"`];
  await using computer = await computerOf();
  for (const text of texts) {
    const given = text as unknown as object;
    for (const wrong of [createComputer({ config: foreign(given) }), computer.servers.set(foreign(given))]) {
      const { message, remedy, details } = await wrong.then(
        () => expect.unreachable(),
        (error: unknown) => error as A2cError,
      );
      expect(message + remedy + JSON.stringify(details)).not.toContain(secret);
      expect(remedy).toMatch('JSON.parse(text)');
    }
    const office = { url: 'http://127.0.0.1:1', headers: given as never };
    for (const wrong of [createPresenter({ settings: given }), createComputer({ office })])
      await expect(wrong).rejects.toMatchObject({
        message: expect.stringMatching(/(?:settings|headers): expected an object, got a text$/),
      });
  }
});

it('options that are undefined count as left out', async () => {
  await using computer = await computerOf({
    ...{ name: undefined, office: undefined, permission: undefined, launcher: undefined, signal: undefined },
    timing: { callTotalMs: undefined, toolsMs: undefined },
  });
  const call = computer.callTool('echo', { text: 'hi' }, { timeoutMs: undefined, signal: undefined });
  expect(await call).toMatchObject({ outcome: 'succeeded' });
});

it('a call with wrong arguments or options answers, and is never sent', async () => {
  const { computer, agent } = closedAfter(await bootedHosts(inside));
  const ofComputer = computer.callTool as (...given: unknown[]) => ReturnType<Computer['callTool']>;
  const ofAgent = agent.callTool as (...given: unknown[]) => ReturnType<Computer['callTool']>;
  const time = `callTool: timeoutMs: expected milliseconds from 0 (no limit) to ${largest}, got`;
  const cases: [unknown[], string][] = [
    [['echo', {}, null], 'callTool: options: expected an object, got null'],
    [['echo', {}, { timeoutMs: NaN }], `${time} NaN`],
    [['echo', {}, { timeoutMs: '200' }], `${time} '200'`],
    [['echo', {}, { timoutMs: 1 }], 'callTool: timoutMs: unknown option (did you mean timeoutMs?)'],
    [['echo', null], 'callTool: params: expected an object, got null'],
    [[undefined], 'callTool: tool: is missing'],
  ];
  for (const [given, message] of cases)
    for (const outcome of [await ofComputer(...given), await ofAgent('c1', ...given)])
      expect(outcome).toMatchObject({ outcome: 'failed', failure: { code: 'BadRequest', message } });
  expect(computer.calls()).toEqual([]);
  expect(await ofAgent('c1', 'echo', {}, { sessionKey: 'x' })).toMatchObject({
    failure: { code: 'BadRequest' },
  });
  await expect(agent.tools('c1', { timeoutMs: NaN })).rejects.toMatchObject({ code: 'BadRequest' });
  await expect(agent.desktop('c1', { siez: 1 } as never)).rejects.toMatchObject({
    message: 'desktop: siez: unknown option (did you mean size?)',
  });
  await expect(computer.debug.inspect({ port: -1 })).rejects.toMatchObject({ code: 'BadRequest' });
});

it('a listener to an event that does not exist is refused with the nearest one, and so are logs of no server', async () => {
  const { office, computer, agent } = closedAfter(await bootedHosts(inside));
  await using presenter = await createPresenter({ settings: { mcpServers: {} }, record: false });
  const call = computer.callTool('echo', { text: 'hi' });
  const cases: [{ on(name: never, listener: () => void): unknown }, string, string][] = [
    [computer, 'call.setled', 'call.settled'],
    [agent, 'tool.changed', 'tools.changed'],
    [office, 'seat.chnged', 'seat.changed'],
    [presenter, 'mcp:server-startd', 'mcp:server-started'],
    [call, 'progres', 'progress'],
  ];
  for (const [host, name, meant] of cases)
    expect(() => host.on(name as never, () => {})).toThrow(
      `on: unknown event '${name}' (did you mean ${meant}?)`,
    );
  await call;
  expect(() => computer.servers.logs('wrong')).toThrow('Unknown server: wrong');
});

it('a seat that is not taken is explained: where, why, and to a wait that ends', async () => {
  const nowhere = 'http://ada:secret@127.0.0.1:9/office?token=secret';
  const error: unknown = await createAgent({ url: nowhere, record: false }).catch((each: unknown) => each);
  const place = 'http://127.0.0.1:9/office';
  expect(error).toMatchObject({
    code: 'LinkLost',
    message: `Could not join the office: nobody answers at ${place} (ECONNREFUSED)`,
    details: { url: place, refusal: null },
    remedy: 'Start an office: createOffice; in a shell: a2c office',
  });
  expect(JSON.stringify(error)).not.toContain('secret');
  await using office = await createOffice({ port: 0, auth: 'right', record: false });
  const { url } = office;
  const seat = { url, auth: 'wrong', keepTrying: true };
  await using computer = await createComputer({ office: seat, record: false });
  const enough = new AbortController();
  const joined = computer.joined({ signal: enough.signal });
  enough.abort(new DOMException('enough', 'TimeoutError'));
  await expect(joined).rejects.toMatchObject({
    code: 'TokenRefused',
    details: { url, refusal: 'credential' },
    cause: { message: 'enough' },
  });
});

it('a question to an own computer refuses options that it does not take', async () => {
  await using computer = await computerOf();
  const read = computer.readResource('a:b', { srever: 's' } as never);
  const cases: [Promise<unknown>, string][] = [
    [computer.tools({ timeoutMs: 5 } as never), 'tools: timeoutMs: unknown option'],
    [computer.resources({ server: 's' } as never), 'resources: server: unknown option'],
    [read, 'readResource: srever: unknown option (did you mean server?)'],
    [computer.finder({ window: 'w' } as never), 'finder: window: unknown option'],
  ];
  for (const [asked, message] of cases)
    await expect(asked).rejects.toMatchObject({ code: 'BadRequest', message });
  expect(await computer.finder({ limit: 1, keywords: ['a'], fileType: 'pdf', offset: 0 })).toMatchObject({
    documents: [],
  });
});

it('a signal ends a wait and a call with its reason, and many calls share it without a warning', async () => {
  const warned = vi.spyOn(process, 'emitWarning');
  await using computer = await computerOf();
  await computer.tools();
  const aborter = new AbortController();
  const options = { signal: aborter.signal };
  const calls = Array.from({ length: 30 }, () => computer.callTool('hang', {}, options));
  const starting = computer.servers.restart('s', options);
  const why = new Error('the tab was closed');
  aborter.abort(why);
  await expect(starting).rejects.toBe(why);
  for (const call of calls)
    expect(await call).toMatchObject({
      end: 'cancelled',
      failure: {
        message: expect.stringMatching(/was cancelled: the tab was closed$/),
        details: { cancel_reason: 'the tab was closed' },
      },
    });
  expect(await computer.callTool('echo', {}, options)).toMatchObject({
    failure: { message: expect.stringMatching(/its signal is aborted: the tab was closed$/) },
  });
  await expect(computer.tools(options)).rejects.toBe(why);
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});

it('an agent hears the reason of its own signal, which its computer never heard', async () => {
  const aborter = new AbortController();
  const confirm = (): Promise<never> => {
    aborter.abort(new Error('the tab was closed'));
    return new Promise(() => {});
  };
  const { agent } = closedAfter(await bootedHosts({ ...inside, confirm }));
  const call = agent.callTool('c1', 'echo', { text: 'hi' }, { signal: aborter.signal });
  expect(await call).toMatchObject({
    ...{ outcome: 'failed', end: 'cancelled', phase: 'confirming' },
    failure: {
      message: expect.stringMatching(/the tab was closed$/),
      details: { cancel_reason: 'the tab was closed', computer: 'c1' },
    },
  });
});
