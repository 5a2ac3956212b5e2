import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEar, launched, pidsOf } from '../../scenarios/fixtures/hosted.ts';
import type { Computer } from '../index.ts';
import { bootedComputer } from '../../scenarios/fixtures/booted.ts';

/** Tests of servers that start on demand, over several lives of their host. */
const mark = crypto.randomUUID();
let stateDir: string;
let ear: ReturnType<typeof createEar>;
let computer: Computer | undefined;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'a2c-lazy-'));
});
afterEach(async () => {
  await computer?.close();
  rmSync(stateDir, { recursive: true });
  expect(pidsOf(mark)).toEqual([]);
});

const start = async (own: object = {}, behaviour = 'echo', more: object = {}): Promise<Computer> => {
  await computer?.close();
  ear = createEar();
  const lazy = launched(mark, behaviour, { a2c: { start: 'lazy', ...own }, ...more });
  return (computer = await bootedComputer({
    name: 'c1',
    config: { mcpServers: { lazy } },
    stateDir,
    reaper: false,
    onEvent: ear.onEvent,
  }));
};
const stateOf = (): string | undefined => computer?.status().servers[0]?.state;
const namesOf = async (host: Computer): Promise<string[]> =>
  (await host.tools()).tools.map(({ name }) => name);

describe('a lazy server', () => {
  it('starts once to be known, and from the next run on rests with its cached tools on offer', async () => {
    const first = await start();
    expect(stateOf()).toBe('ready');
    const tools = await namesOf(first);
    const second = await start();
    expect(stateOf()).toBe('standby');
    expect(second.status().state).toBe('whole');
    expect(await namesOf(second)).toEqual(tools);
    expect(pidsOf(mark)).toEqual([]);
  });

  it('is started by its first calls, once for all of them', async () => {
    await start();
    const host = await start();
    const calls = Array.from({ length: 10 }, (_, n) => host.callTool('echo', { text: `${n}` }));
    const texts = (await Promise.all(calls)).map(({ outcome, result }) => [outcome, result]);
    expect(texts).toEqual(
      Array.from({ length: 10 }, (_, n) => ['succeeded', { content: [{ type: 'text', text: `${n}` }] }]),
    );
    expect(ear.statesOf('lazy')).toEqual(['standby', 'connecting', 'ready']);
    expect(pidsOf(mark)).toHaveLength(1);
  });

  it('is not known any more when its launch config changed', async () => {
    await start();
    const host = await start({}, 'pages');
    expect(stateOf()).toBe('ready');
    expect(await namesOf(host)).toEqual(['first', 'second']);
  });

  it('is ended when nobody calls for a while, keeps its tools on offer, and starts again with the next call', async () => {
    const host = await start({ idleStop: 0.2 });
    const tools = await namesOf(host);
    await ear.until(() => stateOf() === 'standby');
    expect(pidsOf(mark)).toEqual([]);
    expect(await namesOf(host)).toEqual(tools);
    expect(ear.of('tools.changed').at(-1)?.removed ?? []).toEqual([]);
    expect(await host.callTool('echo', { text: 'back' })).toMatchObject({ outcome: 'succeeded' });
    await ear.until(() => ear.statesOf('lazy').filter((state) => state === 'standby').length === 2);
    expect(pidsOf(mark)).toEqual([]);
  });

  it('tells every caller why it cannot start when it is called, and none waits for ever', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'a2c-lazy-home-'));
    await start({}, 'echo', { cwd });
    // The launch config is unchanged, so the server is still known; only its folder is gone.
    rmSync(cwd, { recursive: true });
    const host = await start({}, 'echo', { cwd });
    expect(stateOf()).toBe('standby');
    const ends = await Promise.all([1, 2, 3].map(() => host.callTool('echo', { text: 'x' })));
    for (const { outcome, failure } of ends) {
      expect(outcome).toBe('failed');
      expect(failure?.message).toContain(cwd);
    }
    expect(stateOf()).toBe('open');
  });

  it('gets ready all the same when its caller gives up while it starts; one that is stopped meanwhile tells its caller and leaves no process', async () => {
    await start();
    const host = await start();
    const given = new AbortController();
    const call = host.callTool('echo', { text: 'x' }, { signal: given.signal });
    await ear.until(() => stateOf() === 'connecting');
    given.abort();
    expect(await call).toMatchObject({ end: 'cancelled', outcome: 'failed' });
    await ear.until(() => stateOf() === 'ready');
    const again = await start();
    const late = again.callTool('echo', { text: 'x' });
    await ear.until(() => stateOf() === 'connecting');
    await again.servers.stop('lazy');
    expect(await late).toMatchObject({ outcome: 'failed' });
    expect(pidsOf(mark)).toEqual([]);
  });
});
