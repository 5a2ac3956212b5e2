import { closeSync, existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setup, type AnyStateMachine } from 'xstate';
import { A2cError, createAgent, createOffice } from '../../actors/index.ts';
import { assemble } from '../../actors/runtime/assemble.ts';
import { machines } from '../../actors/kinds/all.ts';
import { Runtime, type RuntimeOptions } from '../../actors/api/runtime.ts';
import { replay, replayOf } from './replay.ts';
import { bootedComputer } from '../fixtures/booted.ts';
import { testFolder } from '../fixtures/test-folder.ts';
import { traceOf } from './world/world.ts';

const folder = testFolder('recorder');
let count = 0;
const freshFolder = (): string => join(folder, `${(count += 1)}`);
const quiet = { stateDir: false, reaper: false } as const;

const brittle = setup({
  actions: {
    trip: () => {
      throw new Error('bug in brittle');
    },
  },
}).createMachine({ id: 'brittle', on: { go: { actions: 'trip' } } }) as unknown as AnyStateMachine;
const kinds = { ...machines, brittle };
function hostOf(options: RuntimeOptions) {
  const notices: string[] = [];
  const host = new Runtime({ reaper: false, notice: (text) => void notices.push(text), ...options });
  assemble(host.directory, kinds);
  return { host, notices };
}
function fail({ directory }: Runtime): void {
  directory.start('brittle', {}, 'host:brittle');
  directory.send('brittle', { type: 'go' });
}

describe('a machine that fails', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('leaves a trace that shows it again, and a notice with the command', () => {
    const stateDir = freshFolder();
    const { host, notices } = hostOf({ stateDir });
    fail(host);
    expect(notices).toEqual([]);
    vi.advanceTimersByTime(100);
    const [name = ''] = readdirSync(join(stateDir, 'traces'));
    const file = join(stateDir, 'traces', name);
    expect(notices).toEqual([`brittle#1 failed: Error: bug in brittle; see a2c replay ${file}`]);
    const { verdict, text } = replayOf(file, traceOf(file).trace, { kinds });
    expect(verdict).toBe('broken');
    expect(text).toMatch(/^BROKEN .*\n {2}no machine fails: brittle#1 failed: Error: bug in brittle\n/);
  });

  it('does so once a minute at most, and twenty are kept, the newest', () => {
    const stateDir = freshFolder();
    const { host, notices } = hostOf({ stateDir });
    const kept = (): string[] => readdirSync(join(stateDir, 'traces')).toSorted();
    for (const wait of [100, 30_000, 29_000]) {
      fail(host);
      vi.advanceTimersByTime(wait);
      expect(notices).toHaveLength(1);
    }
    const first = kept();
    vi.advanceTimersByTime(60_000);
    for (let n = 2; n <= 23; n++) {
      fail(host);
      vi.advanceTimersByTime(60_200);
      expect(notices).toHaveLength(n);
    }
    expect(kept()).toHaveLength(20);
    expect(kept()).not.toContain(first[0]);
    expect(notices.at(-1)).toContain(kept().at(-1));
  });

  it('leaves nothing where no state is kept, and nothing where nothing is recorded', () => {
    const hosts = [hostOf({ stateDir: false }), hostOf({ stateDir: join(folder, 'never'), record: false })];
    for (const { host } of hosts) fail(host);
    vi.advanceTimersByTime(1_000);
    expect(hosts.flatMap(({ notices }) => notices)).toEqual([]);
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });

  it('says so when its trace cannot be written, and hurts nobody', () => {
    const stateDir = freshFolder();
    writeFileSync(stateDir, 'a file where a folder should be');
    const { host, notices } = hostOf({ stateDir });
    fail(host);
    vi.advanceTimersByTime(100);
    expect(notices).toEqual([
      expect.stringMatching(/^brittle#1 failed: .*; its trace could not be written: E/),
    ]);
  });

  it('is told of with the file that grows, where there is one', () => {
    const { host, notices } = hostOf({ stateDir: false, record: { dir: freshFolder() } });
    fail(host);
    vi.advanceTimersByTime(100);
    expect(notices).toEqual([expect.stringContaining(`a2c replay ${host.flight?.path}`)]);
    expect(replayOf('t', traceOf(host.flight?.path ?? '').trace, { kinds }).verdict).toBe('broken');
  });

  it('leaves a trace just before its host closes all the same, by its name', async () => {
    const stateDir = freshFolder();
    const { host, notices } = hostOf({ stateDir });
    fail(host);
    await host.close();
    expect(notices).toEqual([expect.stringContaining('brittle#1 failed: Error: bug in brittle')]);
    vi.advanceTimersByTime(1_000);
    expect(readdirSync(join(stateDir, 'traces'))).toHaveLength(1);
  });
});

describe('writeTrace', () => {
  it('writes for a computer, an agent and an office what they were told so far, each to a file of its own', async () => {
    const dir = freshFolder();
    const office = await createOffice({ port: 0 });
    const computer = await bootedComputer({ ...quiet, name: 'c1', office: { url: office.url } });
    const agent = await createAgent({ url: office.url });
    const files = await Promise.all(
      [office, computer, agent, office].map((each) => each.debug.writeTrace(dir)),
    );
    expect(readdirSync(dir).toSorted()).toEqual(files.map((file) => file.slice(dir.length + 1)).toSorted());
    expect(new Set(files).size).toBe(4);
    for (const file of files)
      expect((await replay(file)).text).toMatch(/^SAME .*: \d+ inputs, \d+ records, digest [0-9a-f]{16}$/);
    expect(traceOf(files[0] ?? '').trace.tail?.reason).toBe('asked');
    for (const each of [agent, computer, office]) await each.close();
  });

  it('writes a whole trace when it is asked for by a listener, in the midst of what happens', async () => {
    const dir = freshFolder();
    const files: Promise<string>[] = [];
    const office = await createOffice({ port: 0, record: { profile: 'steps' } });
    office.on('seat.changed', () => void files.push(office.debug.writeTrace(dir)));
    const agent = await createAgent({ url: office.url });
    await agent.close();
    await office.close();
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const file of files) expect((await replay(await file)).verdict).toBe('same');
  });

  it('rejects with a remedy where nothing is recorded', async () => {
    const office = await createOffice({ port: 0, record: false });
    await expect(office.debug.writeTrace(freshFolder())).rejects.toMatchObject({
      name: 'A2cError',
      message: 'This host records nothing: it was started with record: false',
      remedy: expect.stringContaining('record: { dir:'),
    });
    await office.close();
  });

  it('rejects with a remedy where it cannot write', async () => {
    const office = await createOffice({ port: 0 });
    const file = freshFolder();
    writeFileSync(file, '');
    await expect(office.debug.writeTrace(file)).rejects.toMatchObject({
      name: 'A2cError',
      remedy: 'Name a folder that can be written.',
    });
    await office.close();
  });
});

describe('a folder to record to', () => {
  it('is told before anything starts when it cannot be written', async () => {
    const file = freshFolder();
    writeFileSync(file, '');
    const dir = join(file, 'traces');
    for (const start of [
      () => createOffice({ port: 0, record: { dir } }),
      () => bootedComputer({ ...quiet, record: { dir } }),
      () => createAgent({ url: 'http://127.0.0.1:9', record: { dir } }),
    ]) {
      const error = await start().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(A2cError);
      expect(error).toMatchObject({
        message: expect.stringContaining(`Cannot record to ${dir}: `),
        remedy: 'Name a folder that can be written.',
      });
    }
  });

  it('may be the same for several hosts of one process that start in one millisecond', async () => {
    const dir = freshFolder();
    vi.useFakeTimers({ toFake: ['Date'] });
    const offices = await Promise.all([1, 2, 3].map(() => createOffice({ port: 0, record: { dir } })));
    vi.useRealTimers();
    for (const office of offices) await office.close();
    const files = readdirSync(dir).map((name) => join(dir, name));
    expect(files).toHaveLength(3);
    for (const file of files) expect((await replay(file)).verdict).toBe('same');
  });

  it('is told of once when it breaks later, and the host lives on', async () => {
    const [dir, notices] = [freshFolder(), [] as string[]];
    const computer = await bootedComputer({
      ...quiet,
      record: { dir },
      onNotice: (text) => notices.push(text),
    });
    const path = await computer.debug.writeTrace();
    // The disk takes no more: what it had open is gone.
    const open = readdirSync('/proc/self/fd').find((fd) => linkOf(fd) === path);
    closeSync(Number(open));
    const file = await (computer.callTool('nothing'), computer.debug.writeTrace(dir));
    expect(notices).toEqual([expect.stringMatching(/^cannot record any more: E/)]);
    expect(await computer.callTool('nothing')).toMatchObject({ outcome: 'failed' });
    expect(await replay(file)).toMatchObject({ verdict: 'unusable' });
    await computer.close();
    expect(notices).toHaveLength(1);
  });

  it('holds all of a flood that a ring of this size would have lost', async () => {
    const { host } = hostOf({ stateDir: false, record: { dir: freshFolder(), ringBytes: 2_000 } });
    for (let n = 1; n <= 200; n++)
      host.directory.send('nobody', { type: 'flood', n, text: 'x'.repeat(100) } as never);
    const file = host.flight?.path ?? '';
    await host.close();
    expect(traceOf(file).trace.lines.filter(({ record }) => record.k !== 'mark')).toHaveLength(200);
  });
});
const linkOf = (fd: string): string => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return '';
  }
};
