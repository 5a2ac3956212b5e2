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
} from 'node:fs';
import { homedir, hostname } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import type { TracedGroup } from './ending.ts';
import { startTimeOf } from './group.ts';
import { nameOf, type Notice, type Witness } from './witness.ts';

/** Where a pid means something: one boot of one machine, and one namespace of pids on it. */
export interface Place {
  readonly machine: string;
  readonly boot: string;
  readonly pids: string;
}
const pidSchema = z.int().min(2);
const groupSchema = z.object({ pgid: pidSchema, startTime: z.string().min(1) });

/** The first line of a host's file. */
export const headSchema = z.object({
  a2c: z.literal(1),
  instance: z.string().min(1),
  // In a container the host may well be pid 1.
  host: z.object({ pid: z.int().min(1), startTime: z.string().min(1) }),
  place: z.object({ machine: z.string(), boot: z.string(), pids: z.string() }),
});
/** Each other line. */
export const changeSchema = z.union([z.object({ entered: groupSchema }), z.object({ left: groupSchema })]);

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
