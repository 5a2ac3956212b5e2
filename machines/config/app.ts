/** What an application is whose servers can be imported: how it writes them, and how they are read. */
import { fieldsOf, isObject, type Fields } from '../protocol/json.ts';
import type { Path } from './mistake.ts';

// ── how an application writes servers ─────────────────────────────────────────────────────────────────
/** What can be said of a server beside its name and type. */
export type Fact =
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
/** How an application writes its servers. */
export interface Words {
  /** The key of the map, or of the list. */
  readonly at: string;
  readonly isList?: true;
  /** What stands beside it. */
  readonly around?: Fields;
  /** What each type is called; null: it is not written. One that is absent cannot be said. */
  readonly types: Partial<Readonly<Record<Kind, string | null>>>;
  /** The key of each fact, or what is written for it. A fact that is absent cannot be said. */
  readonly keys: Partial<Readonly<Record<Fact, string | ((value: unknown, kind: Kind) => Fields)>>>;
  /** What an entry has to have besides. */
  readonly finish?: (entry: Fields, name: string) => Fields;
  /** How it writes a variable of the environment. Default `${env:NAME}`. */
  readonly variable?: (name: string) => string;
  /** It fills in none. */
  readonly hasNoVariables?: true;
  /** It has our inputs. */
  readonly hasInputs?: true;
}
export const seconds = (value: unknown): number => Number(value) / 1000;
/** What most have: programs, and URLs with headers. */
export const common = {
  command: 'command',
  args: 'args',
  env: 'env',
  url: 'url',
  headers: 'headers',
} as const;
/** Names of tools; a group of ours is none. */
export const toolsAlone = (value: unknown): readonly string[] =>
  (value as readonly string[]).filter((name) => !['all', 'read', 'write'].includes(name));

// ── how its servers are read ──────────────────────────────────────────────────────────────────────────
/** A server of another application, as `mcpServers` has it; judged by nobody so far. */
export interface AppServer {
  readonly name: string;
  /** Where it stands in that file. */
  readonly at: Path;
  readonly entry: unknown;
  /** What it says otherwise than there, a sentence each. No sentence has a value of the file. */
  readonly changed: readonly string[];
  /** What of it is not taken. */
  readonly left: readonly string[];
  /** Why it is not taken at all. */
  readonly why?: string;
}
export interface AppServers {
  readonly servers: readonly AppServer[];
  /** As a config of ours has them; judged by nobody so far. */
  readonly inputs: readonly unknown[];
  /** What else of the file is not taken as it is. */
  readonly notes?: readonly string[];
}

export const entriesIn = (value: unknown): readonly (readonly [string, unknown])[] =>
  Object.entries(fieldsOf(value));
export const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

/** A value with each text in it changed, at any depth. */
export const withTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => withTexts(each, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withTexts(each, change)]));
};

/** What becomes of one key of an entry. */
interface Part {
  readonly put?: Fields;
  /** Goes to `a2c.timeouts`. */
  readonly timeouts?: Fields;
  readonly changed?: string;
  readonly left?: string;
  readonly why?: string;
}
export type Rule = (value: unknown, entry: Fields) => Part;
/** By key. Keys without a rule stay as they are, and are judged as those of any file (docs/config.md). */
export type Rules = Readonly<Record<string, Rule>>;

/** For a screen, or for its own application. */
export const dropped: Rule = () => ({});
export const leftOut =
  (why: string): Rule =>
  (_, __) => ({ left: why });
export const renamed =
  (key: string): Rule =>
  (value) => ({ put: Object.fromEntries([[key, value]]) });
/** A time of theirs in ours. */
export const timed =
  (unit: 's' | 'ms', name: 'callTotalMs' | 'connectMs' | 'listMs'): Rule =>
  (value) => {
    const ms = typeof value === 'number' ? Math.round(unit === 's' ? value * 1000 : value) : NaN;
    if (!(ms > 0 && ms <= 2 ** 31 - 1)) return { left: 'a time that is none' };
    return {
      timeouts: Object.fromEntries([[name, ms]]),
      changed: `its time is a2c.timeouts.${name}: ${ms} ms`,
    };
  };
/** One entry of an application in the words of `mcpServers`. */
export function reworded(name: string, at: Path, entry: unknown, rules: Rules): AppServer {
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
/** Objects that several keys give are put together: headers, variables, settings. */
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
/** All entries of a map of servers. */
export const mapped = (held: unknown, at: Path, rules: Rules): readonly AppServer[] =>
  entriesIn(held).map(([name, entry]) => reworded(name, [...at, name], entry, rules));

/** One application whose servers can be imported. */
export interface App {
  /** What a person types. */
  readonly id: string;
  readonly title: string;
  readonly format: 'json' | 'yaml' | 'toml';
  /** How its servers are written. */
  readonly words: Words;
  /** Whether what a file holds can be of nobody else. */
  readonly isIts: (file: Fields) => boolean;
  readonly read: (file: Fields) => AppServers;
}
export const hasObject = (file: Fields, key: string): boolean => isObject(file[key]);
/** Of an application with one map of servers. */
export const readMap =
  (key: string, rules: Rules) =>
  (file: Fields): AppServers => ({ servers: mapped(file[key], [key], rules), inputs: [] });

const readPlainMap = readMap('mcpServers', {});
/**
 * What a file of this application holds. Servers that stand under `mcpServers`, where the
 * application itself does not look, are read all the same: people paste them there.
 */
export function serversOf(app: App, value: unknown): AppServers {
  const file = fieldsOf(value);
  const own = app.read(file);
  if (entriesIn(file['mcpServers']).length === 0 || own.servers.some(({ at }) => at[0] === 'mcpServers'))
    return own;
  const isAlone = own.servers.length === 0;
  const what = isAlone ? 'it is read here' : 'it is left out, for other servers stand beside it';
  const notes = [...(own.notes ?? []), `mcpServers: ${app.title} itself does not read it; ${what}`];
  return { ...(isAlone ? readPlainMap(file) : own), notes };
}
/** The name, or the name with the first number that makes it free. */
export function freeName(name: string, taken: { has(name: string): boolean }): string {
  if (!taken.has(name)) return name;
  let n = 2;
  while (taken.has(`${name}-${n}`)) n += 1;
  return `${name}-${n}`;
}
/** An entry that is switched off, whatever word it had for that. */
export const switchedOff = (entry: unknown): Fields => {
  const others = Object.entries(fieldsOf(entry)).filter(([key]) => !switches.has(key));
  return { ...Object.fromEntries(others), disabled: true };
};
/** Words that say whether a server is on. */
export const switches: ReadonlySet<string> = new Set(['disabled', 'disable', 'enabled', 'isActive']);
