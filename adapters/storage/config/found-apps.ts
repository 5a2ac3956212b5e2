import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { appAt, places, type Place, type Project } from '../../../machines/config/index.ts';
import { folderNames } from './discover.ts';

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
/**
 * The folder of the project that a file is of: the one around it, or around the folder with a dot in which an application keeps
 * it. Undefined: it is a file of a user, in the home folder or where an application has its settings, or `into`, where its
 * servers go, stands in the same folder. `isKnown`: its name says that it is one of a project.
 */
export function projectOf(
  file: string,
  into: string,
  at: AppFolders = here(process.cwd()),
): Project | undefined {
  const whole = resolve(file);
  const isOfUser = places.some((place) => place.base !== 'folder' && fileOf(place, at) === whole);
  const isInDotFolder = /^\.[^.]/.test(basename(dirname(whole)));
  const folder = isInDotFolder ? dirname(dirname(whole)) : dirname(whole);
  if (isOfUser || folder === at.home || folder === dirname(resolve(into))) return undefined;
  const isName = folderNames.some((name) => name === basename(whole));
  return { folder, isKnown: isInDotFolder || isName || appAt(whole) !== undefined };
}
