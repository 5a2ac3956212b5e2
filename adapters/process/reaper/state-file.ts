/** File of one host that names its children, read by whoever ends what the host left behind. */
import {
  closeSync,
  constants,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeSync,
  fstatSync,
  readdirSync,
  statSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { codeOf } from '../../reading.ts';
import { jsonIn } from '../../../machines/protocol/json.ts';
import { writePrivateSync, defaultStateDir } from '../../host-files.ts';
import { clockMs, endTrees, originOf, systemTools } from '../windows-trees.ts';
import { type TracedGroup, startTimeOf, endAll, markerFor, markerOf, isAlive, statOf } from './group.ts';

/** Receives news of every child, so that it can be ended after this process was killed. Never throws. */
export interface Witness {
  expect(): void;
  entered(group: TracedGroup): void;
  left(group: TracedGroup): void;
  /** Resolves when the file or process of the witness is gone; the next child creates it again. */
  dismiss(): Promise<void>;
}

/** Callback that receives one sentence when the reaper or the state file does not work. */
export type Notice = (text: string) => void;

/** Unique name of a process group; it includes the start time, because group numbers are reused. */
export const nameOf = ({ pgid, startTime }: TracedGroup): string => `${pgid} ${startTime ?? '-'}`;

/** Scope in which a pid is unique: one boot of one machine, and one pid namespace on it. */
interface Place {
  readonly machine: string;
  readonly boot: string;
  readonly pids: string;
}
const pidSchema = z.int().min(2);
const groupSchema = z.object({ pgid: pidSchema, startTime: z.string().min(1) });

const headSchema = z.object({
  a2c: z.literal(1),
  instance: z.string().min(1),
  // Allows pid 1, because a host in a container may have it.
  host: z.object({ pid: z.int().min(1), startTime: z.string().min(1) }),
  place: z.object({ machine: z.string(), boot: z.string(), pids: z.string() }),
});
const changeSchema = z.union([z.object({ entered: groupSchema }), z.object({ left: groupSchema })]);

const isWindows = process.platform === 'win32';
/** On Windows the time now, at which no other process with this pid can be alive. */
const ownStartTime = (): string | undefined => (isWindows ? String(Date.now()) : startTimeOf(process.pid));
/** Windows only. Children of its children that were created before the last mark are surely its own. */
const markMs = 10_000;

const pastLines = 1_000;

const orNothing = (read: () => string): string => {
  try {
    return read().trim();
  } catch {
    return '';
  }
};
export const placeHere = (): Place => ({
  machine: hostname(),
  boot: orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
  pids: orNothing(() => readlinkSync('/proc/self/ns/pid')),
});

export const hostsDir = (stateDir: string | undefined): string =>
  join(stateDir ?? defaultStateDir(), 'hosts');
export const fileNameOf = (instance: string): string => `${encodeURIComponent(instance)}.ndjson`;

const line = (value: object): string => `${JSON.stringify(value)}\n`;

/** Never creates the file, because a state file without its first line is useless. */
function append(path: string, text: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
}

/** Never throws: after a failure fewer processes are proved to be ours, and no wrong ones. */
function markNow(path: string | undefined): void {
  const now = new Date();
  try {
    if (path !== undefined) utimesSync(path, now, now);
  } catch {
    // Ignores a missing file, because the next change writes the whole file.
  }
}

export function stateFileOf(instance: string, stateDir: string | undefined, notice: Notice): Witness {
  const startTime = ownStartTime();
  let marks: NodeJS.Timeout | undefined;
  const groups = new Map<string, TracedGroup>();
  let path: string | undefined;
  let lines = 0;
  let isOff = startTime === undefined;

  const attempt = (write: () => void): void => {
    if (isOff) return;
    try {
      write();
    } catch (error) {
      isOff = true;
      const reason = error instanceof Error ? error.message : String(error);
      notice(`cannot note which servers run, so after a crash the next start cannot end them: ${reason}`);
    }
  };
  const writeAll = (): void => {
    path = join(hostsDir(stateDir), fileNameOf(instance));
    const head = { a2c: 1, instance, host: { pid: process.pid, startTime }, place: placeHere() };
    const text = [head, ...[...groups.values()].map((entered) => ({ entered }))].map(line).join('');
    writePrivateSync(path, text);
    lines = groups.size;
    if (isWindows) marks ??= setInterval(() => markNow(path), markMs).unref();
  };
  const note = (change: object): void =>
    attempt(() => {
      lines += 1;
      if (path === undefined || lines > pastLines + 2 * groups.size) return writeAll();
      try {
        append(path, line(change));
      } catch {
        writeAll();
      }
    });
  return {
    expect: () => {
      if (path === undefined) attempt(writeAll);
    },
    entered: (group) => {
      groups.set(nameOf(group), group);
      note({ entered: group });
    },
    left: (group) => {
      groups.delete(nameOf(group));
      note({ left: group });
    },
    dismiss: () => {
      const past = path;
      path = undefined;
      clearInterval(marks);
      marks = undefined;
      try {
        if (past !== undefined) rmSync(past, { force: true });
      } catch {
        // Ignores a failed removal: the next start finds no child of this host and removes the file.
      }
      return Promise.resolve();
    },
  };
}

export interface SweepOptions {
  /** `false` turns the cleanup off. */
  readonly stateDir?: string | false | undefined;
  readonly notice?: Notice | undefined;
}
export interface Leftover {
  readonly instance: string;
  readonly pid: number;
  /** Without arguments; empty where it is not known. */
  readonly command: string;
}

/** Ages in ms for removal: files of other machines, which cannot be checked here, and drafts of a crash. */
const foreignMs = 30 * 86_400_000;
const halfMs = 60_000;

interface Told extends z.infer<typeof headSchema> {
  readonly groups: readonly TracedGroup[];
}

/** In a shared folder a file of another user could name processes of this user. */
function readOwn(path: string): string | undefined {
  const file = openSync(path, 'r');
  try {
    // Trusts all files on Windows, where others may not write into the profile.
    return isWindows || fstatSync(file).uid === process.getuid?.() ? readFileSync(file, 'utf8') : undefined;
  } finally {
    closeSync(file);
  }
}

function toldBy(text: string, name: string): Told | undefined {
  const [first = '', ...changes] = text.split('\n');
  const head = headSchema.safeParse(jsonIn(first)).data;
  if (!head || fileNameOf(head.instance) !== name) return undefined;
  const groups = new Map<string, TracedGroup>();
  for (const change of changes) {
    const { data } = changeSchema.safeParse(jsonIn(change));
    if (data && 'entered' in data) groups.set(nameOf(data.entered), data.entered);
    else if (data) groups.delete(nameOf(data.left));
  }
  return { ...head, groups: [...groups.values()] };
}

type Judgement = 'living' | 'elsewhere' | 'past boot' | 'dead';
/** `ageMs` is the time since the file was written. */
async function judge({ host, place }: Told, ageMs: number): Promise<Judgement> {
  const here = placeHere();
  if (place.machine !== here.machine) return 'elsewhere';
  if (isWindows) return isHostOnWindows(host, ageMs);
  if (place.boot !== here.boot) return 'past boot';
  if (place.pids !== here.pids) return 'elsewhere';
  const stat = statOf(host.pid);
  return isAlive(stat) && stat.startTime === host.startTime ? 'living' : 'dead';
}

async function isHostOnWindows({ pid, startTime }: Told['host'], ageMs: number): Promise<'living' | 'dead'> {
  if (!systemTools.answers(pid)) return 'dead';
  // Trusts a file that was marked lately, because listing the processes may take a second.
  if (ageMs < 2 * markMs) return 'living';
  const host = (await systemTools.list())?.find((row) => row.pid === pid);
  return host && host.created > Number(startTime) + clockMs ? 'dead' : 'living';
}

/** True in a terminal, for example, that the dead host had started. */
function isInside({ instance, groups }: Told): boolean {
  const marker = markerFor(instance);
  const isProven = ({ pgid, startTime }: TracedGroup): boolean => statOf(pgid)?.startTime === startTime;
  for (let stat = statOf(process.pid); stat && stat.pid > 1; stat = statOf(stat.parent)) {
    const { pid, pgrp } = stat;
    if (markerOf(pid) === marker || groups.some((group) => group.pgid === pgrp && isProven(group)))
      return true;
  }
  return false;
}

async function endHost(
  { instance, groups }: Told,
  markedAt: number,
): Promise<{ ended: readonly Leftover[]; isClean: boolean }> {
  if (isWindows) {
    const done = await endTrees(groups.map((group) => originOf(group, markedAt)));
    const ended = (done?.ended ?? []).map(({ pid }) => ({ instance, pid, command: '' }));
    return { ended, isClean: done?.left.length === 0 };
  }
  // Numbers may have been reused; other processes are found by their marker.
  const proven = groups.filter(({ pgid, startTime }) => statOf(pgid)?.startTime === startTime);
  const { ended, left } = await endAll({ groups: proven, instances: [instance] });
  return {
    ended: ended.map(({ pid, command }) => ({ instance, pid, command })),
    isClean: left.length === 0,
  };
}

async function sweepFile(folder: string, name: string): Promise<readonly Leftover[]> {
  const path = join(folder, name);
  const remove = (): [] => {
    rmSync(path, { force: true });
    return [];
  };
  const { mtimeMs } = statSync(path);
  const ageMs = Date.now() - mtimeMs;
  if (name.endsWith('.ndjson.new')) return ageMs > halfMs ? remove() : [];
  if (!name.endsWith('.ndjson')) return [];
  const text = readOwn(path);
  if (text === undefined) return [];
  const host = toldBy(text, name);
  if (!host) return remove();
  const judgement = await judge(host, ageMs);
  if (judgement === 'living') return [];
  if (judgement === 'elsewhere') return ageMs > foreignMs ? remove() : [];
  if (judgement === 'past boot') return remove();
  if (isInside(host)) return [];
  const { ended, isClean } = await endHost(host, mtimeMs);
  if (isClean) remove();
  return ended;
}

/** Never rejects. Under 5 ms when there is nothing to do, else at most 1.5 s; on Windows some seconds. */
export async function sweepLeftovers({ stateDir, notice }: SweepOptions = {}): Promise<readonly Leftover[]> {
  if (stateDir === false || ownStartTime() === undefined) return [];
  const complain = (error: unknown): [] => {
    // Ignores a missing file, because another host may be cleaning up at the same time.
    if (codeOf(error) !== 'ENOENT')
      notice?.(`cannot look for what earlier hosts left behind: ${String(error)}`);
    return [];
  };
  try {
    const folder = hostsDir(stateDir);
    const swept = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => sweepFile(folder, name).catch(complain));
    return (await Promise.all(swept)).flat();
  } catch (error) {
    return complain(error);
  }
}
