/** Config file of a presenter: what it shows, what a computer gets of it, and edits of it. */
import { fileVersion, versionOf } from '../settings/file-version.ts';
import { z } from 'zod';
import type { Edit } from '../config/json-edits.ts';
import { addMistake, check, type Findings, type Mistake } from '../config/mistake.ts';
import { isObject, type Fields } from '../protocol/json.ts';
import { nearest } from '../text.ts';

/** Config as a presenter shows it: servers, default servers and the main switch. */
export interface McpConfig {
  /** Servers by name, including built-in ones. */
  readonly mcpServers: Readonly<Record<string, MCPServerConfig>>;
  /** Names of servers that start automatically. */
  readonly defaultServers: readonly string[];
  /** True when servers may run; false keeps all of them stopped. */
  readonly mcpEnabled: boolean;
}

const mapSchema = z.record(z.string(), z.unknown()).optional();
/** Keys that decide which servers run; other ones belong to the host. */
const topSchema = z.looseObject({
  mcpServers: mapSchema,
  servers: mapSchema,
  defaultServers: z.array(z.string()).optional(),
  defaultServer: z.string().optional(),
  mcpEnabled: z.boolean().optional(),
  inputs: z.unknown().optional(),
  a2c: z
    .looseObject({
      version: z.int().min(0).optional(),
      removedBuiltIns: z.array(z.string()).optional(),
    })
    .nullish(),
});
/** Mistakes that `computerConfig` would read by guess. */
export function topMistakes(file: Fields, surroundings: Surroundings): readonly Mistake[] {
  const findings: Findings = { mistakes: [], warnings: [] };
  check(topSchema, file, findings, (path) => path);
  const known = Object.keys(topSchema.shape).filter((key) => key !== 'defaultServer');
  // A later version may mean something by it.
  const isMigrated = versionOf(file) === fileVersion;
  for (const key of Object.keys(file)) {
    if (Object.hasOwn(topSchema.shape, key) && !(key === 'defaultServer' && isMigrated)) continue;
    const [meant] = nearest(key, known);
    if (meant !== undefined) addMistake(findings, [key], 'unknown key', `did you mean ${meant}?`);
  }
  const own = Object.keys(ownServers(file));
  const names = new Set([...own, ...Object.keys(builtIns(surroundings))]);
  for (const [index, name] of (namesIn(file['defaultServers']) ?? []).entries()) {
    if (names.has(name)) continue;
    const [meant] = nearest(name, own);
    const remedy = meant === undefined ? 'remove it, or add the server' : `did you mean ${meant}?`;
    addMistake(findings, ['defaultServers', index], 'no server has this name', remedy);
  }
  return findings.mistakes;
}
const namesIn = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : undefined;
/** `servers` is accepted too, as in files of VS Code. */
export const mapKeyOf = (file: Fields): 'servers' | 'mcpServers' =>
  !Object.hasOwn(file, 'mcpServers') && isObject(file['servers']) ? 'servers' : 'mcpServers';
/** Without built-in ones. An array is ignored, because its items have no names to edit. */
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

/** Adds built-in servers unless the file has or has removed them. */
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
    // Takes all enabled servers when the list is absent; names of unknown servers are dropped.
    defaultServers: wanted ? [...new Set(wanted)].filter((name) => isNamed(servers, name)) : names,
    mcpEnabled: file['mcpEnabled'] !== false,
  };
}
const isNamed = (servers: readonly (readonly [string, unknown])[], name: string): boolean =>
  servers.some(([other]) => other === name);

/** Any file of docs/config.md, without the settings that only a presenter uses. */
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
    // `mcpEnabled: false` takes precedence over the settings of each server.
    ...((!mcpEnabled || isOff(entry)) && { disabled: true }),
    ...(isObject(a2c) || a2c === undefined || a2c === null
      ? { a2c: isDefault ? own : { ...own, autoConnect: false } }
      : { a2c }),
  };
}

/** 0 in files written by hand, by another client, or before versions existed. */
/** A file is not written just for its version, and a migrated file is not migrated again. */
export function migrationsOf(file: Fields): readonly Edit[] {
  if (versionOf(file) >= fileVersion) return [];
  const edits = [...oneDefault(file), ...filesystem(file)];
  return edits.length === 0 ? [] : [...edits, { path: ['a2c', 'version'], value: fileVersion }];
}
/** Migrates the single default server of DeepChat up to 0.0.12. */
function oneDefault(file: Fields): readonly Edit[] {
  if (!Object.hasOwn(file, 'defaultServer')) return [];
  const { defaultServer: one } = file;
  const isNeeded = typeof one === 'string' && one !== '' && !Array.isArray(file['defaultServers']);
  return [
    { path: ['defaultServer'], remove: true },
    ...(isNeeded ? [{ path: ['defaultServers'], value: [one] }] : []),
  ];
}
/** DeepChat up to 0.0.12: each folder of `filesystem` gets a server, as a documents server has only one. */
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

/**
 * One server in the file, with the settings of DeepChat or of another client
 * (docs/config.md).
 */
export interface MCPServerConfig {
  /** Executable of a `stdio` server. */
  readonly command?: string;
  /** Arguments of the executable. */
  readonly args?: readonly string[];
  /** Environment variables added to those of every child process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Transport; `stdio` by default for a server with a command, `http` for one with a URL. */
  readonly type?: 'stdio' | 'sse' | 'http' | 'inmemory' | (string & {});
  /** URL of an `sse` or `http` server. */
  readonly baseUrl?: string;
  /** HTTP headers of each request to the server. */
  readonly customHeaders?: Readonly<Record<string, string>>;
  /** Tools that run without asking: `all`, `read`, `write`, or names of tools. */
  readonly autoApprove?: readonly string[];
  /** Icon of the server on a screen: an emoji or a URL. */
  readonly icons?: string;
  /** Description of the server on a screen, in one sentence. */
  readonly descriptions?: string;
  /** True for a disabled server, which does not run and cannot be started. */
  readonly disable?: boolean;
  readonly [key: string]: unknown;
}
export interface Surroundings {
  readonly home: string;
  readonly documents: (folder: string) => { readonly command: string; readonly args: readonly string[] };
}
const files = 'buildInFileSystem';

/** Present until the user removes them; both are disabled at first. */
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
/** Also of a server that a migration made from `buildInFileSystem` (`buildInFileSystem-2`). */
const documentsFolderOf = (name: string, { type, args }: MCPServerConfig): string | undefined => {
  const folder: unknown = Array.isArray(args) && args.length === 1 ? args[0] : undefined;
  const isOne = type === 'inmemory' && /^buildInFileSystem(?:-\d+)?$/.test(name);
  return isOne && typeof folder === 'string' && folder !== '' ? folder : undefined;
};
/** The first one has the plain name. */
const documentsNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => (index === 0 ? files : `${files}-${index + 1}`));

type Edits = readonly Edit[];

/** One edit for each setting, so that the text around them stays as people wrote it. */
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
/** A built-in server is recorded as removed. */
export const removal = (file: Fields, name: string, surroundings: Surroundings): Edits => [
  { path: [mapKeyOf(file), name], remove: true },
  { path: ['defaultServers'], drop: name },
  ...(Object.hasOwn(builtIns(surroundings), name)
    ? [{ path: ['a2c', 'removedBuiltIns'], add: name } as const]
    : []),
];
/** Only this name, because another process may change others. */
export function defaults(file: Fields, name: string, next: readonly string[]): Edits {
  const path = ['defaultServers'];
  if (!Array.isArray(file['defaultServers'])) return [{ path, value: next }];
  return [next.includes(name) ? { path, add: name } : { path, drop: name }];
}
export const reset = (file: Fields, surroundings: Surroundings): Edits => [
  ...Object.keys(builtIns(surroundings)).flatMap((name): Edits => [
    { path: [mapKeyOf(file), name], remove: true },
    { path: ['defaultServers'], drop: name },
  ]),
  { path: ['a2c', 'removedBuiltIns'], remove: true },
];
