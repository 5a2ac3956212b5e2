/** Description of an application whose servers can be imported: how its files are written and read. */
import type { Path } from '../config/mistake.ts';
import type { AppServer, AppServers } from '../config/parse.ts';
import { fieldsOf, isObject, type Fields } from '../protocol/json.ts';

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
export interface AppFormat {
  readonly at: string;
  readonly isList?: true;
  readonly around?: Fields;
  /** Null: no type is written; an absent type is not supported. */
  readonly types: Partial<Readonly<Record<Kind, string | null>>>;
  /** Key or writer of each property; an absent property is not supported. */
  readonly keys: Partial<Readonly<Record<ServerProperty, string | ((value: unknown, kind: Kind) => Fields)>>>;
  readonly finish?: (entry: Fields, name: string) => Fields;
  /** `${env:NAME}` by default. */
  readonly variable?: (name: string) => string;
  readonly hasNoVariables?: true;
  readonly hasInputs?: true;
}
export const seconds = (value: unknown): number => Number(value) / 1000;
export const common = {
  command: 'command',
  args: 'args',
  env: 'env',
  url: 'url',
  headers: 'headers',
} as const;
export const entriesIn = (value: unknown): readonly (readonly [string, unknown])[] =>
  Object.entries(fieldsOf(value));
export const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

interface Part {
  readonly put?: Fields;
  readonly timeouts?: Fields;
  readonly changed?: string;
  readonly left?: string;
  readonly why?: string;
}
export type Rule = (value: unknown, entry: Fields) => Part;
/** A key without a rule is kept and validated like a key of our own config (docs/config.md). */
export type Rules = Readonly<Record<string, Rule>>;

/** The key matters only for display or for its own application. */
export const dropped: Rule = () => ({});
export const leftOut =
  (why: string): Rule =>
  (_, __) => ({ left: why });
export const renamed =
  (key: string): Rule =>
  (value) => ({ put: Object.fromEntries([[key, value]]) });
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
export const translatedEntries = (held: unknown, at: Path, rules: Rules): readonly AppServer[] =>
  entriesIn(held).map(([name, entry]) => translatedEntry(name, [...at, name], entry, rules));

export interface App {
  readonly id: string;
  readonly title: string;
  /** JSON by default. */
  readonly format?: 'yaml' | 'toml';
  /** Those of a user before those of a project; `*` in the name of a folder matches any text. */
  readonly places: readonly `${Base}/${string}`[];
  readonly words: AppFormat;
  readonly rules?: Rules;
  /** The content can belong only to this application. */
  readonly isIts?: (file: Fields) => boolean;
  readonly read?: (file: Fields) => AppServers;
}
/** `SETTINGS`: settings folder of the platform; `CONFIG`: `~/.config` everywhere; `LOCALAPPDATA`: Windows only. */
export type Base = '~' | '.' | 'SETTINGS' | 'CONFIG' | 'LOCALAPPDATA';
export const hasObject = (file: Fields, key: string): boolean => isObject(file[key]);
const readMap = (file: Fields, key: string, rules: Rules = {}): AppServers => ({
  servers: translatedEntries(file[key], [key], rules),
  inputs: [],
});
/** `mcpServers` is read even where the application does not look, because people paste it there. */
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
