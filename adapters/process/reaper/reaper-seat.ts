import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { TracedGroup } from './ending.ts';
import { nameOf, type Notice, type Witness } from './witness.ts';

/** So many reapers that died one after the other are enough: something here does not want them. */
const budget = 5;

/** `dist/` of a checkout that runs its sources. */
const built = new URL('../../../dist/adapters/process/reaper/reaper.js', import.meta.url);

/**
 * How to start the reaper: with the Node that runs us. A checkout that runs its sources starts the one that was built,
 * because tsx takes three times as long to be there; without one it starts its source through tsx.
 */
export function reaperCommand(): { command: string; args: string[] } {
  const isSource = import.meta.url.endsWith('.ts');
  const isTranspiled = isSource && !existsSync(built);
  const beside = new URL(isSource ? './reaper.ts' : './reaper.js', import.meta.url);
  // By its address, since the reaper runs in another folder.
  const loader = isTranspiled ? ['--import', import.meta.resolve('tsx')] : [];
  const main = fileURLToPath(isSource && !isTranspiled ? built : beside);
  // The pid is for people who read `ps`.
  return { command: process.execPath, args: [...loader, main, `host=${process.pid}`] };
}

/** Without NODE_OPTIONS, which may slow it down, and without the marker of a host that this host is a child of. */
const inherited = ['PATH', 'HOME', 'TMPDIR', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'];

interface Seat {
  readonly instance: string;
  readonly notice: Notice;
  readonly groups: Map<string, TracedGroup>;
}
interface Reaper {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  say(line: string): void;
}

/** One reaper for all ledgers of this process; none while no ledger has a seat. */
const seats = new Set<Seat>();
let reaper: Reaper | undefined;
let deaths = 0;

function lost(gone: Reaper, how: string): void {
  if (reaper !== gone) return;
  reaper = undefined;
  deaths += 1;
  const next =
    deaths < budget
      ? 'the next server that starts brings a new one'
      : 'no other is started: if this host is killed, its servers may be left behind';
  for (const notice of new Set([...seats].map((seat) => seat.notice)))
    notice(`the reaper, which ends the servers when this host is killed, ${how}; ${next}`);
}

function startReaper(): Reaper {
  const { command, args } = reaperCommand();
  const env: Record<string, string> = { ELECTRON_RUN_AS_NODE: '1' };
  for (const name of inherited) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  // In the root folder it holds no other; in a session of its own no Ctrl-C reaches it.
  const child = spawn(command, args, { cwd: '/', env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const { stdin } = child;
  const started: Reaper = {
    child,
    ended: new Promise((resolve) => child.once('close', resolve).once('error', resolve)),
    say: (line) => {
      if (stdin?.writable) stdin.write(`${line}\n`);
    },
  };
  // A broken pipe shows as its end, below.
  stdin?.on('error', () => {});
  child.once('error', (error) => lost(started, `could not be started (${codeOf(error)})`));
  child.once('exit', (code, signal) => lost(started, `has ended (${signal ?? `exit code ${code}`})`));
  // It serves this process, and never keeps it alive.
  child.unref();
  if (stdin instanceof Socket) stdin.unref();
  return started;
}
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

function sit(seat: Seat): void {
  const isNew = !seats.has(seat);
  seats.add(seat);
  if (reaper) {
    if (isNew) reaper.say(`* ${encodeURIComponent(seat.instance)}`);
    return;
  }
  if (deaths >= budget) return;
  try {
    reaper = startReaper();
  } catch (error) {
    deaths += 1;
    seat.notice(
      `the reaper could not be started (${codeOf(error)}); if this host is killed, its servers stay`,
    );
    return;
  }
  for (const { instance, groups } of seats) {
    reaper.say(`* ${encodeURIComponent(instance)}`);
    for (const name of groups.keys()) reaper.say(`+ ${name}`);
  }
}

async function rise(seat: Seat): Promise<void> {
  if (!seats.delete(seat) || !reaper) return;
  const { child, ended, say } = reaper;
  if (![...seats].some(({ instance }) => instance === seat.instance))
    say(`~ ${encodeURIComponent(seat.instance)}`);
  if (seats.size > 0) return;
  reaper = undefined;
  deaths = 0;
  // Nothing is left to end, and at its own pace it might still be starting.
  child.ref();
  child.kill('SIGKILL');
  await ended;
}

/** A ledger's seat at the reaper of this process. On Windows there is none: a group cannot be signalled there. */
export function reaperSeatOf(instance: string, notice: Notice): Witness {
  const seat: Seat = { instance, notice, groups: new Map() };
  return {
    expect: () => sit(seat),
    entered: (group) => {
      const name = nameOf(group);
      seat.groups.set(name, group);
      if (seats.has(seat)) reaper?.say(`+ ${name}`);
    },
    left: (group) => {
      const name = nameOf(group);
      seat.groups.delete(name);
      if (seats.has(seat)) reaper?.say(`- ${name}`);
    },
    dismiss: () => rise(seat),
  };
}
