import { createHash, createHmac, hash as hashOf, randomBytes, type Hash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { writePrivateSync } from '../host-files.ts';
import type { KeyedHash } from '../../machines/secrets/redaction.ts';

/** Number of hex digits kept of a keyed hash, enough to tell two secrets of one trace apart. */
const shown = 16;

export const sha256Of = (texts: Iterable<string>): string => {
  // Hashes a single text in one call, which is faster. The speed matters because every step of a machine is hashed.
  if (Array.isArray(texts) && texts.length === 1) return hashOf('sha256', `${texts[0]}\n`);
  const sum = createHash('sha256');
  for (const text of texts) sum.update(text).update('\n');
  return sum.digest('hex');
};
export const sha256OfBytes = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
/** Collected and hashed together, because hashing a short text costs about as much as a long one. */
const mostWaiting = 64 * 1024;
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
  /** Id of the key, which only tells whether two traces were redacted with the same key. */
  readonly keyId: string;
}
/** Without `given` random and never saved, so that equal secrets show only within one run of the host. */
export function createRedactionKey(given?: string): RedactionKey {
  // Treats an empty key as none, because an unset variable gives an empty text that everybody knows.
  const key = given === undefined || given === '' ? randomBytes(32) : Buffer.from(given);
  const hash: KeyedHash = (text) => createHmac('sha256', key).update(text).digest('hex').slice(0, shown);
  return { hash, keyId: hash('a2c-trace key') };
}

const suffix = '.trace.ndjson';
/** Longest time in ms that trace text waits in memory; a killed host loses no more than that. */
const patienceMs = 50;

export interface TraceFile {
  readonly path: string;
  wants(): void;
  flush(): void;
  append(text: string): void;
  close(): void;
}
interface TraceFileOptions {
  readonly take: () => string;
  /** Called once when the file can no longer be written; the trace ends and the host continues. */
  readonly onError: (error: Error) => void;
}

function abandon(file: number): void {
  try {
    closeSync(file);
  } catch {}
}

/** Created at once, so that a folder without write access is reported immediately. */
export function openTraceFile(folder: string, name: string, { take, onError }: TraceFileOptions): TraceFile {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, name + suffix);
  // Makes the file readable only by its owner, because calls may contain secrets that were not recognized.
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
      // `writeSync` may write only a part of the text, and the next line would follow in the middle of it.
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

/** Reads the last `bytes` of a growing trace, as it is now, in slices of whole lines. Ends early when the file cannot be read. */
export function latestLines(path: string, bytes: number): AsyncIterable<string> {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const start = Math.max(0, size - bytes);
  return (async function* slices() {
    if (size === 0) return;
    const stream = createReadStream(path, {
      start,
      end: size - 1,
      encoding: 'utf8',
      highWaterMark: 256 * 1024,
    });
    let rest = '';
    let isWhole = start === 0;
    try {
      for await (const chunk of stream as AsyncIterable<string>) {
        rest += chunk;
        const end = rest.lastIndexOf('\n') + 1;
        if (end === 0) continue;
        yield rest.slice(isWhole ? 0 : rest.indexOf('\n') + 1, end);
        isWhole = true;
        rest = rest.slice(end);
      }
    } catch {}
  })();
}

export interface KeptFiles {
  readonly count: number;
  readonly bytes: number;
}
/** In one step, so that no reader sees half of it. `keep` deletes the oldest, but not the new one. */
export function writeTraceFile(folder: string, name: string, text: string, keep?: KeptFiles): string {
  const path = join(folder, name + suffix);
  writePrivateSync(path, text);
  if (keep) removeOldest(folder, name + suffix, keep);
  return path;
}
function removeOldest(folder: string, newest: string, { count, bytes }: KeptFiles): void {
  // Sorts traces by age through their names, which begin with the time.
  const others = readdirSync(folder)
    .filter((file) => file.endsWith(suffix) && file !== newest)
    .toSorted()
    .toReversed();
  let room = bytes - sizeOf(folder, newest);
  for (const [at, file] of others.entries()) {
    room -= sizeOf(folder, file);
    if (at >= count - 1 || room < 0) rmSync(join(folder, file), { force: true });
  }
}
const sizeOf = (folder: string, file: string): number =>
  statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0;
export const newSha256 = (): Hash => createHash('sha256');
