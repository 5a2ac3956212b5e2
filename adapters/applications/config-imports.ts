import { readdirSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { folderNames } from './config-files.ts';
import { appAt, placeInProject, places, type AppPlace } from '../../machines/applications/apps.ts';
import type { Project } from '../../machines/applications/import.ts';
import { readJson, type JsonText } from '../../machines/config/json-text.ts';
import { isObject } from '../../machines/protocol/json.ts';

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

const wrong = (message: string, remedy?: string): LinkRead => ({
  ok: false,
  mistake: { path: '', message, ...(remedy !== undefined && { remedy }) },
});
const whole = 'copy the whole link';

export const isLink = (text: string): boolean =>
  /^(deepchat|cursor|vscode(-insiders)?):/i.test(text) || /^https?:\/\//i.test(text);

function decoded(code: string): string | undefined {
  // Restores each plus sign, which a query turns into a blank when it was not escaped.
  const text = code.replaceAll(' ', '+');
  if (text === '' || !/^[\w+/-]+={0,2}$/.test(text) || text.replace(/={1,2}$/, '').length % 4 === 1)
    return undefined;
  try {
    const bytes = Buffer.from(text, 'base64');
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
function jsonIn(text: string | undefined, what: string): JsonText {
  if (text === undefined)
    return { ok: false, mistake: { path: '', message: `${what} is no base64 of UTF-8`, remedy: whole } };
  const read = readJson(text);
  if (!read.ok)
    return {
      ok: false,
      mistake: { ...read.mistake, message: `${what} ${read.mistake.message}`, remedy: whole },
    };
  const [twice] = read.duplicates;
  return twice ? { ok: false, mistake: twice } : read;
}
/** Returns a config with one server under its name; `fromEntries` allows even the name __proto__. */
const named = (key: 'mcpServers' | 'servers', name: string, entry: unknown): object => ({
  [key]: Object.fromEntries([[name, entry]]),
});

function deepchat(query: URLSearchParams): LinkRead {
  const code = query.get('code');
  if (code === null) return wrong('the link has no code', whole);
  const read = jsonIn(decoded(code), 'code');
  if (!read.ok) return read;
  if (!isObject(read.value) || !isObject(read.value['mcpServers'])) return wrong('code holds no mcpServers');
  return { ...read, app: 'deepchat' };
}
function cursor(query: URLSearchParams): LinkRead {
  const [name, config] = [query.get('name'), query.get('config')];
  if (!name) return wrong('the link has no name', whole);
  if (config === null) return wrong('the link has no config', whole);
  const read = jsonIn(decoded(config), 'config');
  return read.ok ? { ...read, value: named('mcpServers', name, read.value), app: 'cursor' } : read;
}
function vscode(query: string): LinkRead {
  let text: string;
  try {
    text = decodeURIComponent(query);
  } catch {
    return wrong('what stands behind the question mark is not escaped as in a URL', whole);
  }
  const read = jsonIn(text, 'what stands behind the question mark');
  if (!read.ok) return read;
  if (!isObject(read.value)) return wrong('the link holds no server');
  const { name, inputs, ...entry } = read.value;
  if (typeof name !== 'string' || name === '') return wrong('the server of the link has no name');
  const value = { ...named('servers', name, entry), ...(inputs !== undefined && { inputs }) };
  return { ...read, value, app: 'vscode' };
}
function redirect(query: URLSearchParams): LinkRead {
  const [name, config, inputs] = [query.get('name'), query.get('config'), query.get('inputs')];
  if (!name || config === null) return wrong('the link has no name, or no config', whole);
  const read = jsonIn(config, 'config');
  if (!read.ok) return read;
  const asked = inputs === null ? undefined : jsonIn(inputs, 'inputs');
  if (asked && !asked.ok) return asked;
  return {
    ...read,
    value: { ...named('servers', name, read.value), ...(asked && { inputs: asked.value }) },
    app: 'vscode',
  };
}

/** Nothing is fetched. A mistake never quotes the link, because it may hold a secret. */
export function readLink(text: string): LinkRead {
  const install = /^vscode(?:-insiders)?:(?:\/\/)?mcp\/install\?(.*)$/is.exec(text);
  if (install) return vscode(install[1] ?? '');
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return wrong('this is no link', whole);
  }
  const place = `${url.protocol}//${url.host}${url.pathname}`.toLowerCase();
  const query = url.searchParams;
  if (place === 'deepchat://mcp/install') return deepchat(query);
  if (place === 'cursor://anysphere.cursor-deeplink/mcp/install') return cursor(query);
  if (/^https:\/\/(www\.)?cursor\.com\/(\w+\/)?install-mcp$/.test(place)) return cursor(query);
  if (/^https:\/\/(insiders\.)?vscode\.dev\/redirect\/mcp\/install$/.test(place)) return redirect(query);
  const inner = query.get('url');
  if (/^https:\/\/(insiders\.)?vscode\.dev\/redirect$/.test(place) && inner?.startsWith('vscode'))
    return readLink(inner);
  return wrong(
    'this link offers no MCP server',
    'expected deepchat://mcp/install?…, cursor://anysphere.cursor-deeplink/mcp/install?… or vscode:mcp/install?…',
  );
}
