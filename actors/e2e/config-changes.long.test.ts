import { afterEach, describe, expect, it } from 'vitest';
import { createEar, launched, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import type { Computer, ComputerOptions } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';
import { foreign } from '../../machines/config/config-input.ts';

const mark = crypto.randomUUID();
const markOf = (name: string): string => `${mark}-${name}.`;
const pidOf = (name: string): number | undefined => pidsOf(markOf(name))[0];
const server = (name: string, behaviour = 'echo', more: object = {}): object =>
  launched(markOf(name), behaviour, more);
const one = (name: string, behaviour = 'echo', more: object = {}): object => ({
  mcpServers: { [name]: server(name, behaviour, more) },
});
const missing = (name: string): object => ({ mcpServers: { [name]: { command: 'no-such-command' } } });

let computer: Computer;
let ear: ReturnType<typeof createEar>;
const start = async (mcpServers: object, options: ComputerOptions = {}): Promise<void> => {
  ear = createEar();
  computer = await bootedComputer({
    name: 'c1',
    config: foreign({ mcpServers, a2c: { timeouts: { stdinGraceMs: 100, termGraceMs: 100 } } }),
    onEvent: ear.onEvent,
    ...options,
  });
};
const two = { a: server('a'), b: server('b') };
const namesOf = async (): Promise<string[]> => (await computer.tools()).tools.map(({ name }) => name);
const stateOf = (name: string): string | undefined =>
  computer.status().servers.find((each) => each.name === name)?.state;
afterEach(async () => {
  await computer.close();
  expect(pidsOf(mark)).toEqual([]);
});

describe('setServers', () => {
  it('closes what is gone, starts what is new and leaves alone what is as it was', async () => {
    await start(two);
    const before = { a: pidOf('a'), b: pidOf('b') };
    await computer.servers.set({ mcpServers: { b: server('b'), c: server('c') } });
    await ear.until(() => stateOf('c') === 'ready' && ear.of('server.removed').length === 1);
    expect(ear.of('server.removed')).toEqual([{ name: 'a' }]);
    expect(computer.status().servers.map(({ name }) => name)).toEqual(['b', 'c']);
    expect([pidOf('a'), pidOf('b')]).toEqual([undefined, before.b]);
    expect(pidOf('c')).toBeGreaterThan(0);
    expect(ear.statesOf('b').filter((state) => state !== 'ready')).toEqual(['connecting']);
  });

  it('rejects with every mistake, and then nothing has changed', async () => {
    await start(two);
    const pid = pidOf('a');
    const bad = { mcpServers: { a: { args: 7 }, b: server('b'), c: { url: 5 } } };
    const error = (await computer.servers.set(foreign(bad)).catch((e: unknown) => e)) as Error;
    expect(error).toMatchObject({ code: 'ConfigInvalid' });
    expect(error.message.split('\n').length).toBeGreaterThan(1);
    expect(error.message).toContain('mcpServers.a');
    expect(error.message).toContain('mcpServers.c');
    expect(computer.status().servers.map(({ name, state }) => [name, state])).toEqual([
      ['a', 'ready'],
      ['b', 'ready'],
    ]);
    expect(pidOf('a')).toBe(pid);
  });
});

describe('addOrUpdateServer', () => {
  it('restarts nothing with the config that a server has', async () => {
    await start(two);
    const pids = [pidOf('a'), pidOf('b')];
    expect(await computer.servers.add(foreign(one('a')))).toMatchObject({ name: 'a', state: 'ready' });
    expect([pidOf('a'), pidOf('b')]).toEqual(pids);
  });

  it('restarts nothing for another icon, tool meta or disabled tool, which is seen at once', async () => {
    await start(two);
    const [pid, before] = [pidOf('a'), await namesOf()];
    expect(before).toContain('echo');
    const rules = { icon: 'x', tool_meta: { die: { alias: 'finish' } }, forbidden_tools: ['fail'] };
    await computer.servers.set({ mcpServers: { a: server('a', 'echo', rules) } });
    const after = await namesOf();
    expect(after).toContain('finish');
    expect(after).not.toContain('fail');
    expect(after).not.toContain('die');
    expect(pidOf('a')).toBe(pid);
    expect(await computer.callTool('fail')).toMatchObject({ outcome: 'failed' });
  });

  it('starts a server with another launch config again, and no other', async () => {
    await start(two);
    const pids = [pidOf('a'), pidOf('b')];
    expect(await computer.servers.add(foreign(one('a', 'pages')))).toMatchObject({ state: 'ready' });
    expect(pidsOf(markOf('a'))).toHaveLength(1);
    expect(pidOf('a')).not.toBe(pids[0]);
    expect(pidOf('b')).toBe(pids[1]);
    expect(await namesOf()).toContain('first');
  });

  it('is rejected with why when the server cannot be started; the old one is back and serves, however often', async () => {
    await start({ a: server('a') });
    for (const command of ['no-such-command', 'nor-this-one', 'and-not-this']) {
      const wrong = { mcpServers: { a: { command, autoApprove: ['all'] } } };
      await expect(computer.servers.add(wrong)).rejects.toMatchObject({
        code: 'NotStartable',
        message: expect.stringContaining('is back as it was') as string,
        details: { server_name: 'a' },
      });
      expect(stateOf('a')).toBe('ready');
      expect(await computer.callTool('echo', { text: 'x' })).toMatchObject({ outcome: 'succeeded' });
    }
    expect(pidsOf(markOf('a'))).toHaveLength(1);
  });

  it('tells each of two that are changed at once how its own change went', async () => {
    await start(two);
    const pid = pidOf('b');
    const [a, b] = await Promise.allSettled([
      computer.servers.add(foreign(missing('a'))),
      computer.servers.add(foreign(one('b', 'pages'))),
    ]);
    expect([a.status, b.status]).toEqual(['rejected', 'fulfilled']);
    expect(pidOf('b')).not.toBe(pid);
    expect([stateOf('a'), stateOf('b')]).toEqual(['ready', 'ready']);
  });

  it('adds a server that was not there; what cannot be started rests with its reason', async () => {
    await start({});
    expect(await computer.servers.add(foreign(one('new')))).toMatchObject({ name: 'new', state: 'ready' });
    expect(await computer.servers.add(foreign(missing('bad')))).toMatchObject({
      state: 'open',
      reason: expect.stringContaining('command not found') as string,
    });
    await expect(computer.servers.add({ mcpServers: two })).rejects.toThrow('expected one server');
  });

  it('ends a server that it disables, and starts one that it enables', async () => {
    await start(two);
    const ended = ear.until(() => ear.statesOf('a').at(-1) === 'disabled');
    expect(await computer.servers.add(foreign(one('a', 'echo', { disabled: true })))).toMatchObject({
      state: 'disabled',
    });
    await ended;
    expect(pidOf('a')).toBeUndefined();
    await expect(computer.servers.start('a')).rejects.toThrow('disabled in its config');
    expect(await computer.servers.add(foreign(one('a')))).toMatchObject({ state: 'ready' });
    expect(pidOf('a')).toBeGreaterThan(0);
  });
});

describe('removeServer', () => {
  it('resolves when the server has ended; it can be added again, and nobody unknown can be removed', async () => {
    await start(two);
    await computer.servers.remove('a');
    expect(pidOf('a')).toBeUndefined();
    expect(computer.status().servers.map(({ name }) => name)).toEqual(['b']);
    await expect(computer.servers.remove('a')).rejects.toMatchObject({ code: 'NotFound' });
    expect(await computer.servers.add(foreign(one('a')))).toMatchObject({ state: 'ready' });
    expect(pidOf('a')).toBeGreaterThan(0);
  });

  it('waits for the end of a server that is only just starting, too', async () => {
    await start({ a: server('a') }, { autoConnect: false });
    const started = computer.servers.start('a').catch((error: unknown) => error);
    await computer.servers.remove('a');
    expect(pidOf('a')).toBeUndefined();
    expect(await started).toMatchObject({ code: 'ServerNotActive' });
  });
});
