/** Description of an application whose servers can be imported: how its files are written and read. */
import { fieldsOf, isObject, type Fields } from '../protocol/json.ts';
import type { Path } from './mistake.ts';

// ── how an application writes servers ─────────────────────────────────────────────────────────────────
/** Property of a server that a config can state besides name and type. */
export type ServerProperty =
  | 'command'
  | 'args'
  | 'env'
  | 'cwd'
  | 'envFile'
  | 'url'
  | 'headers'
  | 'oauth'
  | 'off'
  | 'tools'
  | 'forbidden'
  | 'approved'
  | 'timeoutMs';
type Kind = 'stdio' | 'sse' | 'streamable';
/** Format in which an application writes its servers in a config file. */
export interface AppFormat {
  /** Key of the map or list of servers in the file. */
  readonly at: string;
  readonly isList?: true;
  /** Fields written beside the map or list of servers. */
  readonly around?: Fields;
  /**
   * Name of each server type in the file; null: no type is written. A type that is absent is not supported.
   */
  readonly types: Partial<Readonly<Record<Kind, string | null>>>;
  /**
   * Key under which each property of a server is written, or a function that writes it. A property that is
   * absent is not supported.
   */
  readonly keys: Partial<Readonly<Record<ServerProperty, string | ((value: unknown, kind: Kind) => Fields)>>>;
  /** Adds further required fields to a finished entry. */
  readonly finish?: (entry: Fields, name: string) => Fields;
  /** Spelling of an environment variable; `${env:NAME}` by default. */
  readonly variable?: (name: string) => string;
  /** True for an application that fills in no variables. */
  readonly hasNoVariables?: true;
  /** True for an application whose files may contain `${input:id}` and definitions of inputs, as our config does. */
  readonly hasInputs?: true;
}
export const seconds = (value: unknown): number => Number(value) / 1000;
/** Keys that most applications share, for programs and for URLs with headers. */
export const common = {
  command: 'command',
  args: 'args',
  env: 'env',
  url: 'url',
  headers: 'headers',
} as const;
/** Names in `autoApprove` that stand for several tools. */
export const approvalGroups: readonly string[] = ['all', 'read', 'write'];
/** Returns names of tools without our group names such as `all`. */
export const toolsAlone = (value: unknown): readonly string[] =>
  (value as readonly string[]).filter((name) => !approvalGroups.includes(name));

// ── servers read from the file of an application ──────────────────────────────────────────────────────
/** Server of another application as an entry of `mcpServers`, not yet validated. */
export interface AppServer {
  readonly name: string;
  /** Position of the entry in the original file. */
  readonly at: Path;
  readonly entry: unknown;
  /** Differences from the original entry, one sentence each, without values of the file. */
  readonly changed: readonly string[];
  /** Parts of the entry that are not imported. */
  readonly left: readonly string[];
  /** Reason why the server is not imported at all. */
  readonly why?: string;
}
export interface AppServers {
  readonly servers: readonly AppServer[];
  /** Inputs in the form of our own config, not yet validated. */
  readonly inputs: readonly unknown[];
  /** Parts of the file outside of its servers that are changed or left out by the import, one sentence each. */
  readonly notes?: readonly string[];
}

export const entriesIn = (value: unknown): readonly (readonly [string, unknown])[] =>
  Object.entries(fieldsOf(value));
export const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

/** Returns a copy of a value with `change` applied to every string in it, at any depth. */
export const withTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => withTexts(each, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withTexts(each, change)]));
};

/** Translation of one key of a server in an application's file into the keys of our config. */
interface Part {
  readonly put?: Fields;
  /** Time limits to add to `a2c.timeouts`. */
  readonly timeouts?: Fields;
  readonly changed?: string;
  readonly left?: string;
  readonly why?: string;
}
export type Rule = (value: unknown, entry: Fields) => Part;
/** Rules by key. A key without a rule is kept and validated like a key of our own config (docs/config.md). */
export type Rules = Readonly<Record<string, Rule>>;

/** Rule that drops a key silently, because the key matters only for display or for its own application. */
export const dropped: Rule = () => ({});
export const leftOut =
  (why: string): Rule =>
  (_, __) => ({ left: why });
export const renamed =
  (key: string): Rule =>
  (value) => ({ put: Object.fromEntries([[key, value]]) });
/** Translates a time of another application into one of our time limits. */
export const timeLimitRule =
  (unit: 's' | 'ms', name: 'callTotalMs' | 'connectMs' | 'listMs'): Rule =>
  (value) => {
    const ms = typeof value === 'number' ? Math.round(unit === 's' ? value * 1000 : value) : NaN;
    if (!(ms > 0 && ms <= 2 ** 31 - 1)) return { left: 'a time that is none' };
    return {
      timeouts: Object.fromEntries([[name, ms]]),
      changed: `its time is a2c.timeouts.${name}: ${ms} ms`,
    };
  };
/** Translates one entry of an application into the form of `mcpServers`. */
export function translatedEntry(name: string, at: Path, entry: unknown, rules: Rules): AppServer {
  if (!isObject(entry)) return { name, at, entry, changed: [], left: [] };
  const parts = Object.entries(entry).map(([key, value]): readonly [string, Part] => [
    key,
    Object.hasOwn(rules, key)
      ? (rules[key]?.(value, entry) ?? {})
      : { put: Object.fromEntries([[key, value]]) },
  ]);
  const told = (which: 'changed' | 'left'): readonly string[] =>
    parts.flatMap(([key, part]) => (part[which] === undefined ? [] : [`${key}: ${part[which]}`]));
  const puts = parts.flatMap(([, { put }]) => Object.entries(put ?? {}));
  const times = parts.flatMap(([, { timeouts }]) => Object.entries(timeouts ?? {}));
  const made: Fields = Object.fromEntries(mergedEntries(puts));
  const a2c = fieldsOf(made['a2c']);
  const settings =
    times.length > 0
      ? { a2c: { ...a2c, timeouts: { ...Object.fromEntries(times), ...fieldsOf(a2c['timeouts']) } } }
      : {};
  const why = parts.find(([, part]) => part.why !== undefined)?.[1].why;
  return {
    name,
    at,
    entry: { ...made, ...settings },
    changed: told('changed'),
    left: told('left'),
    ...(why !== undefined && { why }),
  };
}
/** Merges objects that several keys produce, such as headers, variables and settings. */
function mergedEntries(
  entries: readonly (readonly [string, unknown])[],
): readonly (readonly [string, unknown])[] {
  const made = new Map<string, unknown>();
  for (const [key, value] of entries) {
    const before = made.get(key);
    made.set(key, isObject(before) && isObject(value) ? { ...before, ...value } : value);
  }
  return [...made];
}
/** Translates all entries of a map of servers. */
export const translatedEntries = (held: unknown, at: Path, rules: Rules): readonly AppServer[] =>
  entriesIn(held).map(([name, entry]) => translatedEntry(name, [...at, name], entry, rules));

/** Application whose servers can be imported. */
export interface App {
  /** Id that a person types on the command line. */
  readonly id: string;
  readonly title: string;
  /** Format of its files; JSON by default. */
  readonly format?: 'yaml' | 'toml';
  /** Its config files, those of a user before those of a project. A `*` in the name of a folder matches any text. */
  readonly places: readonly `${Base}/${string}`[];
  /** Format in which the application writes its servers. */
  readonly words: AppFormat;
  /** What becomes of the keys of a server, where the file has one map of servers. */
  readonly rules?: Rules;
  /** Tells whether the content of a file can belong only to this application. */
  readonly isIts?: (file: Fields) => boolean;
  /** Reads a file that has more than one map of servers. */
  readonly read?: (file: Fields) => AppServers;
}
/**
 * Folder where a path begins: the home folder, the current one, the platform's settings folder (`~/Library/Application Support`,
 * `%APPDATA%` or `~/.config`), `~/.config` on all platforms, or, on Windows alone, `%LOCALAPPDATA%`.
 */
export type Base = '~' | '.' | 'SETTINGS' | 'CONFIG' | 'LOCALAPPDATA';
export const hasObject = (file: Fields, key: string): boolean => isObject(file[key]);
const readMap = (file: Fields, key: string, rules: Rules = {}): AppServers => ({
  servers: translatedEntries(file[key], [key], rules),
  inputs: [],
});
/**
 * Reads the servers of an application's file. Servers under `mcpServers`, where the application itself does
 * not look, are read too, because people paste them there.
 */
export function serversOf(app: App, value: unknown): AppServers {
  const file = fieldsOf(value);
  const own = app.read?.(file) ?? readMap(file, app.words.at, app.rules);
  if (entriesIn(file['mcpServers']).length === 0 || own.servers.some(({ at }) => at[0] === 'mcpServers'))
    return own;
  const isAlone = own.servers.length === 0;
  const what = isAlone ? 'it is read here' : 'it is left out, for other servers stand beside it';
  const notes = [...(own.notes ?? []), `mcpServers: ${app.title} itself does not read it; ${what}`];
  return { ...(isAlone ? readMap(file, 'mcpServers') : own), notes };
}
/** Returns the name, with the lowest free number added if the name is taken. */
export function freeName(name: string, taken: { has(name: string): boolean }): string {
  if (!taken.has(name)) return name;
  let n = 2;
  while (taken.has(`${name}-${n}`)) n += 1;
  return `${name}-${n}`;
}
/** Returns a disabled copy of an entry, without other keys that enable or disable it. */
export const switchedOff = (entry: unknown): Fields => {
  const others = Object.entries(fieldsOf(entry)).filter(([key]) => !switches.has(key));
  return { ...Object.fromEntries(others), disabled: true };
};
/** Keys that enable or disable a server. */
export const switches: ReadonlySet<string> = new Set(['disabled', 'disable', 'enabled', 'isActive']);
