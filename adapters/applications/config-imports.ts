import { readdirSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { folderNames } from './config-files.ts';
import { appAt, placeInProject, places, type AppPlace } from '../../machines/applications/apps.ts';
import type { Project } from '../../machines/applications/import.ts';
import { readJson, type JsonText } from '../../machines/config/json-text.ts';
import { isObject } from '../../machines/protocol/json.ts';
import { decodePart } from '../../machines/resources/uri.ts';

interface AppFolders {
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
/** Several when a folder's name has a `*`, none when a folder cannot be listed. */
function filesOf({ base, path }: AppPlace, at: AppFolders): string[] {
  if (base === 'LOCALAPPDATA' && at.platform !== 'win32') return [];
  const folders = {
    '~': at.home,
    '.': at.folder,
    SETTINGS: settings(at),
    CONFIG: config(at),
    LOCALAPPDATA: at.env['LOCALAPPDATA'] || join(at.home, 'AppData', 'Local'),
  };
  const [, above, start, below] = /^(.*)\/([^/]*)\*\/(.*)$/.exec(path) ?? [];
  if (above === undefined || start === undefined || below === undefined) return [join(folders[base], path)];
  const parent = join(folders[base], above);
  return namesIn(parent)
    .filter((name) => name.startsWith(start))
    .map((name) => join(parent, name, below));
}
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
export interface AppFile {
  readonly app: string;
  readonly file: string;
}
const appFiles = (at: AppFolders): readonly AppFile[] =>
  places.flatMap((place) => filesOf(place, at).map((file) => ({ app: place.app, file })));
export async function foundAppFiles(
  folder: string,
  at: AppFolders = here(folder),
): Promise<readonly AppFile[]> {
  const all = appFiles(at);
  const there = await Promise.all(
    all.map(({ file }) =>
      access(file).then(
        () => true,
        () => false,
      ),
    ),
  );
  // Removes duplicates, because the home folder and the current folder may be the same.
  const seen = new Set<string>();
  const isNew = ({ app, file }: AppFile): boolean => seen.size < seen.add(`${app} ${file}`).size;
  return all.filter((each, n) => there[n] && isNew(each));
}
/** Its folder, or the parent of the dot folder that holds it. Undefined for a user's file, and beside `into`. */
export function projectOf(
  file: string,
  into: string,
  at: AppFolders = here(process.cwd()),
): Project | undefined {
  const whole = resolve(file);
  const isOfUser = places.some((place) => place.base !== '.' && filesOf(place, at).includes(whole));
  const isInDotFolder = /^\.[^.]/.test(basename(dirname(whole)));
  const place = placeInProject(whole);
  const folder =
    place !== undefined ? whole.slice(0, -place.length - 1) : dirname(isInDotFolder ? dirname(whole) : whole);
  if (isOfUser || folder === at.home || folder === dirname(resolve(into))) return undefined;
  const isName = folderNames.some((name) => name === basename(whole));
  // Counts a copy of a file with settings of a user, such as `Code/User/mcp.json`, as a file of no project.
  const isOfProject = place !== undefined || (isName && appAt(whole) === undefined);
  return { folder, isKnown: isInDotFolder || isOfProject };
}

type LinkRead = JsonText & { readonly app?: string };
const wrong = (message: string): LinkRead => ({
  ok: false,
  mistake: { path: '', message, remedy: 'copy the whole link' },
});

export const isLink = (text: string): boolean =>
  /^(deepchat|cursor|vscode(-insiders)?):/i.test(text) || /^https?:\/\//i.test(text);

const linkPlaces: readonly (readonly [app: string, place: RegExp])[] = [
  ['deepchat', /^deepchat:\/\/mcp\/install$/i],
  ['cursor', /^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install$/i],
  ['cursor', /^https:\/\/(www\.)?cursor\.com\/(\w+\/)?install-mcp$/i],
  ['vscode', /^(vscode(-insiders)?:(\/\/)?|https:\/\/(insiders\.)?vscode\.dev\/redirect\/)mcp\/install$/i],
];
/** As it stands, or in Base64, whose plus signs a query turns into blanks. */
function jsonIn(text: string): JsonText {
  const code = text.replaceAll(' ', '+');
  const read = readJson(/^[\w+/-]+={0,2}$/.test(code) ? Buffer.from(code, 'base64').toString() : text);
  const [twice] = read.ok ? read.duplicates : [];
  return twice ? { ok: false, mistake: twice } : read;
}

function offered(app: string, query: URLSearchParams, written: string): LinkRead {
  const read = jsonIn(query.get('code') ?? query.get('config') ?? decodePart(written) ?? '');
  const asked = jsonIn(query.get('inputs') ?? '[]');
  if (!read.ok) return wrong(`what it holds ${read.mistake.message}`);
  if (!asked.ok) return wrong(`inputs ${asked.mistake.message}`);
  const isWhole = app === 'deepchat';
  if (!isObject(read.value) || (isWhole && !isObject(read.value['mcpServers'])))
    return wrong('the link holds no server');
  if (isWhole) return { ...read, app };
  const { name = query.get('name'), inputs = asked.value, ...entry } = read.value;
  if (typeof name !== 'string' || name === '') return wrong('the server of the link has no name');
  // The name may be __proto__.
  const servers = Object.fromEntries([[name, entry]]);
  return { ...read, value: { [app === 'vscode' ? 'servers' : 'mcpServers']: servers, inputs }, app };
}
/** Nothing is fetched. A mistake never quotes the link, because it may hold a secret. */
export function readLink(link: string): LinkRead {
  const [, place = '', written = ''] = /^([^?]*)\??(.*)$/s.exec(link.trim()) ?? [];
  // All that stands behind the scheme of VS Code is JSON.
  const isJson = /^vscode/i.test(place);
  const query = new URLSearchParams(isJson ? '' : written.replace(/#.*$/s, ''));
  const inner = query.get('url');
  if (/^https:\/\/(insiders\.)?vscode\.dev\/redirect$/i.test(place) && inner?.startsWith('vscode'))
    return readLink(inner);
  const [app] = linkPlaces.find(([, each]) => each.test(place)) ?? [];
  if (app === undefined)
    return wrong(
      'this link offers no MCP server; expected deepchat://mcp/install?…, cursor://anysphere.cursor-deeplink/mcp/install?… or vscode:mcp/install?…',
    );
  return offered(app, query, written);
}
