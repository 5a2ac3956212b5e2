import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { isLoopback } from '../../machines/office/rooms/loopback.ts';

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
