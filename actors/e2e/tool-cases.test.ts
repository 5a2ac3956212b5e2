import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createEar, launched, linked, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import type { Computer, ComputerOptions } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { foreign } from '../../machines/config/config-input.ts';

/** Tests of tools with servers inside this process, and with real ones where they are restarted. */
const mark = crypto.randomUUID();
const real = (behaviour = 'echo', more: object = {}): object => launched(mark, behaviour, more);
const auto = { autoApprove: ['all'] };
const inside = (more: object = {}): object => ({ type: 'inmemory', args: ['echo'], ...auto, ...more });
/** Config that forbids all tools of the fixture except these. */
const only = (...kept: readonly string[]): object => ({
  forbidden_tools: ['echo', 'fail', 'hang', 'slow', 'die', 'seen', 'methods', 'burst'].filter(
    (t) => !kept.includes(t),
  ),
});

let computer: Computer;
let ear: ReturnType<typeof createEar>;
const start = async (mcpServers: object, options: ComputerOptions = {}, a2c: object = {}): Promise<void> => {
  ear = createEar();
  const servers = ['A', 'B', 'C'].map((name) => [name, linked().connect] as const);
  const config = foreign({ mcpServers, a2c: { timeouts: { stdinGraceMs: 100, termGraceMs: 100 }, ...a2c } });
  computer = await bootedComputer({
    ...{ name: 'c1', config, onEvent: ear.onEvent, stateDir: false, reaper: false },
    ...{ inMemory: Object.fromEntries(servers), ...options },
  });
};
const named = (name: string) => computer.status().servers.find((each) => each.name === name);
const namesOf = async (server?: string): Promise<string[]> =>
  (await computer.tools()).tools
    .filter((t) => server === undefined || t.server === server)
    .map((t) => t.name);
const call = async (tool: string): Promise<string | undefined> => {
  const { outcome, server } = await computer.callTool(tool, { text: 'hi' });
  return outcome === 'succeeded' ? server : undefined;
};
afterEach(async () => {
  await computer.close();
  expect(pidsOf(mark)).toEqual([]);
});

describe('a tool whose name another server has', () => {
  it('is refused, and both servers are ready with all their other tools', async () => {
    await start({ A: inside(only('echo')), B: inside(only('echo', 'fail')) });
    expect([named('A')?.state, named('B')?.state]).toEqual(['ready', 'ready']);
    const { tools, refused } = await computer.tools();
    expect(tools.map(({ name, server }) => [name, server])).toEqual(
      expect.arrayContaining([
        ['echo', 'A'],
        ['fail', 'B'],
      ]),
    );
    expect(refused.filter(({ name }) => name === 'echo')).toEqual([
      {
        ...{ name: 'echo', server: 'B', reason: "Tool 'echo' exists in multiple servers: 'A', 'B'" },
        suggestion: `Give it an alias in the config of 'B': "tool_meta": {"echo": {"alias": "B_echo"}}`,
        call: 'B.echo',
        inputSchema: expect.any(Object),
      },
    ]);
    expect(await call('echo')).toBe('A');
  });

  it('has none of that with an alias, which is called like any name', async () => {
    const toolMeta = { tool_meta: { echo: { alias: 'B_echo' } } };
    await start({ A: inside(only('echo')), B: inside({ ...only('echo'), ...toolMeta }) });
    expect([await call('echo'), await call('B_echo')]).toEqual(['A', 'B']);
  });

  it('is refused also when its server comes later, which stays in the config and is ready', async () => {
    await start({ A: inside(only('echo')) });
    const config = { mcpServers: { B: inside(only('echo', 'fail')) } };
    expect(await computer.servers.add(config)).toMatchObject({ name: 'B', state: 'ready' });
    expect(await namesOf('B')).toContain('fail');
    const { refused } = await computer.tools();
    expect(refused.map(({ name, server }) => [name, server])).toContainEqual(['echo', 'B']);
  });

  it('is listed under another with prefix, says why, and is called by that', async () => {
    await start({ A: inside(only('echo', 'fail')), B: inside(only('echo')) }, {}, { onConflict: 'prefix' });
    const { tools, refused } = await computer.tools();
    expect(refused).toEqual([]);
    expect(tools.find(({ name }) => name === 'B_echo')).toMatchObject({
      ...{ original: 'echo', server: 'B', description: '[B] echo' },
      renamed: { from: 'echo', reason: "Tool 'echo' exists in multiple servers: 'A', 'B'" },
    });
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['A_echo', 'B_echo', 'fail']));
    expect([await call('A_echo'), await call('B_echo'), await call('echo')]).toEqual(['A', 'B', undefined]);
  });
});

describe('names that were given in a conflict', () => {
  const folder = mkdtempSync(join(tmpdir(), 'a2c-names-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are the same after a restart, also while the other server cannot be started', async () => {
    const servers = { A: inside(), B: inside() };
    const policy = { onConflict: 'prefix' };
    await start(servers, { stateDir: folder }, policy);
    const before = await namesOf('A');
    expect(before).toContain('A_echo');
    await computer.close();
    await start(servers, { stateDir: folder, inMemory: { A: linked().connect } }, policy);
    expect([named('B')?.state, await namesOf()]).toEqual(['unsupported', before]);
    await computer.servers.set(foreign({ mcpServers: { A: inside() }, a2c: policy }));
    expect(await namesOf()).toContain('echo');
  });
});

describe('tools of a server', () => {
  it('are listed from all pages', async () => {
    await start({ A: real('pages') });
    expect(await namesOf()).toEqual(['first', 'second']);
  });

  it('stay as they are when it is added again with another launch config, runs, and must not be restarted; other changes are taken', async () => {
    await start({ A: real() }, { autoReconnect: false });
    await expect(computer.servers.add({ mcpServers: { A: real('pages') } })).rejects.toThrow(
      'Server A is active. Stop it before updating config',
    );
    expect(await namesOf()).toContain('echo');
    await computer.servers.add({ mcpServers: { A: real('echo', { forbidden_tools: ['echo'] }) } });
    expect(await namesOf()).not.toContain('echo');
  });

  it('are forbidden at once, and the server is not restarted for it', async () => {
    await start({ A: real() });
    const pids = pidsOf(mark);
    await computer.servers.add({ mcpServers: { A: real('echo', { forbidden_tools: ['echo'] }) } });
    expect(await namesOf()).not.toContain('echo');
    expect(await computer.callTool('echo')).toMatchObject({
      outcome: 'failed',
      failure: { code: 'ToolDisabled' },
    });
    expect(pidsOf(mark)).toEqual(pids);
  });

  it('have no bundle before their names; of disabled servers and forbidden ones there are none', async () => {
    await start({ A: inside(only('echo')), B: inside({ disabled: true }) });
    const { tools } = await computer.tools();
    expect(tools.map(({ name, server }) => [name, server])).toContainEqual(['echo', 'A']);
    expect(tools.filter((t) => t.server === 'B' || t.name === 'fail' || 'bundle_id' in t)).toEqual([]);
  });
});

describe('a server', () => {
  it('cannot be started when it is disabled or unknown, and says so; nobody starts it at boot', async () => {
    await start({ A: inside(), B: inside({ disabled: true }) });
    expect([named('A')?.state, named('B')?.state]).toEqual(['ready', 'disabled']);
    await expect(computer.servers.start('B')).rejects.toThrow('disabled in its config');
    await expect(computer.servers.start('Z')).rejects.toThrow('Unknown server: Z');
  });

  it('cannot be removed when it is unknown; one that runs is stopped, and its tools are gone', async () => {
    await start({ A: real(), B: inside({ tool_meta: { echo: { alias: 'other' } } }) });
    await expect(computer.servers.remove('Z')).rejects.toThrow('Unknown server: Z');
    await computer.servers.remove('A');
    expect([await namesOf('A'), pidsOf(mark), named('A')]).toEqual([[], [], undefined]);
    expect(await call('echo')).toBe('B');
  });

  it('is shown so when it is disabled from the beginning, and the computer is whole', async () => {
    await start({ A: inside(), B: inside({ disabled: true }) });
    expect(named('B')).toMatchObject({ state: 'disabled' });
    expect(computer.status().state).toBe('whole');
  });

  it('fails alone when its command does not exist: boot ends, and the others are ready', async () => {
    await start({ A: inside(), B: { command: 'no-such-command' } });
    expect(named('A')?.state).toBe('ready');
    expect(named('B')).toMatchObject({
      state: 'open',
      reason: expect.stringContaining('no-such-command'),
    });
  });
});
