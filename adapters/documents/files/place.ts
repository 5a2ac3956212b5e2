import type { Stats } from 'node:fs';
import { constants, lstat, open, realpath, stat, type FileHandle } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { checkPath } from '../../../machines/documents/index.ts';

/** A question that cannot be answered, said so that a model can ask a better one. Names no path outside the root. */
export class Refusal extends Error {}

export interface Place {
  /** Relative to the root, `/` between parts, `.` for the root. */
  readonly path: string;
  /** Where it really is, all symbolic links followed; inside the root. */
  readonly real: string;
  readonly facts: Stats;
}

/** A folder that is served. */
export interface Folder {
  /** Its real path. */
  readonly path: string;
  /** First part of each path below it, so that several folders do not mix; empty where it is the only one. */
  readonly name: string;
}

/** Finds what a stranger named below the folders. Refuses what is not there or leads out of them. */
export const locate = async (folders: readonly Folder[], raw: string): Promise<Place> => {
  const checked = checkPath(raw);
  if (!checked.ok) throw new Refusal(checked.reason);
  const { path } = checked;
  const { folder, below } = folderOf(folders, path);
  const base = await realpath(folder.path).catch(() => {
    throw new Refusal('the root folder of this server is gone');
  });
  const full = join(base, below);
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

const folderOf = (folders: readonly Folder[], path: string): { folder: Folder; below: string } => {
  for (const folder of folders) {
    if (folder.name === '') return { folder, below: path };
    if (path === folder.name) return { folder, below: '.' };
    if (path.startsWith(`${folder.name}/`)) return { folder, below: path.slice(folder.name.length + 1) };
  }
  const names = folders.map(({ name }) => `"${name}"`).join(', ');
  throw new Refusal(`"${path}" is in none of the folders: a path begins with one of ${names}`);
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
