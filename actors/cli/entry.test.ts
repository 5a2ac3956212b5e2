/** Tests of the token of `a2c office`: commands of the same user find it, commands of other users do not. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { entryBy, openShared } from './entry.ts';
import { run } from './run.ts';
import { terminalOver } from '../e2e/terminal-over.ts';
import { testFolder } from '../../scenarios/fixtures/test-folder.ts';

const folder = testFolder('entry');
const [mine, others] = [join(folder, 'mine'), join(folder, 'others')];
afterEach(() => {
  vi.unstubAllEnvs();
});

interface Running {
  readonly told: () => string;
  readonly over: Promise<number>;
  stop(): void;
}
/** Runs a command and collects its terminal output; `home` is the state folder of its user. */
function start(home: string, ...argv: string[]): Running {
  vi.stubEnv('XDG_STATE_HOME', home);
  const { terminal, told } = terminalOver();
  const stopping = new AbortController();
  const over = run(argv, { terminal, signal: stopping.signal });
  return { told: () => told.all, over, stop: () => stopping.abort() };
}
/** Starts `a2c office` and resolves with its address once it listens. */
async function office(...argv: string[]): Promise<Running & { readonly url: string }> {
  const running = start(mine, 'office', '--port', '0', ...argv);
  await vi.waitUntil(() => running.told().includes('Ctrl-C closes it'), { timeout: 60_000, interval: 5 });
  return { ...running, url: /http:\/\/\S+/.exec(running.told())?.[0] ?? '' };
}
async function close(running: Running): Promise<void> {
  running.stop();
  await running.over;
}
/** Runs `a2c tools` against an empty office. A command that is told of the missing computer was let in. */
async function asks(home: string, url: string, ...argv: string[]): Promise<string> {
  const asking = start(home, 'tools', '--url', url, ...argv);
  expect(await asking.over).toBe(1);
  return asking.told();
}
const letIn = 'No computer is in this office';

it('a2c up on another port than usual says that the usual one is taken', async () => {
  const taken = createServer().on('error', () => {});
  await new Promise<void>((resolve) => {
    taken.once('error', () => resolve()).listen(3_000, '127.0.0.1', resolve);
  });
  const running = start(mine, 'up', '-c', '{"mcpServers": {}}');
  await vi.waitUntil(() => running.told().includes('quit ends everything'), { timeout: 60_000, interval: 5 });
  expect(running.told()).toMatch(/^office http:\S+:(?!3000 ).*; port 3000 is taken$/m);
  await close(running);
  taken.close();
});

describe('an office of a2c office', () => {
  it('lets in commands of its user, and those of others only with its token', async () => {
    const running = await office();
    expect(await asks(mine, running.url)).toContain(letIn);
    const refused = await asks(others, running.url);
    expect(refused).toMatch(/^error: The office did not let us in: This office wants a token/m);
    expect(running.told()).toContain('not let in: 127.0.0.1: This office wants a token');
    await close(running);
    expect(readdirSync(join(mine, 'a2c', 'offices'))).toEqual([]);
  });

  it('lets in who gives one of its tokens, as an option or in the environment', async () => {
    const running = await office('--token', 'one', '--token', 'two');
    expect(await asks(others, running.url, '--token', 'two')).toContain(letIn);
    vi.stubEnv('A2C_TOKEN', 'one');
    expect(await asks(others, running.url)).toContain(letIn);
    vi.stubEnv('A2C_TOKEN', 'three');
    expect(await asks(others, running.url)).toContain('does not know that token');
    await close(running);
  });

  it('lets everybody of this machine in with --open, whatever the environment says', async () => {
    vi.stubEnv('A2C_TOKEN', 'one');
    const running = await office('--open');
    vi.stubEnv('A2C_TOKEN', '');
    expect(await asks(others, running.url)).toContain(letIn);
    await close(running);
  });

  it('is not opened with --open and --token, nor with --open where others reach it', async () => {
    const both = start(mine, 'office', '--port', '0', '--open', '--token', 'one');
    expect([await both.over, both.told()]).toEqual([1, expect.stringContaining('Leave out one of them.')]);
    const wide = start(mine, 'office', '--port', '0', '--open', '--host', '0.0.0.0');
    expect([await wide.over, wide.told()]).toEqual([1, expect.stringContaining('loopback only')]);
  });

  it('takes on the port of a killed one its token, so that peers which come back are let in', async () => {
    const left = await office();
    const { port } = new URL(left.url);
    await close(left);
    const file = join(mine, 'a2c', 'offices', `${port}.token`);
    writeFileSync(file, 'left-by-a-killed-office', { mode: 0o600 });
    const running = await office('--port', port);
    expect(await asks(others, running.url, '--token', 'left-by-a-killed-office')).toContain(letIn);
    await close(running);
    expect(existsSync(file)).toBe(false);
  });

  it('shares its token on a fixed port before it listens, and takes it back where it cannot', async () => {
    const entry = entryBy({}, 9);
    const context = { ...terminalOver(), signal: new AbortController().signal };
    vi.stubEnv('XDG_STATE_HOME', mine);
    const tokens = (): string[] => readdirSync(join(mine, 'a2c', 'offices'));
    let seen: string[] = [];
    const opening = openShared(context, entry, 9, async () => {
      seen = tokens();
      throw new Error('the port is taken');
    });
    await expect(opening).rejects.toThrow('the port is taken');
    expect([seen, tokens()]).toEqual([['9.token'], []]);
  });
});
