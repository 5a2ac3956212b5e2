import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { statOf, startTimeOf } from './group.ts';
import { createLedger, type LedgerOptions } from './ledger.ts';
import { processPortOf } from '../launch.ts';
import { sweepLeftovers } from './state-file.ts';
import { reaperCommand } from './reaper-child.ts';
import { fileNameOf, hostsDir } from './state-file.ts';
import { groupsOfTests, lives } from '../../../scenarios/contracts/process/strangers.ts';
import { fixtureFile, testFolder } from '../../../scenarios/fixtures/test-folder.ts';

let stateDir: string;
let instance: string;
const born: number[] = [];
const { stranger } = groupsOfTests();
beforeEach(() => {
  stateDir = testFolder('reaper');
  instance = `reaper-test-${process.pid}-${Math.random()}`;
});
afterEach(async () => {
  for (const pid of born.splice(0)) kill(pid);
  for (const { pid } of await living()) kill(pid);
});
const kill = (pid: number, signal: NodeJS.Signals = 'SIGKILL'): void => {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
};

/** Lists the living processes of the host of this test, found by a program that shares no code with ours. */
async function living(patienceMs = 0, pgids: readonly number[] = []): Promise<{ pid: number }[]> {
  const args = [`A2C_INSTANCE=${instance}`, String(patienceMs), ...pgids.map(String)];
  const program = fixtureFile('living-processes.mjs');
  return JSON.parse((await promisify(execFile)(process.execPath, [program, ...args])).stdout);
}
/** Polls a condition, for changes of foreign processes that cause no event; only the limit of a test ends it. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5)); // real time: see above
}
const commandLine = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};
const reapersOf = (host: number): number[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && commandLine(pid).endsWith(`\0host=${host}\0`))
    .map(Number);
const files = (): string[] => (existsSync(hostsDir(stateDir)) ? readdirSync(hostsDir(stateDir)) : []);

interface Said {
  readonly up?: readonly number[];
  readonly notice?: string;
}
async function host(options: LedgerOptions, ...behaviours: string[]) {
  const program = ['--import', 'tsx', fixtureFile('guarded-host.ts')];
  const given = JSON.stringify({ instance, stateDir, reaper: true, ...options });
  return hostAt(process.execPath, [...program, given, ...behaviours], behaviours.length);
}
async function hostAt(program: string, args: readonly string[], servers: number) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const pid = child.pid ?? 0;
  born.push(pid);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Said> => {
    const said = JSON.parse((await lines.next()).value ?? '{}') as Said;
    // These children must be ended even if the test fails, because they may have removed their marker.
    born.push(...(said.up ?? []));
    return said;
  };
  const exited = once(child, 'exit');
  const { up = [] } = await next();
  expect(up).toHaveLength(servers);
  return {
    pid,
    next,
    launch: (behaviour: string) => child.stdin.write(`${behaviour}\n`),
    kill: async () => {
      kill(pid);
      await exited;
    },
  };
}
describe.skipIf(process.platform !== 'linux')('a host killed by SIGKILL', () => {
  it('leaves none of its 24 servers alive, neither wrapped nor stubborn nor escaped, and no reaper', async () => {
    const kinds = ['good', 'stubborn', 'wrapped', 'leavesDaemon'];
    const shells = Array.from({ length: 8 }, () => ['stubbornShell', 'wrappedShell']);
    const { pid, kill } = await host({}, ...kinds, ...kinds, ...shells.flat());
    // The 24 servers have 12 more processes: a shell for each wrapped one, and a daemon for each that leaves one.
    await until(async () => (await living()).length === 36);
    expect(reapersOf(pid)).toHaveLength(1);
    await kill();
    expect(await living(10_000)).toEqual([]);
    await until(() => reapersOf(pid).length === 0);
    expect(await sweepLeftovers({ stateDir })).toEqual([]);
    expect(files()).toEqual([]);
  });

  it('leaves without a reaper what the next start ends, also when another host starts at that moment', async () => {
    const { pid, kill } = await host({ reaper: false }, 'good', 'stubborn', 'wrapped', 'leavesDaemon');
    expect(reapersOf(pid)).toEqual([]);
    await kill();
    await until(() => files().length === 1);
    const swept = await Promise.all([1, 2, 3].map(() => sweepLeftovers({ stateDir })));
    expect(await living()).toEqual([]);
    const ended = new Map(swept.flat().map((leftover) => [leftover.pid, leftover]));
    // Four processes must be swept: a stubborn server, a shell with its stubborn server, and a daemon. The good server
    // may have exited by itself.
    expect(ended.size).toBeGreaterThanOrEqual(4);
    expect([...ended.values()].every((leftover) => leftover.instance === instance)).toBe(true);
    expect([...ended.values()].map(({ command }) => command)).toContain('sh');
    expect(files()).toEqual([]);
  });

  it('has a second reaper that knows all, when the first one was killed', async () => {
    const { pid, next, launch, kill: killHost } = await host({}, 'unmarkedShell', 'leavesDaemon');
    const [first = 0] = reapersOf(pid);
    kill(first);
    expect((await next()).notice).toContain('has ended (SIGKILL); the next server');
    launch('stubbornShell');
    const { up } = await next();
    expect(up, 'the host goes on').toHaveLength(3);
    expect(reapersOf(pid)).toHaveLength(1);
    expect(reapersOf(pid)).not.toContain(first);
    await killHost();
    expect(await living(10_000, up)).toEqual([]);
    await until(() => reapersOf(pid).length === 0);
  });
});

/**
 * Program that is its own runtime, like a single-file executable; it notes each start and runs `asReaper` when it is
 * started as a reaper.
 */
function singleFile(asReaper: string): { program: string; starts: () => number } {
  const [program, notes] = [join(stateDir, 'program'), join(stateDir, 'starts')];
  const options = JSON.stringify({ execPath: program, instance, stateDir: false, reaper: true });
  const words = ['--import', import.meta.resolve('tsx'), fixtureFile('guarded-host.ts'), options];
  const again = [process.execPath, ...words].map((word) => `'${word}'`).join(' ');
  const lines = [
    '#!/bin/sh',
    `echo start >> '${notes}'`,
    `[ "$A2C_REAPER" ] && ${asReaper}`,
    `exec ${again} "$@"`,
  ];
  writeFileSync(program, lines.join('\n'), { mode: 0o755 });
  return { program, starts: () => readFileSync(notes, 'utf8').split('\n').length - 1 };
}
const childrenOf = (host: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && statOf(pid)?.parent === host && lives(pid));

describe.skipIf(process.platform !== 'linux')('a host that is a single file', () => {
  it.each([
    // Without the lines for a reaper, which it would take for servers to start.
    ['runs whole again', '{ exec </dev/null; set -- unmarkedShell; }', 'does not say'],
    ['is silent', 'exec sleep 1234', 'does not say'],
    ['ends at once', 'exit 0', 'has ended (exit code 0) before'],
  ])(
    'is started only once as a reaper when it, started so, %s, and says why it goes on without',
    async (_, asReaper, why) => {
      const { program, starts } = singleFile(asReaper);
      const { pid, next, launch, kill: killHost } = await hostAt(program, [], 0);
      launch('unmarkedShell');
      // The order of these two messages depends on the program.
      const { notice, up } = { ...(await next()), ...(await next()) };
      expect(up).toHaveLength(1);
      expect(notice).toContain(`what ${program} starts ${why}`);
      expect(notice).toContain('`reaper: false`');
      await until(() => childrenOf(pid).join() === up?.join());
      launch('stubbornShell');
      expect((await next()).up).toHaveLength(2);
      expect(starts(), 'by this test, and as a reaper').toBe(2);
      await killHost();
    },
  );
});

describe.skipIf(process.platform !== 'linux')('a host that closes', () => {
  it('leaves neither reaper nor file, once the last child has ended', async () => {
    const ledger = createLedger({ instance, stateDir });
    const launch = { command: 'sleep', args: ['100'], env: {} };
    processPortOf({ ledger, launchOf: () => launch })(
      'process:a',
      { server: 'a', generation: 1, spec: 1, key: 'process:a' },
      () => {},
    );
    expect(files()).toEqual([fileNameOf(instance)]);
    expect(reapersOf(process.pid)).toHaveLength(1);
    ledger.killAll();
    await ledger.closed();
    expect(reapersOf(process.pid)).toEqual([]);
    expect(files()).toEqual([]);
  });

  it('has one reaper for all its ledgers, until the last of them is closed', async () => {
    const [one, two] = [createLedger({ stateDir }), createLedger({ stateDir })];
    one.expect();
    two.expect();
    expect(files()).toHaveLength(2);
    expect(reapersOf(process.pid)).toHaveLength(1);
    await one.closed();
    expect(files()).toHaveLength(1);
    expect(reapersOf(process.pid)).toHaveLength(1);
    await two.closed();
    expect(files()).toEqual([]);
    expect(reapersOf(process.pid)).toEqual([]);
  });

  it('runs on with one notice where no file can be written', async () => {
    writeFileSync(join(stateDir, 'file'), '');
    const notices: string[] = [];
    const below = join(stateDir, 'file', 'below');
    const options = { stateDir: below, notice: (text: string) => notices.push(text) };
    const ledger = createLedger({ ...options, reaper: false });
    ledger.expect();
    ledger.expect();
    await ledger.closed();
    expect(notices).toEqual([expect.stringContaining('cannot note which servers run')]);
    expect(await sweepLeftovers(options)).toEqual([]);
    expect(notices).toEqual([expect.anything(), expect.stringContaining('cannot look for')]);
  });
});

async function reaper(...lines: string[]) {
  const { command, args } = reaperCommand();
  const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'inherit'] });
  const { pid = 0 } = child;
  born.push(pid);
  for (const line of lines) child.stdin.write(`${line}\n`);
  return { pid, child, exited: once(child, 'exit') };
}
/** Tells whether a process ignores SIGHUP, the first bit of its signal mask. */
const ignores = (pid: number): boolean =>
  /^SigIgn:.*[13579bdf]$/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

describe.skipIf(process.platform !== 'linux')('the reaper', () => {
  it('ends a group of the right age, and leaves a stranger alone that has its number', async () => {
    const [ours, theirs, forgotten] = [await stranger(), await stranger(), await stranger()];
    const { child, exited } = await reaper(
      ...[`+ ${ours} ${startTimeOf(ours)}`, `+ ${theirs} 1`],
      ...['+', '-'].map((word) => `${word} ${forgotten} ${startTimeOf(forgotten)}`),
      ...['+ 1 -', '+ -1 -', '+ 0 -', 'nonsense'],
    );
    child.stdin.end();
    expect(await exited).toEqual([0, null]);
    expect([ours, theirs, forgotten].map(lives)).toEqual([false, true, true]);
  });

  it('outlives the signals that end everybody, and ends at once when nothing is left to do', async () => {
    const { pid, child, exited } = await reaper('* a', '~ a');
    await until(() => ignores(pid));
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) kill(pid, signal);
    const ours = await stranger();
    child.stdin.write(`+ ${ours} ${startTimeOf(ours)}\n`);
    child.stdin.end();
    expect(await exited).toEqual([0, null]);
    expect(lives(ours)).toBe(false);
  });
});
