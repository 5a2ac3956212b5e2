/** Applications whose servers can be imported, with the places of their files. */
import { fieldsOf, isObject } from '../protocol/json.ts';
import {
  readMap,
  renamed,
  common,
  dropped,
  entriesIn,
  hasObject,
  translatedEntries,
  leftOut,
  seconds,
  toolsAlone,
  timeLimitRule,
  type App,
  type Rules,
} from './app.ts';
import {
  amp,
  claudeCode,
  codex,
  continueDev,
  crush,
  deepchat,
  dockerCatalog,
  geminiCli,
  goose,
  libreChat,
  opencode,
  vscode,
} from './own-formats.ts';

// ── places of the files ───────────────────────────────────────────────────────────────────────────────
/**
 * Folder where a path begins: the home folder, the current one, the platform's settings folder, or
 * `~/.config` on all platforms, or
 * `%LOCALAPPDATA%`.
 */
type Base = 'home' | 'folder' | 'settings' | 'config' | 'local';
export interface AppPlace {
  readonly app: string;
  readonly base: Base;
  /** Path below the base folder, with `/`. A `*` in the name of a folder matches any text. */
  readonly path: string;
  /** Platform family to which this path is limited; absent means all platforms. */
  readonly on?: 'win32' | 'unix';
}
const placesOf = (app: string, base: Base, ...paths: readonly string[]): readonly AppPlace[] =>
  paths.map((path) => ({ app, base, path }));

/**
 * Config files of applications, for a user and for a folder. `settings` is `~/Library/Application Support`,
 * `%APPDATA%` or `~/.config`.
 */
export const places: readonly AppPlace[] = [
  // Place of the package from the Microsoft Store, whose id is a part of the folder's name. It is tried before the usual
  // place, which may hold an old file.
  {
    app: 'claude-desktop',
    base: 'local',
    path: 'Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json',
    on: 'win32',
  },
  ...placesOf('claude-desktop', 'settings', 'Claude/claude_desktop_config.json'),
  ...placesOf('claude-code', 'home', '.claude.json'),
  ...placesOf('claude-code', 'folder', '.mcp.json'),
  ...placesOf('cursor', 'home', '.cursor/mcp.json'),
  ...placesOf('cursor', 'folder', '.cursor/mcp.json'),
  ...placesOf('vscode', 'settings', 'Code/User/mcp.json', 'Code/User/settings.json'),
  ...placesOf('vscode', 'settings', 'Code - Insiders/User/mcp.json', 'VSCodium/User/mcp.json'),
  ...placesOf('vscode', 'folder', '.vscode/mcp.json', '.vscode/settings.json'),
  ...placesOf('copilot', 'home', '.copilot/mcp-config.json'),
  { app: 'copilot', base: 'local', path: 'github-copilot/intellij/mcp.json', on: 'win32' },
  ...placesOf('copilot', 'config', 'github-copilot/intellij/mcp.json'),
  ...placesOf(
    'cline',
    'settings',
    'Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
  ),
  ...placesOf('cline', 'home', '.cline/data/settings/cline_mcp_settings.json'),
  ...placesOf(
    'roo',
    'settings',
    'Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json',
  ),
  ...placesOf('roo', 'folder', '.roo/mcp.json'),
  ...placesOf('windsurf', 'home', '.codeium/windsurf/mcp_config.json'),
  ...placesOf('continue', 'home', '.continue/config.yaml', '.continue/config.json'),
  ...placesOf('continue', 'folder', '.continue/config.yaml'),
  { app: 'zed', base: 'config', path: 'zed/settings.json', on: 'unix' },
  { app: 'zed', base: 'settings', path: 'Zed/settings.json', on: 'win32' },
  ...placesOf('zed', 'folder', '.zed/settings.json'),
  { app: 'goose', base: 'config', path: 'goose/config.yaml', on: 'unix' },
  { app: 'goose', base: 'settings', path: 'Block/goose/config/config.yaml', on: 'win32' },
  ...placesOf('gemini-cli', 'home', '.gemini/settings.json'),
  ...placesOf('gemini-cli', 'folder', '.gemini/settings.json'),
  ...placesOf('codex', 'home', '.codex/config.toml'),
  ...placesOf('codex', 'folder', '.codex/config.toml'),
  ...placesOf('opencode', 'config', 'opencode/opencode.json', 'opencode/opencode.jsonc'),
  ...placesOf('opencode', 'folder', 'opencode.json', 'opencode.jsonc'),
  ...placesOf('deepchat', 'settings', 'DeepChat/mcp-settings.json'),
  ...placesOf('crush', 'config', 'crush/crush.json'),
  ...placesOf('crush', 'folder', 'crush.json', '.crush.json'),
  ...placesOf('amp', 'config', 'amp/settings.json'),
  ...placesOf('amp', 'folder', '.amp/settings.json'),
  ...placesOf('warp', 'home', '.warp/.mcp.json'),
  ...placesOf('warp', 'folder', '.warp/.mcp.json'),
  ...placesOf('lm-studio', 'home', '.lmstudio/mcp.json'),
  ...placesOf('kiro', 'home', '.kiro/settings/mcp.json'),
  ...placesOf('kiro', 'folder', '.kiro/settings/mcp.json'),
  ...placesOf('junie', 'home', '.junie/mcp/mcp.json'),
  ...placesOf('junie', 'folder', '.junie/mcp/mcp.json'),
  ...placesOf('trae', 'settings', 'Trae/User/mcp.json', 'Trae CN/User/mcp.json'),
  ...placesOf('trae', 'folder', '.trae/mcp.json'),
  ...placesOf('qwen', 'home', '.qwen/settings.json'),
  ...placesOf('qwen', 'folder', '.qwen/settings.json'),
  ...placesOf('visual-studio', 'home', '.mcp.json'),
  ...placesOf('visual-studio', 'folder', '.vs/mcp.json'),
  ...placesOf('librechat', 'folder', 'librechat.yaml'),
  ...placesOf('docker', 'home', '.docker/mcp/catalogs/docker-mcp.yaml'),
];

/** Names of files that `a2c` itself looks for in a folder, so they do not identify an application. */
const anybodys = new Set(['.mcp.json']);
/** Tells whether many programs use this file name, so that only its folder identifies the application. */
const isCommon = (name: string): boolean => /^(mcp|settings|config)\.\w+$/.test(name);
/** Tells whether a folder, such as `settings`, only identifies an application together with the folder around it. */
const isWithin = (folder: string): boolean => folder === 'settings' || folder === 'mcp';
const endOf = ({ path }: AppPlace, parts: number): readonly string[] =>
  path.toLowerCase().split('/').slice(-parts);
/**
 * Returns the application that uses a file of this path, else of this name and folder, else of a name that is
 * unique to it.
 */
export const appAt = (file: string): string | undefined => {
  const path = `/${file.replaceAll('\\', '/').toLowerCase()}`;
  const isAt = (end: readonly string[]): boolean =>
    !anybodys.has(end.join('/')) && path.endsWith(`/${end.join('/')}`);
  const known =
    places.find((place) => isAt(endOf(place, Infinity))) ??
    places.find((place) => !isWithin(endOf(place, 2)[0] ?? '') && isAt(endOf(place, 2))) ??
    places.find((place) => !isCommon(endOf(place, 1).join()) && isAt(endOf(place, 1)));
  return known?.app;
};
/** Returns the place of a file in its project, such as `.kiro/settings/mcp.json`; undefined at an unknown place. */
export const placeInProject = (file: string): string | undefined => {
  const path = `/${file.replaceAll('\\', '/')}`;
  const all = places.filter((place) => place.base === 'folder' && path.endsWith(`/${place.path}`));
  return all.map((place) => place.path).toSorted((a, b) => b.length - a.length)[0];
};

// ── applications with one map of servers ──────────────────────────────────────────────────────────────
const claudeDesktop: App = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  format: 'json',
  words: {
    hasNoVariables: true,
    at: 'mcpServers',
    types: { stdio: null },
    keys: { command: 'command', args: 'args', env: 'env' },
  },
  isIts: () => false,
  read: readMap('mcpServers', {}),
};

const cursor: App = {
  id: 'cursor',
  title: 'Cursor',
  format: 'json',
  words: {
    at: 'mcpServers',
    types: { stdio: 'stdio', streamable: null, sse: 'sse' },
    keys: { ...common, envFile: 'envFile' },
  },
  isIts: () => false,
  read: readMap('mcpServers', { auth: renamed('oauth') }),
};

const copilotRules: Rules = {
  type: (value) => ({ put: { type: value === 'local' ? 'stdio' : value } }),
  filterMapping: dropped,
};

const copilot: App = {
  id: 'copilot',
  title: 'GitHub Copilot',
  format: 'json',
  words: {
    at: 'mcpServers',
    types: { stdio: 'local', streamable: 'http', sse: 'sse' },
    keys: { ...common, cwd: 'cwd', tools: 'tools' },
    finish: (entry) => ({ tools: ['*'], ...entry }),
    variable: (name) => `\${${name}}`,
  },
  isIts: (file) =>
    entriesIn(file['mcpServers']).some(([, entry]) => fieldsOf(entry)['type'] === 'local') ||
    entriesIn(file['servers']).some(([, entry]) => hasObject(fieldsOf(entry), 'requestInit')),
  read: (file) => {
    const key = hasObject(file, 'mcpServers') ? 'mcpServers' : 'servers';
    return { servers: translatedEntries(file[key], [key], copilotRules), inputs: [] };
  },
};

const cline: App = {
  id: 'cline',
  title: 'Cline',
  format: 'json',
  words: {
    at: 'mcpServers',
    types: { stdio: 'stdio', streamable: 'streamableHttp', sse: 'sse' },
    keys: {
      ...common,
      cwd: 'cwd',
      off: 'disabled',
      approved: (value) => ({ autoApprove: toolsAlone(value) }),
      timeoutMs: (value) => ({ timeout: seconds(value) }),
    },
  },
  isIts: () => false,
  read: readMap('mcpServers', {
    timeout: timeLimitRule('s', 'callTotalMs'),
    remoteConfigured: dropped,
    metadata: dropped,
    oauth: leftOut('log in with a2c login'),
  }),
};

const roo: App = {
  id: 'roo',
  title: 'Roo Code',
  format: 'json',
  words: {
    at: 'mcpServers',
    types: { stdio: 'stdio', streamable: 'streamable-http', sse: 'sse' },
    keys: {
      ...common,
      cwd: 'cwd',
      off: 'disabled',
      forbidden: 'disabledTools',
      timeoutMs: (value) => ({ timeout: seconds(value) }),
    },
  },
  isIts: () => false,
  read: readMap('mcpServers', {
    timeout: timeLimitRule('s', 'callTotalMs'),
    watchPaths: leftOut('no files are watched'),
    disabledForPrompts: dropped,
  }),
};

const windsurf: App = {
  id: 'windsurf',
  title: 'Windsurf',
  format: 'json',
  words: {
    at: 'mcpServers',
    types: { stdio: null, streamable: null },
    keys: { ...common, url: 'serverUrl', off: 'disabled', forbidden: 'disabledTools' },
  },
  isIts: (file) => entriesIn(file['mcpServers']).some(([, entry]) => 'serverUrl' in fieldsOf(entry)),
  read: readMap('mcpServers', {}),
};

const warp: App = {
  id: 'warp',
  title: 'Warp',
  format: 'json',
  words: {
    at: 'mcpServers',
    types: { stdio: null, streamable: null },
    keys: { ...common, cwd: 'working_directory' },
    variable: (name) => `\${${name}}`,
  },
  // Recognises a file of Warp whose top level is the map of servers; a file with `mcpServers` is recognised elsewhere.
  isIts: (file) => {
    const entries = entriesIn(file);
    return (
      entries.length > 0 &&
      entries.every(([, entry]) => ['command', 'url'].some((key) => key in fieldsOf(entry)))
    );
  },
  read: (file) => {
    const isBare = !hasObject(file, 'mcpServers');
    const servers = translatedEntries(isBare ? file : file['mcpServers'], isBare ? [] : ['mcpServers'], {
      working_directory: renamed('cwd'),
      start_on_launch: (value) =>
        value === false ? { put: { a2c: { autoConnect: false } }, changed: 'a2c.autoConnect is false' } : {},
    });
    return { servers, inputs: [] };
  },
};

const lmStudio: App = {
  id: 'lm-studio',
  title: 'LM Studio',
  format: 'json',
  words: { at: 'mcpServers', hasNoVariables: true, types: { stdio: null, streamable: null }, keys: common },
  isIts: () => false,
  read: readMap('mcpServers', {}),
};

const kiro: App = {
  id: 'kiro',
  title: 'Kiro',
  format: 'json',
  words: {
    at: 'mcpServers',
    types: { stdio: null, streamable: null },
    keys: {
      ...common,
      off: 'disabled',
      forbidden: 'disabledTools',
      approved: (value) => ({ autoApprove: toolsAlone(value) }),
    },
    variable: (name) => `\${${name}}`,
  },
  isIts: () => false,
  read: readMap('mcpServers', {}),
};

const junie: App = {
  id: 'junie',
  title: 'Junie',
  format: 'json',
  words: { at: 'mcpServers', hasNoVariables: true, types: { stdio: null, streamable: null }, keys: common },
  isIts: () => false,
  read: readMap('mcpServers', {}),
};

const trae: App = {
  id: 'trae',
  title: 'Trae',
  format: 'json',
  words: { at: 'mcpServers', hasNoVariables: true, types: { stdio: null, streamable: null }, keys: common },
  isIts: () => false,
  read: readMap('mcpServers', { fromGalleryId: dropped }),
};

const qwen: App = { ...geminiCli, id: 'qwen', title: 'Qwen Code', isIts: () => false };
const visualStudio: App = { ...vscode, id: 'visual-studio', title: 'Visual Studio', isIts: () => false };

const zedRules: Rules = {
  source: dropped,
  // Reads `command` as an object, too, in which earlier versions of Zed keep path, arguments and environment.
  command: (value) => {
    if (typeof value !== 'object' || value === null) return { put: { command: value } };
    const { path, args, env } = fieldsOf(value);
    return {
      put: { command: path, ...(args !== undefined && { args }), ...(env !== undefined && { env }) },
      changed: 'its path is the command',
    };
  },
  settings: (_, { command, url }) =>
    command === undefined && url === undefined
      ? { why: 'an extension of Zed starts it' }
      : { left: 'settings of an extension' },
  timeout: timeLimitRule('s', 'callTotalMs'),
};

const zed: App = {
  id: 'zed',
  title: 'Zed',
  format: 'json',
  words: {
    at: 'context_servers',
    hasNoVariables: true,
    types: { stdio: null, streamable: null },
    keys: { ...common, off: () => ({ enabled: false }), timeoutMs: (value) => ({ timeout: seconds(value) }) },
  },
  isIts: (file) => hasObject(file, 'context_servers'),
  read: readMap('context_servers', zedRules),
};

// ── all applications ──────────────────────────────────────────────────────────────────────────────────
/** Applications whose servers can be imported, in the order of the docs. */
export const apps: readonly App[] = [
  claudeDesktop,
  claudeCode,
  cursor,
  vscode,
  copilot,
  cline,
  roo,
  windsurf,
  continueDev,
  zed,
  goose,
  geminiCli,
  codex,
  opencode,
  deepchat,
  crush,
  amp,
  warp,
  lmStudio,
  kiro,
  junie,
  trae,
  qwen,
  visualStudio,
  libreChat,
  dockerCatalog,
];
export const appNamed = (id: string): App | undefined => apps.find((app) => app.id === id);

/** Returns the application a file belongs to, by its path or else by its content. */
export const appOf = (value: unknown, file = ''): App | undefined => {
  const known = appNamed(appAt(file) ?? '');
  if (known || !isObject(value)) return known;
  return apps.find((app) => app.isIts(value));
};
/** Tells whether `parseConfig` can read a value without knowing its application. */
const isPlain = (value: unknown): boolean =>
  !isObject(value) ||
  isObject(value['mcpServers']) ||
  Object.hasOwn(value, 'servers') ||
  (isObject(value['mcp']) && isObject(value['mcp']['servers'])) ||
  Object.hasOwn(value, 'server_parameters') ||
  Object.hasOwn(value, 'command');
/** Returns the application of a file that must be translated before it is a config of ours. */
export const appOfConfig = (value: unknown, file: string): App | undefined =>
  isPlain(value) ? appNamed(appAt(file) ?? '') : appOf(value, file);
