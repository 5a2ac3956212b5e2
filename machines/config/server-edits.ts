import type { Failure } from '../protocol/failure.ts';
import { isObject } from '../protocol/json.ts';
import { nearest } from '../text.ts';
import { switches } from './app.ts';
import { appOfConfig } from './apps.ts';
import { readJson, edited as textWith, type Edit } from './json-text.ts';
import { mistakeLine, type Mistake, type Path } from './mistake.ts';
import { parseConfig } from './parse.ts';

/** One change of the text of a config. An entry is written as in `mcpServers`; a list gets it in the protocol's shape. */
export type ConfigChange =
  | { readonly what: 'add'; readonly name: string; readonly entry: object; readonly isReplacing: boolean }
  | {
      readonly what: 'import';
      readonly servers: readonly { readonly name: string; readonly entry: object }[];
      readonly inputs: readonly object[];
    }
  | { readonly what: 'remove'; readonly name: string }
  | { readonly what: 'enable' | 'disable'; readonly name: string };
/** `isSame`: the text said so already. */
type EditedConfig =
  | { readonly ok: true; readonly text: string; readonly isSame: boolean }
  | { readonly ok: false; readonly failure: Failure };

/** Where the servers of a file stand, and how. */
interface Servers {
  readonly at: Path;
  readonly form: 'map' | 'list';
  /** The key or the number of each, by its name. */
  readonly places: ReadonlyMap<string, string | number>;
  readonly value: unknown;
}
const emptyText = '{\n  "mcpServers": {}\n}\n';

const failed = (code: Failure['code'], message: string, remedy?: string): EditedConfig => ({
  ok: false,
  failure: { code, message, ...(remedy !== undefined && { remedy }) },
});

/**
 * The text with one server added, removed, enabled or disabled; everything else stays as it is, comments too. An empty text
 * becomes a file with `mcpServers`. A text that has mistakes, or would have some afterwards, is not changed.
 */
export function editConfig(text: string, change: ConfigChange): EditedConfig {
  const before = text.trim() === '' ? emptyText : text;
  const was = readWhole(before);
  if (!was.ok)
    return foreign(before) ?? failed('ConfigInvalid', was.why, 'Mend the file first; nothing was changed.');
  const servers = serversIn(before);
  if (!servers)
    return failed(
      'ConfigInvalid',
      'the file is one server, not a list of servers',
      'Write it as {"mcpServers": {…}}.',
    );
  const edited =
    change.what === 'add'
      ? added(before, servers, change)
      : change.what === 'import'
        ? imported(before, servers, change)
        : changed(before, servers, change);
  if (!edited.ok) return edited;
  const is = readWhole(edited.text);
  // A server that was wrong before may stay so: it is left out of what runs, and the change is of another one.
  const wrong = is.ok ? is.wrong.filter((line) => !was.wrong.includes(line)) : [is.why];
  return wrong.length === 0 ? edited : failed('ConfigInvalid', wrong.join('\n'), 'Nothing was changed.');
}
/** A file that is read in the words of another application, and changed by nobody here. */
function foreign(text: string): EditedConfig | undefined {
  const read = readJson(text);
  const app = read.ok ? appOfConfig(read.value, '') : undefined;
  if (!app) return undefined;
  const how = `in the words of ${app.title}: a2c reads it, and does not change it`;
  const remedy = 'Change it by hand, or take its servers over with a2c import FILE and change those.';
  return failed('ConfigInvalid', `the servers of this file are written ${how}`, remedy);
}
type Whole =
  | { readonly ok: true; readonly wrong: readonly string[] }
  | { readonly ok: false; readonly wrong: readonly string[]; readonly why: string };
/** Lines about servers that are wrong, or why the file as a whole cannot be changed. */
function readWhole(text: string): Whole {
  const read = readJson(text);
  const line = (mistake: Mistake): string => mistakeLine(mistake);
  if (!read.ok) return { ok: false, wrong: [], why: line(read.mistake) };
  // Which of the two a change would meet nobody can say.
  if (read.duplicates.length > 0) return { ok: false, wrong: [], why: read.duplicates.map(line).join('\n') };
  // A list of its own, so that a file with nothing but wrong servers is none of mistakes.
  const parsed = parseConfig(read.value, { isLenient: true, mayBeEmpty: true });
  if (!parsed.ok) return { ok: false, wrong: [], why: parsed.mistakes.map(line).join('\n') };
  return { ok: true, wrong: (parsed.config.leftOut ?? []).flatMap(({ mistakes }) => mistakes.map(line)) };
}

function serversIn(text: string): Servers | undefined {
  const read = readJson(text);
  if (!read.ok) return undefined;
  const { value } = read;
  if (Array.isArray(value)) return listAt([], value);
  if (!isObject(value)) return undefined;
  for (const at of [['mcpServers'], ['servers'], ['mcp', 'mcpServers'], ['mcp', 'servers']]) {
    const held = at.reduce<unknown>((outer, key) => (isObject(outer) ? outer[key] : undefined), value);
    if (Array.isArray(held)) return listAt(at, held);
    if (isObject(held))
      return { at, form: 'map', value: held, places: new Map(Object.keys(held).map((key) => [key, key])) };
  }
  return undefined;
}
const listAt = (at: Path, list: readonly unknown[]): Servers => ({
  at,
  form: 'list',
  value: list,
  places: new Map(list.flatMap((each, n) => (isObject(each) ? [[String(each['name']), n] as const] : []))),
});

function added(
  text: string,
  servers: Servers,
  { name, entry, isReplacing }: Extract<ConfigChange, { what: 'add' }>,
): EditedConfig {
  const place = servers.places.get(name);
  if (place !== undefined && !isReplacing)
    return failed(
      409,
      `there is a server '${name}' already`,
      'Give it another name, or replace it with --force.',
    );
  // Judged by itself first, so that a mistake in it is not told as one of the file.
  const parsed = parseConfig({ mcpServers: { [name]: entry } });
  if (!parsed.ok)
    return failed('ConfigInvalid', parsed.mistakes.map((mistake) => mistakeLine(mistake)).join('\n'));
  const [server] = parsed.config.servers;
  const value = servers.form === 'map' ? entry : { ...server?.raw, ...settingsIn(entry) };
  if (place !== undefined) return edit(text, { path: [...servers.at, place], value });
  if (servers.form === 'map') return edit(text, { path: [...servers.at, name], value });
  return edit(text, { path: servers.at, add: value });
}

/** What a server in the protocol's shape has beside it. */
const settingsIn = (entry: object): object =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => ['a2c', 'autoApprove', 'oauth'].includes(key)));

/** Several servers at once, each with a name of its own, and the inputs that they need. */
function imported(
  text: string,
  servers: Servers,
  { servers: more, inputs }: Extract<ConfigChange, { what: 'import' }>,
): EditedConfig {
  let now = text;
  for (const { name, entry } of more) {
    const made = added(now, serversIn(now) ?? servers, { what: 'add', name, entry, isReplacing: false });
    if (!made.ok) return made;
    now = made.text;
  }
  if (inputs.length > 0 && servers.at.length === 0)
    return failed(
      'ConfigInvalid',
      'the file is a list of servers, which has no place for inputs',
      'Write it as {"servers": […], "inputs": []}.',
    );
  const at = [...servers.at.slice(0, -1), 'inputs'];
  for (const input of inputs) {
    const made = edit(now, { path: at, add: input });
    if (!made.ok) return made;
    now = made.text;
  }
  return { ok: true, text: now, isSame: now === text };
}

function changed(
  text: string,
  servers: Servers,
  { what, name }: Extract<ConfigChange, { what: 'remove' | 'enable' | 'disable' }>,
): EditedConfig {
  const place = servers.places.get(name);
  if (place === undefined) {
    const close = nearest(name, servers.places.keys());
    return failed(
      404,
      `there is no server '${name}'`,
      close.length > 0 ? `Did you mean ${close.join(', ')}?` : 'List them: a2c list',
    );
  }
  const at = [...servers.at, place];
  if (what === 'remove') return edit(text, { path: at, remove: true });
  const entry = (servers.value as Readonly<Record<string | number, object>>)[place] ?? {};
  // Whatever word another client has for it is changed where it stands.
  const opposite = 'enabled' in entry || 'isActive' in entry;
  const key = [...switches].find((each) => each in entry) ?? 'disabled';
  const isOff = what === 'disable';
  const path = [...at, key];
  if (key === 'disabled' && !isOff) return edit(text, { path, remove: true });
  return edit(text, { path, value: opposite ? !isOff : isOff });
}

function edit(text: string, one: Edit): EditedConfig {
  const made = textWith(text, [one]);
  if (!made.ok)
    return failed('ConfigInvalid', made.mistakes.map((mistake) => mistakeLine(mistake)).join('\n'));
  return { ok: true, text: made.text, isSame: made.text === text };
}
