import { createHash } from 'node:crypto';
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip, gunzipSync } from 'node:zlib';
import { readRows, type TraceRead } from '../../../machines/trace/reading.ts';

const suffix = /\.trace\.ndjson(\.gz)?$/;

export const sha256Of = (texts: Iterable<string>): string => {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\n');
  return hash.digest('hex');
};
export function createDigest(): { add(text: string): void; value(): string } {
  const hash = createHash('sha256');
  return { add: (text) => void hash.update(text).update('\n'), value: () => hash.copy().digest('hex') };
}
/** Includes every trace below the folders, sorted by name; throws the errors of `fs`. */
export function tracesIn(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    if (!statSync(path).isDirectory()) return [path];
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((name) => suffix.test(name))
      .toSorted()
      .map((name) => join(path, name));
  });
}
export function readTraceFile(path: string): TraceRead {
  const bytes = readFileSync(path);
  return readRows(linesOf(path.endsWith('.gz') ? gunzipSync(bytes) : bytes), createDigest());
}
/** Each is decoded alone, because a long file is no string. */
function* linesOf(bytes: Buffer): Generator<string> {
  for (let from = 0; from < bytes.length || from === 0;) {
    const end = bytes.indexOf(10, from);
    yield bytes.toString('utf8', from, end < 0 ? bytes.length : end);
    if (end < 0) return;
    from = end + 1;
  }
}

const chunkBytes = 256 * 1024;
/** Also of a compressed file; throws where it cannot be read or unpacked, after all lines before that place. */
export async function* rowsIn(path: string): AsyncGenerator<readonly string[]> {
  const file = createReadStream(path, { highWaterMark: chunkBytes });
  const bytes = path.endsWith('.gz')
    ? pipeline(file, createGunzip({ chunkSize: chunkBytes }), () => {})
    : file;
  bytes.setEncoding('utf8');
  let rest = '';
  for await (const part of bytes as AsyncIterable<string>) {
    const rows = (rest + part).split('\n');
    rest = rows.pop() ?? '';
    if (rows.length > 0) yield rows;
  }
  if (rest !== '') yield [rest];
}
export const isUnpackable = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code?.startsWith('Z_') === true;
