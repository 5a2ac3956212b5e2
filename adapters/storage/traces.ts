import { createHash, createHmac, hash as hashOf, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyedHash } from '../../machines/trace/index.ts';

/** Hex digits of a keyed hash: enough that two secrets of one trace do not fall together. */
const shown = 16;

export const sha256Of = (texts: Iterable<string>): string => {
  // At once, where there is one: each step of a machine is hashed.
  if (Array.isArray(texts) && texts.length === 1) return hashOf('sha256', `${texts[0]}\n`);
  const sum = createHash('sha256');
  for (const text of texts) sum.update(text).update('\n');
  return sum.digest('hex');
};
export const sha256OfBytes = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
/** Characters: a short text costs about as much to hash as a long one. */
const mostWaiting = 64 * 1024;
/** The same, fed line by line. */
export function createDigest(): { add(text: string): void; value(): string } {
  const sum = createHash('sha256');
  let waiting = '';
  const take = (): void => {
    sum.update(waiting);
    waiting = '';
  };
  return {
    add: (text) => {
      waiting += `${text}\n`;
      if (waiting.length > mostWaiting) take();
    },
    value: () => {
      take();
      return sum.copy().digest('hex');
    },
  };
}

interface RedactionKey {
  readonly hash: KeyedHash;
  /** Tells whether two traces were redacted with the same key, and nothing else. */
  readonly keyId: string;
}
/** Without a key a new one is made, which is never written down: equality holds within one run of the host. */
export function createRedactionKey(given?: string): RedactionKey {
  // An empty one is what an unset variable leaves: everybody has that key.
  const key = given === undefined || given === '' ? randomBytes(32) : Buffer.from(given);
  const hash: KeyedHash = (text) => createHmac('sha256', key).update(text).digest('hex').slice(0, shown);
  return { hash, keyId: hash('a2c-trace key') };
}

const suffix = '.trace.ndjson';
/** Text waits at most this long in memory. A host that is killed loses no more than that. */
const patienceMs = 50;

export interface TraceFile {
  readonly path: string;
  /** `text` is asked for when it is written, or as the process exits. */
  wants(): void;
  /** Writes now what waits. */
  flush(): void;
  append(text: string): void;
  close(): void;
}
interface TraceFileOptions {
  /** What has not been written yet. */
  readonly take: () => string;
  /** It cannot be written (any more); nothing else happens. */
  readonly onError: (error: Error) => void;
}

/** Closes what can no longer be written, which may fail as the writing did. */
function abandon(file: number): void {
  try {
    closeSync(file);
  } catch {}
}

/** A file that grows while the host runs. Created at once, so that a folder that cannot be written is told at once. */
export function openTraceFile(folder: string, name: string, { take, onError }: TraceFileOptions): TraceFile {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name + suffix);
  // What was called may have had secrets in it that nobody could tell: for the owner's eyes.
  let file: number | undefined = openSync(path, 'wx', 0o600);
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    append(take);
  };
  const append = (text: () => string): void => {
    if (file === undefined) return;
    try {
      const now = text();
      // Not writeSync, which may write a part and say so: the next line would stand in the middle of that one.
      if (now !== '') writeFileSync(file, now);
    } catch (error) {
      abandon(file);
      file = undefined;
      process.off('exit', write);
      onError(error as Error);
    }
  };
  process.on('exit', write);
  return {
    path,
    wants: () => {
      timer ??= setTimeout(write, patienceMs).unref();
    },
    flush: write,
    append: (text) => append(() => text),
    close: () => {
      write();
      process.off('exit', write);
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

/** Writes a whole trace at once; nobody sees half of it. With `keep` the oldest of the folder make room. */
export function writeTraceFile(folder: string, name: string, text: string, keep = Infinity): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name + suffix);
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  const all = readdirSync(folder)
    .filter((file) => file.endsWith(suffix))
    .toSorted();
  // Names begin with their time.
  for (const file of all.slice(0, Math.max(0, all.length - keep)))
    rmSync(join(folder, file), { force: true });
  return path;
}
