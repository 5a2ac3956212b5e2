import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
  fstatSync,
  readdirSync,
  statSync,
} from 'node:fs';
import { homedir, hostname } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { type TracedGroup, startTimeOf, endAll, markerFor, markerOf, isAlive, statOf } from './group.ts';

/** Who is told of every child, so that its end does not hang on this process alone. Never throws. */
export interface Witness {
  /** Before a child is born: from now on whatever carries the marker will be found. */
  expect(): void;
  entered(group: TracedGroup): void;
  left(group: TracedGroup): void;
  /** No child lives any more. Resolves when nothing of the witness is left; the next child calls it back. */
  dismiss(): Promise<void>;
}

/** Hears, in one sentence, why a safety net is missing. */
export type Notice = (text: string) => void;

/** One name for a group; the start time is part of it, because a number comes back. */
export const nameOf = ({ pgid, startTime }: TracedGroup): string => `${pgid} ${startTime ?? '-'}`;

/** Where a pid means something: one boot of one machine, and one namespace of pids on it. */
interface Place {
  readonly machine: string;
  readonly boot: string;
  readonly pids: string;
}
const pidSchema = z.int().min(2);
const groupSchema = z.object({ pgid: pidSchema, startTime: z.string().min(1) });

/** The first line of a host's file. */
const headSchema = z.object({
  a2c: z.literal(1),
  instance: z.string().min(1),
  // In a container the host may well be pid 1.
  host: z.object({ pid: z.int().min(1), startTime: z.string().min(1) }),
  place: z.object({ machine: z.string(), boot: z.string(), pids: z.string() }),
});
/** Each other line. */
const changeSchema = z.union([z.object({ entered: groupSchema }), z.object({ left: groupSchema })]);

/** Beyond so many lines that tell of the past, the file is written anew. */
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

/** `$XDG_STATE_HOME/a2c`, else `~/.local/state/a2c`. Throws for a user without a home. */
export function defaultStateDir(): string {
  const given = process.env['XDG_STATE_HOME'];
  return given && isAbsolute(given) ? join(given, 'a2c') : join(homedir(), '.local', 'state', 'a2c');
}
/** The folder of the hosts' files, a file `INSTANCE.ndjson` each. */
export const hostsDir = (stateDir: string | undefined): string =>
  join(stateDir ?? defaultStateDir(), 'hosts');
export const fileNameOf = (instance: string): string => `${encodeURIComponent(instance)}.ndjson`;

const line = (value: object): string => `${JSON.stringify(value)}\n`;

/** Appends, and never makes a file: one without its first line says nothing. */
function append(path: string, text: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_APPEND);
  try {
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
}

/** The file of one host, from which the next start learns what this one left behind. Only where there is /proc. */
export function stateFileOf(instance: string, stateDir: string | undefined, notice: Notice): Witness {
  const startTime = startTimeOf(process.pid);
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
    const folder = hostsDir(stateDir);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    path = join(folder, fileNameOf(instance));
    const head = { a2c: 1, instance, host: { pid: process.pid, startTime }, place: placeHere() };
    const text = [head, ...[...groups.values()].map((entered) => ({ entered }))].map(line).join('');
    // Whoever sweeps at this moment sees all of it or nothing.
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
    lines = groups.size;
  };
  const note = (change: object): void =>
    attempt(() => {
      lines += 1;
      if (path === undefined || lines > pastLines + 2 * groups.size) return writeAll();
      try {
        append(path, line(change));
      } catch {
        // Somebody cleared the folder.
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
      try {
        if (past !== undefined) rmSync(past, { force: true });
      } catch {
        // The next start finds no child of this host, and removes it.
      }
      return Promise.resolve();
    },
  };
}

export interface SweepOptions {
  /** As given to the ledgers of the hosts before this one; `false`: nothing is swept. */
  readonly stateDir?: string | false | undefined;
  readonly notice?: Notice | undefined;
}
/** One process that an earlier host had left behind, and that was ended. */
export interface Leftover {
  /** Of the host that had started it. */
  readonly instance: string;
  readonly pid: number;
  /** The name of its program, without arguments. */
  readonly command: string;
}

/** Files that nobody here can judge, and halves that a crash left, are kept so long. */
const foreignMs = 30 * 86_400_000;
const halfMs = 60_000;

interface Told extends z.infer<typeof headSchema> {
  readonly groups: readonly TracedGroup[];
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Undefined for another user's: in a folder that others may write to, it could name processes of ours. */
function readOwn(path: string): string | undefined {
  const file = openSync(path, 'r');
  try {
    return fstatSync(file).uid === process.getuid?.() ? readFileSync(file, 'utf8') : undefined;
  } finally {
    closeSync(file);
  }
}

/** What a host's file tells; undefined when it is not one. A line that broke off is left out. */
function toldBy(text: string, name: string): Told | undefined {
  const [first = '', ...changes] = text.split('\n');
  const head = headSchema.safeParse(parse(first)).data;
  if (!head || fileNameOf(head.instance) !== name) return undefined;
  const groups = new Map<string, TracedGroup>();
  for (const change of changes) {
    const { data } = changeSchema.safeParse(parse(change));
    if (data && 'entered' in data) groups.set(nameOf(data.entered), data.entered);
    else if (data) groups.delete(nameOf(data.left));
  }
  return { ...head, groups: [...groups.values()] };
}

type Judgement = 'living' | 'elsewhere' | 'past boot' | 'dead';
function judge({ host, place }: Told): Judgement {
  const here = placeHere();
  if (place.machine !== here.machine) return 'elsewhere';
  if (place.boot !== here.boot) return 'past boot';
  if (place.pids !== here.pids) return 'elsewhere';
  const stat = statOf(host.pid);
  return isAlive(stat) && stat.startTime === host.startTime ? 'living' : 'dead';
}

/** This host may itself run inside something that the dead one had started, such as a terminal. */
function isInside(instance: string): boolean {
  const marker = markerFor(instance);
  for (let pid = process.pid; pid > 1; pid = statOf(pid)?.parent ?? 0)
    if (markerOf(pid) === marker) return true;
  return false;
}

async function endHost({ instance, groups }: Told): Promise<{ ended: Leftover[]; isClean: boolean }> {
  // After a while only a leader of the right age proves a group; what lost its leader is found by its marker.
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
  const ageMs = Date.now() - statSync(path).mtimeMs;
  if (name.endsWith('.ndjson.new')) return ageMs > halfMs ? remove() : [];
  if (!name.endsWith('.ndjson')) return [];
  const text = readOwn(path);
  if (text === undefined) return [];
  const host = toldBy(text, name);
  if (!host) return remove();
  const judgement = judge(host);
  if (judgement === 'living') return [];
  if (judgement === 'elsewhere') return ageMs > foreignMs ? remove() : [];
  if (judgement === 'past boot') return remove();
  if (isInside(host.instance)) return [];
  const { ended, isClean } = await endHost(host);
  if (isClean) remove();
  return ended;
}

/**
 * Ends what hosts that are dead left behind, as their files tell, and removes those files. A host that lives is
 * left alone, whoever else sweeps at the same time. Never rejects. Under 5 ms when there is nothing to do; at
 * most 1.5 s.
 */
export async function sweepLeftovers({ stateDir, notice }: SweepOptions = {}): Promise<readonly Leftover[]> {
  if (stateDir === false || startTimeOf(process.pid) === undefined) return [];
  const missing = (error: unknown): boolean =>
    error instanceof Error && 'code' in error && error.code === 'ENOENT';
  const complain = (error: unknown): [] => {
    // Another host may sweep at the same time.
    if (!missing(error)) notice?.(`cannot look for what earlier hosts left behind: ${String(error)}`);
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
