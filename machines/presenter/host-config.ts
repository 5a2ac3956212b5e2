import { builtIns, documentsFolderOf, type MCPServerConfig, type Surroundings } from './built-ins.ts';
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
export const removedBuiltIns = (file: Fields): readonly string[] => {
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
