/** The token that an office keeps for other programs of its user on this machine. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { replaceFileSync } from '../host-files.ts';
import { isLoopback } from '../../machines/office/rooms/loopback.ts';

const folderOf = (stateDir: string): string => join(stateDir, 'offices');
const fileOf = (stateDir: string, port: number | string): string => join(folderOf(stateDir), `${port}.token`);

/** Readable by nobody else, until the returned function is called. Throws when it cannot be written. */
export function keepOfficeToken(stateDir: string, port: number, token: string): () => void {
  mkdirSync(folderOf(stateDir), { recursive: true, mode: 0o700 });
  const path = fileOf(stateDir, port);
  // Replaces the file instead of overwriting it, because other users may have been able to read the old one.
  writeFileSync(`${path}.${process.pid}`, token, { mode: 0o600, flag: 'w' });
  replaceFileSync(`${path}.${process.pid}`, path);
  const remove = (): void => {
    process.off('exit', remove);
    // Removes the file only when it still holds this token, because another office of this user may use the port by now.
    if (keptOfficeToken(stateDir, `http://127.0.0.1:${port}`) === token) rmSync(path, { force: true });
  };
  process.on('exit', remove);
  return remove;
}
const mayBeOfOthers = ({ mode, uid }: Stats, platform: string): boolean =>
  platform !== 'win32' &&
  ((mode & 0o077) !== 0 || (process.getuid !== undefined && uid !== process.getuid()));
/** Never from a file that others can read. Windows is not checked, because profiles are private there. */
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
