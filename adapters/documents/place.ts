import type { Stats } from 'node:fs';
import { constants, lstat, open, realpath, stat, type FileHandle } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { checkPath } from '../../machines/documents/index.ts';

/** A question that cannot be answered, said so that a model can ask a better one. Names no path outside the root. */
export class Refusal extends Error {}

export interface Place {
  /** Relative to the root, `/` between parts, `.` for the root. */
  readonly path: string;
  /** Where it really is, all symbolic links followed; inside the root. */
  readonly real: string;
  readonly facts: Stats;
}

/** Finds what a stranger named below the root. Refuses what is not there or leads out of it. */
export const locate = async (root: string, raw: string): Promise<Place> => {
  const checked = checkPath(raw);
  if (!checked.ok) throw new Refusal(checked.reason);
  const { path } = checked;
  const base = await realpath(root).catch(() => {
    throw new Refusal('the root folder of this server is gone');
  });
  const full = join(base, path);
  try {
    const real = await realpath(full);
    if (!isInside(base, real)) throw leaves(path);
    return { path, real, facts: await stat(real) };
  } catch (error) {
    // A missing file behind a link that leads out must not be told from an existing one.
    if (isMissing(error) && !isInside(base, await nearest(full))) throw leaves(path);
    throw inWords(error, path);
  }
};

const leaves = (path: string): Refusal =>
  new Refusal(`"${path}" leads out of the root through a symbolic link, so it is not served`);

const isInside = (base: string, real: string): boolean => {
  const way = relative(base, real);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
};

/** The real place of the deepest folder on the way that exists. */
const nearest = async (full: string): Promise<string> => {
  for (let folder = dirname(full); ; folder = dirname(folder)) {
    try {
      return await realpath(folder);
    } catch {
      if (folder === dirname(folder)) return folder;
    }
  }
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';
const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));

/** Errors of the file system name absolute paths; these name the relative one. */
export const inWords = (error: unknown, path: string): Refusal => {
  if (error instanceof Refusal) return error;
  if (isMissing(error)) return new Refusal(`"${path}" does not exist; list_files shows what does`);
  const words: Readonly<Record<string, string>> = {
    EACCES: 'may not be read (permission denied)',
    EPERM: 'may not be read (permission denied)',
    ELOOP: 'is a symbolic link that leads back to itself',
    ENAMETOOLONG: 'is too long for a path',
  };
  const code = codeOf(error);
  return new Refusal(`"${path}" ${words[code] ?? `cannot be read (${code || 'unknown reason'})`}`);
};

/**
 * Opens a regular file for reading. `real` must come from `locate` or a walk: it is not followed if it became a link
 * since. O_NONBLOCK, because opening a pipe that took the place of the file would wait for a writer.
 */
export const openFile = async (real: string, path: string): Promise<FileHandle> => {
  try {
    if (!(await lstat(real)).isFile()) throw new Refusal(`"${path}" is not a regular file`);
    const handle = await open(
      real,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    throw new Refusal(`"${path}" is not a regular file`);
  } catch (error) {
    throw inWords(error, path);
  }
};
