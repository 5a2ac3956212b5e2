import { mkdirSync, readFileSync, renameSync, writeFileSync, rmSync, statSync, type Stats } from 'node:fs';
import { mkdir, writeFile, readFile, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { writeWhole, changeFile, textIn } from './settings.ts';
import { isLoopback } from '../../machines/office/rooms/loopback.ts';

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

/** Lines that a person typed at the prompt in this and earlier runs, the newest first. */
interface LineHistory {
  readonly lines: readonly string[];
  /** What cannot be written is not kept, and nobody is told: it is only a memory. */
  keep(lines: readonly string[]): void;
}
/** Kept in `history` in this folder, one line each, for its owner alone. */
export function lineHistory(stateDir: string): LineHistory {
  const file = join(stateDir, 'history');
  return {
    lines: linesIn(file),
    keep: (lines) => {
      try {
        mkdirSync(stateDir, { recursive: true, mode: 0o700 });
        writeFileSync(`${file}.new`, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
        renameSync(`${file}.new`, file);
      } catch {
        // A full disk, or a folder that is not ours.
      }
    },
  };
}
function linesIn(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}

/** Which registry of which list was the fastest, and when (ms since 1970). */
export interface ChosenRegistry {
  readonly list: readonly string[];
  readonly registry: string;
  readonly at: number;
}
const fileIn = (stateDir: string): string => join(stateDir, 'npm-registry.json');
const isText = (value: unknown): value is string => typeof value === 'string';

/** What an earlier run has kept; null: nothing, or nothing that can be read. */
export async function readChosen(stateDir: string): Promise<ChosenRegistry | null> {
  try {
    const { list, registry, at } = JSON.parse(
      await readFile(fileIn(stateDir), 'utf8'),
    ) as Partial<ChosenRegistry>;
    const isWhole = Array.isArray(list) && list.every(isText) && isText(registry) && list.includes(registry);
    return isWhole && typeof at === 'number' ? { list, registry, at } : null;
  } catch {
    return null;
  }
}
/** Whole or not at all. Rejects with what the file system says. */
export async function keepChosen(stateDir: string, chosen: ChosenRegistry): Promise<void> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  await writeWhole(fileIn(stateDir), JSON.stringify(chosen), { mode: 0o600 });
}

/**
 * Folders whose config may start programs. A checkout must not run commands because somebody typed `a2c tools` in
 * it: its folder has to be trusted once. Kept in `$XDG_STATE_HOME/a2c/trusted.json`, a list of real paths.
 */
export const trustFile = (env: NodeJS.ProcessEnv = process.env): string =>
  join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'a2c', 'trusted.json');

/** None, where there is no file yet, or one that nobody can read: then nothing is trusted, which is the safe side. */
function foldersIn(text: string | null): string[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? list.filter((f): f is string => typeof f === 'string') : [];
  } catch {
    return [];
  }
}
const trusted = async (file: string): Promise<string[]> => foldersIn(await textIn(file).catch(() => null));

export const isTrusted = async (folder: string, file = trustFile()): Promise<boolean> =>
  (await trusted(file)).includes(await realpath(folder));

/**
 * Adds a folder to the list, which is written whole or not at all, under a lock that all processes share. Rejects with
 * what the file system says when it cannot be written, or when others hold the lock for a minute.
 */
export async function trust(folder: string, file = trustFile()): Promise<void> {
  await changeFile(file, async (text) => {
    const real = await realpath(folder);
    const folders = foldersIn(text);
    return folders.includes(real) ? text : `${JSON.stringify([...new Set([...folders, real])], null, 2)}\n`;
  });
}

const folderOf = (stateDir: string): string => join(stateDir, 'offices');
const fileOf = (stateDir: string, port: number | string): string => join(folderOf(stateDir), `${port}.token`);

/**
 * Keeps the token of an office on loopback where other programs of this user find it, and nobody else, until what is
 * returned is called. Throws when it cannot.
 */
export function keepOfficeToken(stateDir: string, port: number, token: string): () => void {
  mkdirSync(folderOf(stateDir), { recursive: true, mode: 0o700 });
  const path = fileOf(stateDir, port);
  // Another file in its place: one that was there may have been readable by others.
  writeFileSync(`${path}.${process.pid}`, token, { mode: 0o600, flag: 'w' });
  renameSync(`${path}.${process.pid}`, path);
  const remove = (): void => {
    process.off('exit', remove);
    // Another office of this user may listen on that port by now.
    if (keptOfficeToken(stateDir, `http://127.0.0.1:${port}`) === token) rmSync(path, { force: true });
  };
  process.on('exit', remove);
  return remove;
}
const mayBeOfOthers = ({ mode, uid }: Stats, platform: string): boolean =>
  platform !== 'win32' &&
  ((mode & 0o077) !== 0 || (process.getuid !== undefined && uid !== process.getuid()));
/**
 * The token that an office of this user keeps for this address; undefined: it keeps none. Never one for an address outside
 * of this machine, and none from a file that others can read. On Windows modes say nothing: each user has a profile that
 * others cannot read.
 */
export function keptOfficeToken(
  stateDir: string,
  url: string,
  platform: string = process.platform,
): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port, protocol } = new URL(url);
  if (protocol !== 'http:' || !isLoopback(hostname)) return undefined;
  const path = fileOf(stateDir, port || '80');
  try {
    if (mayBeOfOthers(statSync(path), platform)) return undefined;
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}
