/** Changes of servers in the text of a config file, which keeps its comments. */
import type { Failure } from '../protocol/failure.ts';
import { isObject } from '../protocol/json.ts';
import { nearest } from '../text.ts';
import { switches } from '../config/parse.ts';
import { appOfConfig } from './apps.ts';
import { edited as textWith, type Edit } from '../config/json-edits.ts';
import { readJson } from '../config/json-text.ts';
import { mistakeLine, type Mistake, type Path } from '../config/mistake.ts';
import { parseConfig } from '../config/parse.ts';
import { placeholdersIn } from '../config/placeholders.ts';

/** An entry has the form of `mcpServers`; in a list it is written in the shape of the protocol. */
export type ConfigChange =
  | { readonly what: 'add'; readonly name: string; readonly entry: object; readonly isReplacing: boolean }
  | {
      readonly what: 'import';
      readonly servers: readonly { readonly name: string; readonly entry: object }[];
      readonly inputs: readonly object[];
    }
  | { readonly what: 'remove'; readonly name: string }
  | { readonly what: 'enable' | 'disable'; readonly name: string };
/** `isSame`: the text already had this content. */
type EditedConfig =
  | { readonly ok: true; readonly text: string; readonly isSame: boolean }
  | { readonly ok: false; readonly failure: Failure };

interface Servers {
  readonly at: Path;
  readonly form: 'map' | 'list';
  readonly places: ReadonlyMap<string, string | number>;
  readonly value: unknown;
}
const emptyText = '{\n  "mcpServers": {}\n}\n';

const failed = (code: Failure['code'], message: string, remedy?: string): EditedConfig => ({
  ok: false,
  failure: { code, message, ...(remedy !== undefined && { remedy }) },
});

/** Comments and all else stay. A text that has errors, or would have some afterwards, is not changed. */
export function editConfig(text: string, change: ConfigChange): EditedConfig {
  const before = text.trim() === '' ? emptyText : text;
  const was = readWhole(before);
  if (!was.ok)
    return foreign(before) ?? failed('ConfigInvalid', was.why, 'Fix the file first; nothing was changed.');
  const servers = serversIn(before);
  if (!servers)
    return failed(
      'ConfigInvalid',
      'the file is one server, not a list of servers',
      'Write it as {"mcpServers": {…}}.',
    );
  const edited =
    change.what === 'add'
      ? withInputs(added(before, servers, change), servers, newInputs(before, servers, change.entry))
      : change.what === 'import'
        ? imported(before, servers, change)
        : changed(before, servers, change);
  if (!edited.ok) return edited;
  const is = readWhole(edited.text);
  // Servers that were invalid before are left out, and the change concerns another one.
  const wrong = is.ok ? is.wrong.filter((line) => !was.wrong.includes(line)) : [is.why];
  return wrong.length === 0 ? edited : failed('ConfigInvalid', wrong.join('\n'), 'Nothing was changed.');
}
/** Files in the format of another application can only be read. */
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
function readWhole(text: string): Whole {
  const read = readJson(text);
  const line = (mistake: Mistake): string => mistakeLine(mistake);
  if (!read.ok) return { ok: false, wrong: [], why: line(read.mistake) };
  // It is unclear which of the two a change would affect.
  if (read.duplicates.length > 0) return { ok: false, wrong: [], why: read.duplicates.map(line).join('\n') };
  // A file with only invalid servers can still be changed.
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
  // Alone first, so that its errors are not reported as errors of the file.
  const parsed = parseConfig({ mcpServers: { [name]: entry } });
  if (!parsed.ok)
    return failed('ConfigInvalid', parsed.mistakes.map((mistake) => mistakeLine(mistake)).join('\n'));
  const [server] = parsed.config.servers;
  const value = servers.form === 'map' ? entry : { ...server?.raw, ...settingsIn(entry) };
  if (place !== undefined) return edit(text, { path: [...servers.at, place], value });
  if (servers.form === 'map') return edit(text, { path: [...servers.at, name], value });
  return edit(text, { path: servers.at, add: value });
}

/** The shape of the protocol lacks them, so they are written beside it. */
const settingsIn = (entry: object): object =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => ['a2c', 'autoApprove', 'oauth'].includes(key)));

function imported(
  text: string,
  servers: Servers,
  { servers: more, inputs }: Extract<ConfigChange, { what: 'import' }>,
): EditedConfig {
  let now = text;
  if (inputs.length > 0 && servers.at.length === 0)
    return failed(
      'ConfigInvalid',
      'the file is a list of servers, which has no place for inputs',
      'Write it as {"servers": […], "inputs": []}.',
    );
  for (const { name, entry } of more) {
    const made = added(now, serversIn(now) ?? servers, { what: 'add', name, entry, isReplacing: false });
    if (!made.ok) return made;
    now = made.text;
  }
  return withInputs({ ok: true, text: now, isSame: now === text }, servers, inputs);
}
const inputsAt = ({ at }: Servers): Path => [...at.slice(0, -1), 'inputs'];
function withInputs(edited: EditedConfig, servers: Servers, inputs: readonly object[]): EditedConfig {
  if (!edited.ok) return edited;
  let { text } = edited;
  for (const input of inputs) {
    const made = edit(text, { path: inputsAt(servers), add: input });
    if (!made.ok) return made;
    text = made.text;
  }
  return { ...edited, text, isSame: edited.isSame && inputs.length === 0 };
}
/** As passwords, because most are keys; none for a list, which has no place for them. */
function newInputs(text: string, servers: Servers, entry: object): readonly object[] {
  if (servers.at.length === 0) return [];
  const read = readJson(text);
  const held = inputsAt(servers).reduce<unknown>(
    (outer, key) => (isObject(outer) ? outer[key] : undefined),
    read.ok ? read.value : undefined,
  );
  const known = Array.isArray(held) ? held.map((input) => isObject(input) && input['id']) : [];
  return [...new Set(placeholdersIn(entry))]
    .filter((id) => !known.includes(id))
    .map((id) => ({ type: 'promptString', id, description: id, password: true }));
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
  // Another client's key, such as `enabled`, is changed when the entry has it.
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
