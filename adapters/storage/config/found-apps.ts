import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { places, type Place } from '../../../machines/config/index.ts';

/** The places of applications on this machine. */
export interface AppFolders {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}
const here = (folder: string): AppFolders => ({
  platform: process.platform,
  home: homedir(),
  folder,
  env: process.env,
});
const config = ({ env, home }: AppFolders): string => env['XDG_CONFIG_HOME'] || join(home, '.config');
function settings(at: AppFolders): string {
  const { platform, env, home } = at;
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return platform === 'win32' ? env['APPDATA'] || join(home, 'AppData', 'Roaming') : config(at);
}
function fileOf({ base, path }: Place, at: AppFolders): string {
  const folders = { home: at.home, folder: at.folder, settings: settings(at), config: config(at) };
  return join(folders[base], path);
}
export interface AppFile {
  readonly app: string;
  readonly file: string;
}
/** Where applications would keep their servers on this platform, whether they are there or not. */
export const appFiles = (folder: string, at: AppFolders = here(folder)): readonly AppFile[] =>
  places
    .filter(({ on }) => on === undefined || (on === 'win32') === (at.platform === 'win32'))
    .map((place) => ({ app: place.app, file: fileOf(place, at) }));
/** Those that are there, in the order of the table. */
export async function foundAppFiles(folder: string): Promise<readonly AppFile[]> {
  const all = appFiles(folder);
  const there = await Promise.all(
    all.map(({ file }) =>
      access(file).then(
        () => true,
        () => false,
      ),
    ),
  );
  // Home and the current folder may be the same.
  const seen = new Set<string>();
  return all.filter(({ file }, n) => there[n] && !seen.has(file) && seen.add(file));
}
