import { readFileSync, statSync } from 'node:fs';

/** Reads a file of JSON at each call after it has changed. The error never quotes the file, which holds credentials. */
export function changingFile<T>(what: string, path: string, read: (json: unknown) => T): () => T {
  let last: { readonly stamp: string; readonly value: T } | undefined;
  return () => {
    try {
      const { mtimeMs, size, ino } = statSync(path);
      const stamp = `${mtimeMs}:${size}:${ino}`;
      if (last?.stamp !== stamp) last = { stamp, value: read(JSON.parse(readFileSync(path, 'utf8'))) };
      return last.value;
    } catch (error) {
      const why = error instanceof SyntaxError ? 'it is no JSON' : (error as Error).message;
      throw new TypeError(`the ${what} in ${path} cannot be read: ${why}`, { cause: error });
    }
  };
}
