import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a server gave as base64, and what it says that it is. */
export interface Bytes {
  readonly base64: string;
  readonly mimeType: string | undefined;
}
const short: Readonly<Record<string, string>> = { jpeg: 'jpg', 'svg+xml': 'svg', mpeg: 'mp3', plain: 'txt' };
/** Of what a server says only letters and digits reach the name of a file. */
function endingOf(mimeType: string | undefined): string {
  const [, kind = ''] = (mimeType ?? '').split(/[/;]/);
  return short[kind] ?? (/^[a-z0-9]{1,8}$/.test(kind) ? kind : 'bin');
}
const named = (name: string): string => name.replaceAll(/[^\w.-]+/g, '-').replace(/^[.-]+/, '') || 'content';

/**
 * Writes each into a file of its own in this folder, which is made when it is not there: `name-1.png`, `name-2.wav`, with the
 * next number where a file of that name is there already. Resolves with their paths; rejects when one cannot be written.
 */
export async function saveBytes(folder: string, name: string, all: readonly Bytes[]): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const paths: string[] = [];
  let n = 1;
  for (const { base64, mimeType } of all)
    for (let isWritten = false; !isWritten; n += 1) {
      const path = join(folder, `${named(name).slice(0, 60)}-${n}.${endingOf(mimeType)}`);
      isWritten = await isNew(path, Buffer.from(base64, 'base64'));
      if (isWritten) paths.push(path);
    }
  return paths;
}
const isNew = (path: string, bytes: Buffer): Promise<boolean> =>
  writeFile(path, bytes, { flag: 'wx' }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
