import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { codeOf } from './reading.ts';

interface UserPlace {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: () => string;
}
const here: UserPlace = { platform: process.platform, env: process.env, home: homedir };

/** `$XDG_STATE_HOME/a2c`, else `%LOCALAPPDATA%\a2c` or `~/.local/state/a2c`; throws without a home folder. */
export function defaultStateDir({ platform, env, home }: UserPlace = here): string {
  const given = env['XDG_STATE_HOME'];
  if (given && isAbsolute(given)) return join(given, 'a2c');
  if (platform !== 'win32') return join(home(), '.local', 'state', 'a2c');
  return join(env['LOCALAPPDATA'] || join(home(), 'AppData', 'Local'), 'a2c');
}

/** Error codes of Windows for a file that another process has open, such as a virus scanner. */
const openElsewhere = new Set(['EPERM', 'EACCES', 'EBUSY']);
/** Largest number of tries to replace a file, and the wait in ms before the next try; together half a second. */
const [tries, waitMs] = [20, 25];
/** True means to try again later, as on Windows for a file that is open; throws all other errors. */
function mustWait(rename: () => void, left: number, platform: string): boolean {
  try {
    rename();
    return false;
  } catch (error) {
    if (platform !== 'win32' || left <= 1 || !openElsewhere.has(codeOf(error))) throw error;
    return true;
  }
}
/** Replaces `to` in one step. On Windows it waits, and blocks this process, while others have the file open. */
export function replaceFileSync(from: string, to: string, { platform } = here, rename = renameSync): void {
  const block = new Int32Array(new SharedArrayBuffer(4));
  for (let left = tries; mustWait(() => rename(from, to), left, platform); left -= 1)
    Atomics.wait(block, 0, 0, waitMs);
}
/** Does the same as `replaceFileSync` without blocking this process, which may itself have the file open. */
export async function replaceFile(
  from: string,
  to: string,
  { platform } = here,
  rename = renameSync,
): Promise<void> {
  for (let left = tries; mustWait(() => rename(from, to), left, platform); left -= 1)
    await setTimeout(waitMs);
}

const privately = { recursive: true, mode: 0o700 } as const;
/** For this user only, in one step, so that no reader sees half of it; its folder is made. */
export function writePrivateSync(path: string, text: string): void {
  mkdirSync(dirname(path), privately);
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  replaceFileSync(`${path}.new`, path);
}
/** As `writePrivateSync`; several processes may write the same file. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.draft`;
  await mkdir(dirname(path), privately);
  try {
    await writeFile(draft, text, { mode: 0o600 });
    await replaceFile(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}
/** Removes a file when this process exits, or when the returned function is called, if it `isOurs` then. */
export function removedAtExit(path: string, isOurs = (): boolean => true): () => void {
  const remove = (): void => {
    process.off('exit', remove);
    if (isOurs()) rmSync(path, { force: true });
  };
  process.on('exit', remove);
  return remove;
}
