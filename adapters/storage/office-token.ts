/** The token that an office keeps for other programs of its user on this machine. */
import { readFileSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { removedAtExit, writePrivateSync } from '../host-files.ts';
import { isLoopback } from '../../machines/office/rooms/loopback.ts';

const folderOf = (stateDir: string): string => join(stateDir, 'offices');
const fileOf = (stateDir: string, port: number | string): string => join(folderOf(stateDir), `${port}.token`);

/** Readable by nobody else, until the returned function is called. Throws when it cannot be written. */
export function keepOfficeToken(stateDir: string, port: number, token: string): () => void {
  const path = fileOf(stateDir, port);
  writePrivateSync(path, token);
  // Only while the file still holds this token, because another office of this user may use the port by now.
  return removedAtExit(path, () => keptOfficeToken(stateDir, `http://127.0.0.1:${port}`) === token);
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
