import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { changeFile, textIn } from '../settings/locked-file.ts';

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
