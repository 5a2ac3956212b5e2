import { describe, expect, it } from 'vitest';
import { commandLine } from '../../scenarios/fixtures/command-line.ts';
import { EndedBySignal } from './exit-codes.ts';
import { configFiles, fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';

const server = fixtureFile('mcp-server.mjs');
const folder = testFolder('exit');
const configOf = configFiles(folder);
const good = { command: process.execPath, args: [server] };
const dead = { command: process.execPath, args: ['-e', 'process.exit(3)'], a2c: { restart: 'never' } };

describe('a host without a usable server', () => {
  it.each([
    ['tools', { dead }],
    ['status', { dead }],
    ['desktop', { dead }],
    ['finder', { dead }],
    ['tools', { off: { ...good, disabled: true }, gone: { command: 'no-such-program-of-anybody' } }],
    ['status', {}],
  ])('makes a2c %s end with 1, and its answer says why: %j', async (command, servers) => {
    const file = configOf(servers);
    const told = await commandLine([command, '-c', file]);
    expect(told).toMatchObject({ code: 1, err: expect.stringContaining('error: no server is usable\n') });
    const { code, out } = await commandLine([command, '--json', '-c', file]);
    expect(code).toBe(1);
    const { servers: states = [], missing = [] } = JSON.parse(out) as Record<string, { reason: string }[]>;
    const reasons = [...states, ...missing].map(({ reason }) => reason);
    expect(reasons).toHaveLength(Object.keys(servers).length);
    for (const reason of reasons) expect(reason).not.toBe('');
  });

  it.each([
    ['one of several', { dead, good }],
    ['one that starts when it is called', { good: { ...good, a2c: { start: 'lazy' } } }],
  ])('does not say so where %s is', async (_, servers) => {
    const isDown = 'dead' in servers;
    for (const [command, code] of [
      ['tools', 0],
      ['status', isDown ? 1 : 0],
    ] as const)
      expect(await commandLine([command, '-c', configOf(servers)])).toMatchObject({ code, err: '' });
  });
});

describe('the exit code of a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('is for %s %i in what was to give an answer', async (name, code) => {
    const signal = AbortSignal.abort(new EndedBySignal(name));
    const file = configOf({ good });
    for (const argv of [['tools'], ['call', 'echo'], ['status'], ['desktop']])
      expect(await commandLine([...argv, '-c', file], { signal })).toEqual({
        ...{ code, out: '', err: 'error: Interrupted\n' },
      });
  });

  it.each([
    ['SIGINT', 0],
    ['SIGTERM', 143],
  ] as const)('is for %s %i in what goes on until it is ended', async (name, code) => {
    const aborter = new AbortController();
    const onLine = (): void => aborter.abort(new EndedBySignal(name));
    const told = await commandLine(['office', '--port', '0'], { signal: aborter.signal, onLine });
    expect(told.code).toBe(code);
  });
});
