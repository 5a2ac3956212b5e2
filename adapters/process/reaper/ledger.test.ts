import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { groupsOfTests } from '../../../scenarios/contracts/process/strangers.ts';
import { groupOf, membersOf, startTimeOf } from './group.ts';
import { createLedger, type Entry } from './ledger.ts';

/** Options of a ledger without a reaper and without a state folder; reaper.alone.test.ts tests both. */
const alone = { reaper: false, stateDir: false } as const;

const { born } = groupsOfTests();

/** Real child process that leads a group; `sh` has a second process in its group. */
function child(command: 'sleep' | 'sh', key = 'process:a') {
  const args = command === 'sh' ? ['-c', 'sleep 100; true'] : ['100'];
  const spawned = spawn(command, args, { detached: true, stdio: 'pipe' });
  const pid = spawned.pid ?? 0;
  born.push(pid);
  const group = groupOf(pid);
  spawned.once('exit', group.leaderReaped);
  const entry: Entry = {
    key,
    group: { pgid: pid, startTime: group.startTime },
    signal: group.signal,
    living: group.living,
    streams: { stdin: spawned.stdin, stdout: spawned.stdout },
  };
  return { pid, entry, exited: once(spawned, 'exit') };
}
const exitHooks = (): number =>
  process.listeners('exit').filter(({ name }) => name === 'killEverything').length;

describe('the ledger', () => {
  it('knows a child by its key, with the start time that tells it from a later owner of its pid', () => {
    const ledger = createLedger({ instance: 'host', ...alone });
    const { pid, entry } = child('sleep');
    ledger.enter(entry);
    expect(ledger.instance).toBe('host');
    expect(ledger.list()).toEqual([
      { key: 'process:a', pid, startTime: startTimeOf(pid), streams: entry.streams },
    ]);
    expect(ledger.streamsOf('process:a')).toBe(entry.streams);
    expect(ledger.streamsOf('process:b')).toBeUndefined();
  });

  it('kills everything at once, and is closed when nothing lives', async () => {
    const ledger = createLedger(alone);
    const children = [child('sleep'), child('sh', 'process:b')];
    for (const { entry } of children) ledger.enter(entry);
    let isClosed = false;
    const closed = ledger.closed().then(() => (isClosed = true));
    ledger.killAll();
    for (const { exited, entry } of children) {
      await exited;
      expect(isClosed).toBe(false);
      ledger.leaderEnded(entry, () => {});
    }
    await closed;
    expect(ledger.size).toBe(0);
    expect(children.flatMap(({ pid }) => membersOf(pid))).toEqual([]);
    await ledger.closed();
  });

  it('keeps a child whose leader has ended until its group is empty', async () => {
    const ledger = createLedger(alone);
    const { pid, entry, exited } = child('sh');
    ledger.enter(entry);
    while (membersOf(pid).length < 2) await new Promise((resolve) => setImmediate(resolve));
    process.kill(pid, 'SIGKILL');
    await exited;
    const emptied = new Promise<void>((resolve) => {
      expect(ledger.leaderEnded(entry, resolve)).toBe(1);
    });
    expect(ledger.size).toBe(1);
    expect(ledger.streamsOf(entry.key), 'the streams died with the leader').toBeUndefined();
    ledger.killAll();
    await Promise.all([emptied, ledger.closed()]);
    expect(ledger.size).toBe(0);
  });

  it('keeps two children of one key apart', async () => {
    const ledger = createLedger(alone);
    const [older, newer] = [child('sleep'), child('sleep')];
    ledger.enter(older.entry);
    ledger.enter(newer.entry);
    expect(ledger.size).toBe(2);
    older.entry.signal('SIGKILL');
    await older.exited;
    expect(ledger.leaderEnded(older.entry, () => {})).toBe(0);
    expect(ledger.streamsOf('process:a')).toBe(newer.entry.streams);
  });

  it.skipIf(process.platform !== 'linux')('says once, at its close, what has left its group', async () => {
    const notices: string[] = [];
    const ledger = createLedger({ ...alone, notice: (text) => notices.push(text) });
    const env = { PATH: process.env['PATH'], A2C_INSTANCE: ledger.instance };
    const daemon = spawn('sleep', ['100'], { detached: true, stdio: 'ignore', env });
    born.push(daemon.pid ?? 0);
    const { entry, exited } = child('sleep');
    ledger.enter(entry);
    ledger.killAll();
    await exited;
    ledger.leaderEnded(entry, () => {});
    await ledger.closed();
    await ledger.closed();
    expect(notices).toEqual([expect.stringContaining(`left running: sleep (pid ${daemon.pid});`)]);
    expect(membersOf(daemon.pid ?? 0), 'and leaves it').toEqual([daemon.pid]);
  });

  it('hooks the end of the host while it has children, and all ledgers share one hook', async () => {
    const before = exitHooks();
    expect(before).toBeLessThanOrEqual(1);
    const ledgers = Array.from({ length: 20 }, () => createLedger(alone));
    const children = ledgers.map((ledger) => {
      const one = child('sleep');
      ledger.enter(one.entry);
      return { ...one, ledger };
    });
    expect(exitHooks()).toBe(1);
    for (const { ledger, entry, exited } of children) {
      ledger.killAll();
      await exited;
      ledger.leaderEnded(entry, () => {});
    }
    expect(exitHooks()).toBe(before);
  });
});

describe('a group', () => {
  it('is neither counted nor signalled when its number went to a stranger', () => {
    const { pid } = child('sleep');
    const gone = groupOf(pid, '1');
    gone.leaderReaped();
    gone.signal('SIGKILL');
    expect(gone.living()).toBe(0);
    expect(membersOf(pid)).toEqual([pid]);
  });

  it('stays empty once it was seen empty', async () => {
    const { pid, entry, exited } = child('sleep');
    expect(entry.living()).toBe(1);
    entry.signal('SIGTERM');
    await exited;
    expect(entry.living()).toBe(0);
    expect(startTimeOf(pid)).toBeUndefined();
    entry.signal('SIGKILL');
  });
});
