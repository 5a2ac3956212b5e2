import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readTrace, type TraceRead } from '../../../machines/trace/index.ts';

const suffix = /\.trace\.ndjson(\.gz)?$/;

export const sha256Of = (texts: Iterable<string>): string => {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\n');
  return hash.digest('hex');
};
/** Creates a SHA-256 digest that is fed line by line. */
export function createDigest(): { add(text: string): void; value(): string } {
  const hash = createHash('sha256');
  return { add: (text) => void hash.update(text).update('\n'), value: () => hash.copy().digest('hex') };
}
/** Lists the given files and every trace below the given folders, sorted by name. Throws the errors of `fs`. */
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
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return readTrace(text, sha256Of);
}
