/** Safe access to the served folders: no path leads out of them, and each walk has an end. */
import type { Stats, Dirent } from 'node:fs';
import { constants, lstat, open, realpath, stat, type FileHandle, opendir } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { codeOf, systemWords } from '../reading.ts';
import { decodedAs, encodingOf } from './parsing/encoding.ts';
import { checkPath, isSkipped, joinPath, limits, isBinary, sizeText } from '../../machines/document-files.ts';
import { wideEncodingOf } from '../../machines/documents.ts';

/** Its message helps a model to ask a better one, and names no path outside of the root. */
export class Refusal extends Error {}

export interface ServedPath {
  /** Relative to the root, with `/` between parts; `.` is the root. */
  readonly path: string;
  /** Inside the root, with all symbolic links followed. */
  readonly real: string;
  readonly facts: Stats;
}

export interface Folder {
  readonly path: string;
  /** First part of all its paths, which tells folders apart; empty when it is the only one. */
  readonly name: string;
}

/** Refuses a path that does not exist or leads out of the served folders. */
export const locate = async (folders: readonly Folder[], raw: string): Promise<ServedPath> => {
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
    // The same answer whether such a file exists, so that a client learns nothing about files outside.
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

const nearest = async (full: string): Promise<string> => {
  for (let folder = dirname(full); ; folder = dirname(folder)) {
    try {
      return await realpath(folder);
    } catch {
      if (folder === dirname(folder)) return folder;
    }
  }
};

const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(codeOf(error));

/** The error itself names an absolute path. */
const inWords = (error: unknown, path: string): Refusal => {
  if (error instanceof Refusal) return error;
  if (isMissing(error) && path.includes('\ufffd'))
    return new Refusal(`the name of "${path}" is not UTF-8, so it cannot be read; give it another name`);
  if (isMissing(error)) return new Refusal(`"${path}" does not exist; list_files and search show what does`);
  return new Refusal(`"${path}" cannot be read: ${systemWords(error)}`);
};

/** A link or pipe that replaced `real` meanwhile is neither followed nor waited for (O_NONBLOCK). */
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

export interface WalkedEntry {
  /** Relative to the root. */
  readonly path: string;
  /** Relative to the folder where the walk began. */
  readonly below: string;
  readonly real: string;
  /** A link is listed but never followed: its target may be outside of the root or a parent folder. */
  readonly kind: 'file' | 'folder' | 'link';
}

export interface Walk {
  visited: number;
  unreadable: number;
  isCut: boolean;
  /** Visited entries; `limits.visited` by default. */
  readonly most?: number;
}

/** Level by level, and by name within a folder; bounded by the number of visited entries. */
export async function* walk(
  start: ServedPath,
  depth: number,
  cost: Walk,
  signal: AbortSignal,
): AsyncGenerator<WalkedEntry> {
  let level: Pick<WalkedEntry, 'path' | 'below' | 'real'>[] = [
    { path: start.path, below: '', real: start.real },
  ];
  for (let at = 1; at <= depth && level.length > 0; at += 1) {
    const next: typeof level = [];
    for (const folder of level) {
      for (const entry of await entriesOf(folder.real, cost)) {
        signal.throwIfAborted();
        const kind = kindOf(entry);
        if (kind === undefined || isSkipped(entry.name, kind === 'folder')) continue;
        const found = {
          path: joinPath(folder.path, entry.name),
          below: folder.below === '' ? entry.name : joinPath(folder.below, entry.name),
          real: join(folder.real, entry.name),
          kind,
        };
        if (kind === 'folder') next.push(found);
        yield found;
      }
      if (cost.isCut) return;
    }
    level = next;
  }
}

const kindOf = (entry: Dirent): WalkedEntry['kind'] | undefined => {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : undefined;
};

const entriesOf = async (folder: string, cost: Walk): Promise<readonly Dirent[]> => {
  const entries: Dirent[] = [];
  try {
    // Uses `opendir`, because `readdir` would read a folder of a million entries completely before the limit applies.
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      if (cost.visited >= (cost.most ?? limits.visited)) {
        cost.isCut = true;
        break;
      }
      cost.visited += 1;
      entries.push(entry);
    }
  } catch {
    cost.unreadable += 1;
  }
  return entries.sort((left, right) => (left.name < right.name ? -1 : 1));
};

export interface Part {
  /** Line ends included; bytes that mean nothing in its encoding become U+FFFD. */
  readonly text: string;
  /** Counted from 1. `toLine` is the last line, one less than `fromLine` for an empty text. */
  readonly fromLine: number;
  readonly toLine: number;
  /** Null for a file of more than 64 MiB, whose end is not read. */
  readonly totalLines: number | null;
  readonly isCut: boolean;
  readonly isInsideLine: boolean;
}

export interface Range {
  readonly fromLine?: number | undefined;
  readonly lines?: number | undefined;
  /** Characters; one line may be longer. */
  readonly room: number;
}

export const isText = (start: Uint8Array): boolean => wideEncodingOf(start) !== undefined || !isBinary(start);

export const startOf = async ({ path, real, facts }: ServedPath, most: number): Promise<Buffer> => {
  const handle = await openFile(real, path);
  try {
    return await firstBytes(handle, Math.min(facts.size, most));
  } catch (error) {
    throw inWords(error, path);
  } finally {
    await handle.close();
  }
};

/** Lines from a text file of any size. Undefined when it is no text. */
export const linesOf = async (
  place: ServedPath,
  range: Range,
): Promise<(Part & { readonly encoding: string }) | undefined> => {
  const bytes = await startOf(place, limits.partBytes);
  if (!isText(bytes)) return undefined;
  const { size } = place.facts;
  const encoding = encodingOf(bytes.subarray(0, limits.fileBytes), size <= limits.fileBytes);
  return { ...partOf(place.path, decodedAs(bytes, encoding), range, size <= limits.partBytes), encoding };
};

export const firstBytes = async (handle: FileHandle, most: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(most);
  let length = 0;
  while (length < most) {
    const { bytesRead } = await handle.read(buffer, length, most - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
};

const lineCount = (text: string): number => {
  let count = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
};
/** Whole lines, so that the next request can continue at a line start; a line above 1 MiB is cut. */
export function partOf(
  path: string,
  text: string,
  { fromLine = 1, lines = Infinity, room }: Range,
  isAll = true,
): Part {
  const total = lineCount(text);
  if (fromLine > Math.max(total, 1))
    throw new Refusal(
      isAll
        ? `"${path}" has ${total} lines, so there is no line ${fromLine}`
        : `line ${fromLine} of "${path}" is not within its first ${sizeText(limits.partBytes)}`,
    );
  let start = 0;
  for (let line = 1; line < fromLine; line += 1) start = text.indexOf('\n', start) + 1;
  let [end, taken] = [start, 0];
  while (taken < lines && end < text.length) {
    const next = text.indexOf('\n', end) + 1 || text.length;
    if (next - start > (taken === 0 ? limits.fileBytes : room)) break;
    [end, taken] = [next, taken + 1];
  }
  const isInsideLine = taken === 0 && end < text.length;
  if (isInsideLine) [end, taken] = [start + limits.fileBytes, 1];
  return {
    text: text.slice(start, end),
    fromLine,
    toLine: fromLine + taken - 1,
    totalLines: isAll ? total : null,
    isCut: end < text.length || !isAll,
    isInsideLine,
  };
}
