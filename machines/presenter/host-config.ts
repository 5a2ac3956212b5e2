/** Config file of a presenter: its schema, its older versions, and its built-in servers. */
import type { Edit } from '../config/json-text.ts';
import { isObject, type Fields } from '../protocol/json.ts';

/** What a presenter's config is shown as: the three parts of seed 004. */
export interface McpConfig {
  /** Built-in ones, too. */
  readonly mcpServers: Readonly<Record<string, MCPServerConfig>>;
  /** Names of those that start by themselves. */
  readonly defaultServers: readonly string[];
  /** False: nothing runs. */
  readonly mcpEnabled: boolean;
}

const namesIn = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : undefined;
/** The key of the map of servers: `servers` is taken where a file has it so, as that of VS Code. */
export const mapKeyOf = (file: Fields): 'servers' | 'mcpServers' =>
  !Object.hasOwn(file, 'mcpServers') && isObject(file['servers']) ? 'servers' : 'mcpServers';
/** Those of the file alone. A list has no names to edit by, and is none. */
export function ownServers(file: Fields): Readonly<Record<string, MCPServerConfig>> {
  const map = file[mapKeyOf(file)];
  return isObject(map) ? (map as Readonly<Record<string, MCPServerConfig>>) : {};
}
const removedBuiltIns = (file: Fields): readonly string[] => {
  const { a2c } = file;
  return (isObject(a2c) && namesIn(a2c['removedBuiltIns'])) || [];
};
const isOff = ({ disable, disabled, enabled, isActive }: MCPServerConfig): boolean =>
  disable === true || disabled === true || enabled === false || isActive === false;

/** What a file says, with the built-in servers that it neither has nor has removed. */
export function shownConfig(file: Fields, surroundings: Surroundings): McpConfig {
  const own = ownServers(file);
  const removed = removedBuiltIns(file);
  const added = Object.entries(builtIns(surroundings)).filter(
    ([name]) => !Object.hasOwn(own, name) && !removed.includes(name),
  );
  const servers = [...added, ...Object.entries(own)];
  const wanted = namesIn(file['defaultServers']);
  const names = servers.filter(([, entry]) => isObject(entry) && !isOff(entry)).map(([name]) => name);
  return {
    mcpServers: Object.fromEntries(servers),
    // Absent: all that are enabled. A name that is not there any more means nothing.
    defaultServers: wanted ? [...new Set(wanted)].filter((name) => isNamed(servers, name)) : names,
    mcpEnabled: file['mcpEnabled'] !== false,
  };
}
const isNamed = (servers: readonly (readonly [string, unknown])[], name: string): boolean =>
  servers.some(([other]) => other === name);

/** What the computer is to run by: any file of docs/config.md, without what only a presenter knows. */
export function computerConfig(file: Fields, surroundings: Surroundings): Fields {
  const { mcpServers, defaultServers, mcpEnabled } = shownConfig(file, surroundings);
  const { a2c, inputs } = file;
  const { version: _, removedBuiltIns: __, ...settings } = isObject(a2c) ? a2c : {};
  const servers = Object.entries(mcpServers).map(([name, entry]) => {
    if (!isObject(entry)) return [name, entry] as const;
    const isDefault = defaultServers.includes(name);
    return [name, serverFor(name, entry, { isDefault, mcpEnabled }, surroundings)] as const;
  });
  return {
    [mapKeyOf(file)]: Object.fromEntries(servers),
    ...(inputs !== undefined && { inputs }),
    a2c: { onConflict: 'prefix', npmRegistry: 'auto', ...settings },
  };
}
function serverFor(
  name: string,
  entry: MCPServerConfig,
  { isDefault, mcpEnabled }: { readonly isDefault: boolean; readonly mcpEnabled: boolean },
  surroundings: Surroundings,
): Fields {
  const { disable: _, disabled: __, enabled: ___, isActive: ____, a2c, ...rest } = entry;
  const folder = documentsFolderOf(name, entry);
  const { type: _type, args: _args, ...shown } = rest;
  const launch = folder === undefined ? rest : { ...shown, ...surroundings.documents(folder) };
  const own = isObject(a2c) ? a2c : {};
  return {
    ...launch,
    // Off for all goes before anything that is said of one.
    ...((!mcpEnabled || isOff(entry)) && { disabled: true }),
    ...(isObject(a2c) || a2c === undefined || a2c === null
      ? { a2c: isDefault ? own : { ...own, autoConnect: false } }
      : { a2c }),
  };
}

// ── older versions ────────────────────────────────────────────────────────────────────────────────────
/** What a file of this version of ours may say; `a2c.version` in it. */
const fileVersion = 1;
/** Absent: written by hand or by another client, or before there were versions. */
function versionOf(file: Fields): number {
  const { a2c } = file;
  const version = isObject(a2c) ? a2c['version'] : undefined;
  return typeof version === 'number' && Number.isInteger(version) && version >= 0 ? version : 0;
}
/** A file of a later version is read as far as it can be, and never written. */
export const isOfFuture = (file: Fields): boolean => versionOf(file) > fileVersion;

/**
 * What of an older file has to be said otherwise. A file in which nothing has is left alone, so none is written for its
 * version only; what was migrated once is not migrated again.
 */
export function migrationsOf(file: Fields): readonly Edit[] {
  if (versionOf(file) >= fileVersion) return [];
  const edits = [...oneDefault(file), ...filesystem(file)];
  return edits.length === 0 ? [] : [...edits, { path: ['a2c', 'version'], value: fileVersion }];
}
/** DeepChat up to 0.0.12: one default server. */
function oneDefault(file: Fields): readonly Edit[] {
  if (!Object.hasOwn(file, 'defaultServer')) return [];
  const { defaultServer: one } = file;
  const isNeeded = typeof one === 'string' && one !== '' && !Array.isArray(file['defaultServers']);
  return [
    { path: ['defaultServer'], remove: true },
    ...(isNeeded ? [{ path: ['defaultServers'], value: [one] }] : []),
  ];
}
/** DeepChat up to 0.0.12: `filesystem` over stdio. One documents server has one folder, so there is one for each. */
function filesystem(file: Fields): readonly Edit[] {
  const own = ownServers(file);
  const old = Object.hasOwn(own, 'filesystem') ? own['filesystem'] : undefined;
  if (!isObject(old) || !Array.isArray(old['args']) || !isFilesystem(old['args'])) return [];
  const at = mapKeyOf(file);
  const folders = old['args'].slice(2).filter((arg) => typeof arg === 'string' && arg !== '');
  const names = documentsNames(folders.length).filter((name) => !Object.hasOwn(own, name));
  const { command: _, args: __, env: ___, type: ____, ...kept } = old;
  const listed = file['defaultServers'];
  const defaults = Array.isArray(listed)
    ? listed
    : typeof file['defaultServer'] === 'string'
      ? [file['defaultServer']]
      : null;
  const renamed = defaults?.flatMap((name: unknown) => (name === 'filesystem' ? names : [name]));
  return [
    { path: [at, 'filesystem'], remove: true },
    ...names.map((name, index) => ({
      path: [at, name],
      value: { ...kept, type: 'inmemory', args: [folders[index]] },
    })),
    ...(defaults?.includes('filesystem') ? [{ path: ['defaultServers'], value: [...new Set(renamed)] }] : []),
  ];
}
const isFilesystem = (args: readonly unknown[]): boolean =>
  args.some((arg) => typeof arg === 'string' && /(?:^|\/)server-filesystem(?:@|$)/.test(arg));

// ── built-in servers ──────────────────────────────────────────────────────────────────────────────────
/** One server as its file has it: the keys of DeepChat (seed 004, section 4), or of any other client (docs/config.md). */
export interface MCPServerConfig {
  /** Executable of a `stdio` server. */
  readonly command?: string;
  /** Its arguments. */
  readonly args?: readonly string[];
  /** Its variables, beside those that every child has. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: `stdio` with a command, `http` with a URL. */
  readonly type?: 'stdio' | 'sse' | 'http' | 'inmemory' | (string & {});
  /** Of `sse` and `http`. */
  readonly baseUrl?: string;
  /** What each request to that has. */
  readonly customHeaders?: Readonly<Record<string, string>>;
  /** `all`, `read`, `write`, or names of tools. */
  readonly autoApprove?: readonly string[];
  /** For a screen: an emoji or a URL. */
  readonly icons?: string;
  /** For a screen: one sentence. */
  readonly descriptions?: string;
  /** It does not run, and cannot be started. */
  readonly disable?: boolean;
  readonly [key: string]: unknown;
}
/** What built-in servers are made of, which is not the same everywhere. */
export interface Surroundings {
  /** The home folder of the user. */
  readonly home: string;
  /** How the documents server is started over this folder. */
  readonly documents: (folder: string) => { readonly command: string; readonly args: readonly string[] };
}
const files = 'buildInFileSystem';

/** Servers that every presenter has until its user removes them (seed 004). Both are off at first. */
const builtIns = ({ home }: Surroundings): Readonly<Record<string, MCPServerConfig>> => ({
  [files]: {
    type: 'inmemory',
    args: [home],
    autoApprove: ['read'],
    icons: '📁',
    descriptions: 'Lists, searches and reads text files below the home folder. It does not write.',
    disable: true,
  },
  Artifacts: {
    type: 'inmemory',
    icons: '🎨',
    descriptions: 'Not built: this version has no Artifacts. The name is kept for configs that have it.',
    disable: true,
  },
});
/** The folder of `buildInFileSystem`, or of one of its likes that a migration made (`buildInFileSystem-2`). */
const documentsFolderOf = (name: string, { type, args }: MCPServerConfig): string | undefined => {
  const folder: unknown = Array.isArray(args) && args.length === 1 ? args[0] : undefined;
  const isOne = type === 'inmemory' && /^buildInFileSystem(?:-\d+)?$/.test(name);
  return isOne && typeof folder === 'string' && folder !== '' ? folder : undefined;
};
/** Under which names its folders are served, the first one under its own. */
const documentsNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => (index === 0 ? files : `${files}-${index + 1}`));

// ── changes ───────────────────────────────────────────────────────────────────────────────────────────
type Edits = readonly Edit[];

/** Key by key, so that what people wrote around them stays; of a server that the file does not have, all of `entry`. */
export function update(
  file: Fields,
  name: string,
  entry: MCPServerConfig,
  keys: Partial<MCPServerConfig>,
): Edits {
  const at = [mapKeyOf(file), name];
  if (!Object.hasOwn(ownServers(file), name)) return [{ path: at, value: entry }];
  return Object.entries(keys).map(([key, value]): Edit => {
    const path = [...at, key];
    return value === undefined ? { path, remove: true } : { path, value };
  });
}
/** It leaves the defaults, too; a built-in server has to be remembered as removed. */
export const removal = (file: Fields, name: string, surroundings: Surroundings): Edits => [
  { path: [mapKeyOf(file), name], remove: true },
  { path: ['defaultServers'], drop: name },
  ...(Object.hasOwn(builtIns(surroundings), name)
    ? [{ path: ['a2c', 'removedBuiltIns'], add: name } as const]
    : []),
];
/** Of a list that the file has, this one item alone: another process may change the others. */
export function defaults(file: Fields, name: string, next: readonly string[]): Edits {
  const path = ['defaultServers'];
  if (!Array.isArray(file['defaultServers'])) return [{ path, value: next }];
  return [next.includes(name) ? { path, add: name } : { path, drop: name }];
}
/** Built-in servers are as they were at first, which is off. Of all others nothing changes: what was off stays off. */
export const reset = (file: Fields, surroundings: Surroundings): Edits => [
  ...Object.keys(builtIns(surroundings)).flatMap((name): Edits => [
    { path: [mapKeyOf(file), name], remove: true },
    { path: ['defaultServers'], drop: name },
  ]),
  { path: ['a2c', 'removedBuiltIns'], remove: true },
];
