/** Conversion of servers written for other clients into the shape of the protocol. */
import { isObject, type Fields } from '../protocol/json.ts';
import { nearest } from '../text.ts';
import { addMistake, addTwice, addWarning, nounOf, pathText, type Path, type Findings } from './mistake.ts';
import { oauthSchema, guessedType, isOwnType, kindOf, type ServerKind } from './schemas.ts';
type Treatment =
  | 'same'
  | 'opposite'
  /** Tools that run without asking; group names are not allowed. */
  | 'approve'
  /** The only tools to offer; `*` in the list means all. */
  | 'allow'
  | 'kind'
  /** Parts that only another client uses are dropped. */
  | 'login'
  /** Serves only for display: dropped silently. */
  | 'shown'
  /** Known, but not supported in this version: gives a warning. */
  | 'unsupported';
export interface ForeignKey {
  readonly key: string;
  readonly does: Treatment;
  /** Errors name the first key of `foreignKeys` that has this path. */
  readonly to?: Path;
  /** For other kinds a value that is not empty gives a warning. */
  readonly kinds?: readonly ServerKind[];
}

const launchedKinds = ['stdio', 'inmemory'] as const;
const remoteKinds = ['sse', 'streamable'] as const;

const rowsOf = (
  does: Treatment,
  to: Path | undefined,
  kinds: readonly ServerKind[] | undefined,
  ...keys: readonly string[]
): readonly ForeignKey[] => keys.map((key) => ({ key, does, ...(to && { to }), ...(kinds && { kinds }) }));
const ofParameter = (name: string, kinds: readonly ServerKind[], ...keys: readonly string[]) =>
  rowsOf('same', ['server_parameters', name], kinds, ...keys);

/** Keys of Claude Desktop, Cursor, VS Code, Cline, Gemini CLI and DeepChat, told of in docs/config-of-others.md. */
export const foreignKeys: readonly ForeignKey[] = [
  ...rowsOf('same', ['type'], undefined, 'type'),
  ...rowsOf('kind', ['type'], undefined, 'transport', 'transportType'),
  ...ofParameter('command', ['stdio'], 'command'),
  ...ofParameter('args', launchedKinds, 'args'),
  ...ofParameter('env', launchedKinds, 'env', 'environment'),
  ...rowsOf('same', ['envFile'], ['stdio'], 'envFile', 'env_file'),
  ...ofParameter('cwd', ['stdio'], 'cwd'),
  ...ofParameter('encoding', ['stdio'], 'encoding'),
  ...ofParameter('encoding_error_handler', ['stdio'], 'encoding_error_handler'),
  ...ofParameter('url', remoteKinds, 'url', 'baseUrl', 'serverUrl', 'httpUrl'),
  ...ofParameter('headers', remoteKinds, 'headers', 'customHeaders', 'requestInit'),
  ...rowsOf('same', ['disabled'], undefined, 'disabled', 'disable'),
  ...rowsOf('opposite', ['disabled'], undefined, 'enabled', 'isActive'),
  ...rowsOf('same', ['forbidden_tools'], undefined, 'disabledTools', 'excludeTools', 'forbidden_tools'),
  ...[
    'name',
    'bundle_id',
    'auto_approve',
    'autoApprove',
    'tool_meta',
    'default_tool_meta',
    'vrl',
    'a2c',
  ].flatMap((key) => rowsOf('same', [key], undefined, key)),
  ...rowsOf('approve', undefined, undefined, 'alwaysAllow'),
  ...rowsOf('login', ['oauth'], remoteKinds, 'oauth'),
  ...rowsOf('same', ['ca'], remoteKinds, 'ca'),
  ...rowsOf('shown', undefined, undefined, 'description', 'descriptions', 'icon', 'icons', 'title'),
  ...rowsOf('unsupported', undefined, undefined, 'timeout', 'headersHelper'),
  ...rowsOf(
    'allow',
    ['a2c', 'tools'],
    undefined,
    'includeTools',
    'tools',
    'available_tools',
    'enabled_tools',
  ),
];
const unsupported: Readonly<Record<string, string>> = {
  timeout: 'its unit differs between applications; write `a2c.timeouts`',
  headersHelper:
    'Claude Code; its login is missing: no command is run for headers, write them into `headers`',
};
interface FlatEntry {
  readonly entry: Fields;
  readonly deeper: ReadonlyMap<string, string>;
  readonly twice: readonly string[];
}
const isText = (value: unknown): value is string => typeof value === 'string';

/** `transport` may contain the properties, `requestInit` the headers, `command` the arguments. */
export function flatEntry(given: Fields): FlatEntry {
  const { transport, ...beside } = given;
  const held = isObject(transport) ? transport : {};
  const deeper = new Map(Object.keys(held).map((key) => [key, 'transport']));
  const twice = Object.keys(held).filter(
    (key) => Object.hasOwn(beside, key) && JSON.stringify(beside[key]) !== JSON.stringify(held[key]),
  );
  // A key may be `__proto__`.
  const entry = isObject(transport)
    ? Object.fromEntries([...Object.entries(held), ...Object.entries(beside)])
    : given;
  return { entry: withHeaders(withCommand(entry)), deeper, twice };
}
function withCommand(entry: Fields): Fields {
  const { command, args } = entry;
  if (!Array.isArray(command) || command.length === 0 || !command.every(isText)) return entry;
  const rest: unknown = args ?? [];
  if (!Array.isArray(rest)) return entry;
  const [program, ...first] = command;
  const all = [...first, ...(rest as readonly unknown[])];
  return Object.fromEntries(
    Object.entries(entry).flatMap(([key, value]): [string, unknown][] => {
      if (key === 'command')
        return [
          ['command', program],
          ['args', all],
        ];
      return key === 'args' ? [] : [[key, value]];
    }),
  );
}
function withHeaders(entry: Fields): Fields {
  const { requestInit, ...rest } = entry;
  if (!isObject(requestInit)) return entry;
  return { ...rest, ...(requestInit['headers'] !== undefined && { headers: requestInit['headers'] }) };
}
interface ForeignLogin {
  /** Absent when none of the given settings has a meaning in our config. */
  readonly oauth?: Readonly<Record<string, unknown>>;
  readonly unused: readonly string[];
}
const loginSpellings: Readonly<Record<string, string>> = {
  client_id: 'clientId',
  CLIENT_ID: 'clientId',
  client_secret: 'clientSecret',
  CLIENT_SECRET: 'clientSecret',
  scope: 'scopes',
};
const ownLoginKeys: readonly string[] = Object.keys(oauthSchema.shape);
/** A misspelling must be reported: with a misspelled `issuer` a login could go elsewhere. */
const isOurs = (key: string): boolean => ownLoginKeys.includes(key) || nearest(key, ownLoginKeys).length > 0;

export function foreignLogin(value: unknown): ForeignLogin {
  if (!isObject(value)) return { unused: [] };
  const oauth: Record<string, unknown> = {};
  const unused: string[] = [];
  for (const [key, part] of Object.entries(value)) {
    const name = Object.hasOwn(loginSpellings, key) ? String(loginSpellings[key]) : key;
    if (part === '' || part === null || key === 'enabled') continue;
    if (!isOurs(name)) unused.push(key);
    else oauth[name] = name === 'scopes' && typeof part === 'string' ? part.split(/\s+/) : part;
  }
  return { ...(Object.keys(oauth).length > 0 && { oauth }), unused };
}
const rows: ReadonlyMap<string, ForeignKey> = new Map(foreignKeys.map((row) => [row.key, row]));
const urlKeys = foreignKeys.flatMap(({ key, to }) => (to?.[1] === 'url' ? [key] : []));

type Entry = Readonly<Record<string, unknown>>;
const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);
const hasAny = (entry: Entry, keys: readonly string[]): boolean => keys.some((key) => !isEmpty(entry[key]));

/** The launch config is at the top level, as all clients write it except for the protocol. */
export const isForeign = (entry: Entry, inForeignMap: boolean): boolean =>
  !Object.hasOwn(entry, 'server_parameters') &&
  !isOwnType(entry['type']) &&
  (inForeignMap ||
    hasAny(flatEntry(entry).entry, ['command', ...urlKeys]) ||
    kindOf(entry['type']) === 'inmemory');

const kindKeys = foreignKeys.flatMap(({ key, to }) => (to?.[0] === 'type' ? [key] : []));
/** `guess` when the entry names only some remote server. */
const kindSaid = (word: unknown): ServerKind | 'guess' | undefined => {
  const known = typeof word === 'string' ? word.trim().toLowerCase() : '';
  if (known === 'remote') return 'guess';
  return known === 'local' ? 'stdio' : kindOf(word);
};
const kindOfForeign = (entry: Entry, path: Path, findings: Findings): ServerKind | 'guess' | undefined => {
  let said: { readonly key: string; readonly kind: ServerKind | 'guess' } | undefined;
  for (const key of kindKeys.filter((each) => !isEmpty(entry[each]))) {
    const kind = kindSaid(entry[key]);
    if (kind === undefined) {
      const isSocket = /^(ws|wss|websocket)$/i.test(String(entry[key]));
      const why = isSocket ? 'WebSockets are not spoken: ' : '';
      addMistake(findings, [...path, key], `${why}expected one of stdio, sse, http, inmemory`);
      return undefined;
    }
    const isSame = said === undefined || said.kind === kind || kind === 'guess' || said.kind === 'guess';
    if (!isSame || (said && [said.kind, kind].includes('stdio') && said.kind !== kind)) {
      addTwice(findings, [...path, key], said?.key ?? '');
      return undefined;
    }
    if (said === undefined || said.kind === 'guess') said = { key, kind };
  }
  if (said) return said.kind;
  const hasUrl = hasAny(entry, urlKeys);
  if (hasUrl && hasAny(entry, ['command'])) {
    addMistake(findings, path, 'has both a command and a URL', 'say which one with type');
    return undefined;
  }
  return hasUrl ? 'guess' : 'stdio';
};

interface Mapped {
  readonly entry: Entry;
  /** Path as a person wrote it, below `path`. */
  readonly originOf: (path: Path) => Path;
  readonly misspelt: ReadonlyMap<string, string>;
}

/** Without validation; undefined when its kind is unclear. */
export const mapForeign = (given: Entry, path: Path, findings: Findings): Mapped | undefined => {
  const { entry, deeper, twice } = flatEntry(given);
  for (const key of twice) addTwice(findings, [...path, key], `transport.${key}`);
  const said = kindOfForeign(entry, path, findings);
  if (said === undefined) return undefined;
  const kind = said === 'guess' ? 'streamable' : said;
  const mapped: Draft = { type: said === 'guess' ? guessedType : kind, server_parameters: {} };
  const placeOf = (key: string): Path => (deeper.has(key) ? [...path, 'transport', key] : [...path, key]);
  const origins = new Map<string, string>();
  const misspelt = new Map<string, string>();
  const approvals: string[] = [];
  const allowances: string[] = [];
  for (const [key, value] of Object.entries(entry)) {
    const row = rows.get(key);
    const here = placeOf(key);
    if (row === undefined) {
      const [meant] = nearest(key, rows.keys());
      if (meant !== undefined) misspelt.set(key, meant);
      const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
      if (meant !== undefined && isOfRights(meant))
        addMistake(findings, here, 'unknown key', `did you mean ${meant}?`);
      else addWarning(findings, here, `unknown key, ignored${hint}`);
    } else if (row.does === 'unsupported')
      addWarning(findings, here, `not supported, ignored (${unsupported[key]})`);
    else if (row.does === 'approve') approvals.push(key);
    else if (row.does === 'allow') allowances.push(key);
    else if (row.does !== 'shown' && row.to !== undefined && row.to[0] !== 'type') {
      if (row.does === 'login' && row.kinds?.includes(kind)) logIn(value, here, mapped, findings);
      else if (row.kinds === undefined || row.kinds.includes(kind))
        move({ row, value, to: row.to, here }, mapped, origins, findings);
      else if (!isEmpty(value))
        addWarning(findings, here, `means nothing to a server of type ${kind}, ignored`);
    }
  }
  for (const key of approvals) approve(entry[key], placeOf(key), mapped, findings);
  for (const key of allowances) allow(entry[key], placeOf(key), mapped, origins, findings);
  const originOf = (inner: Path): Path => {
    const [key, ...rest] = origin(inner, origins);
    return key === undefined ? path : [...placeOf(String(key)), ...rest];
  };
  return { entry: mapped, originOf, misspelt };
};

const ofRights: ReadonlySet<unknown> = new Set([
  'disabled',
  'forbidden_tools',
  'auto_approve',
  'autoApprove',
]);
/** A misspelt one is a mistake, because ignoring it changes what may run. */
function isOfRights(key: string): boolean {
  const row = rows.get(key);
  return row?.does === 'approve' || row?.does === 'allow' || ofRights.has(row?.to?.[0]);
}

type Draft = Record<string, unknown> & { readonly server_parameters: Record<string, unknown> };
interface Move {
  readonly row: ForeignKey;
  readonly value: unknown;
  readonly to: Path;
  readonly here: Path;
}

const move = (
  { row, value, to, here }: Move,
  mapped: Draft,
  origins: Map<string, string>,
  findings: Findings,
): void => {
  const target = to[1] === undefined ? mapped : mapped.server_parameters;
  const last = String(to.at(-1));
  const earlier = origins.get(pathText(to));
  // DeepChat writes `command: ""` for a remote server, so an empty value counts as absent.
  if (
    value === null ||
    (row.kinds !== undefined && value === '') ||
    (earlier !== undefined && isEmpty(value))
  )
    return;
  const moved =
    row.does === 'opposite' && typeof value === 'boolean' ? !value : asTexts(last, value, here, findings);
  if (earlier !== undefined && !isEmpty(target[last]) && target[last] !== moved)
    addTwice(findings, here, earlier);
  target[last] = moved;
  origins.set(pathText(to), row.key);
};

const origin = (inner: Path, origins: ReadonlyMap<string, string>): Path => {
  const isInner = inner[0] === 'server_parameters' || origins.has(pathText(inner.slice(0, 2)));
  const depth = isInner ? 2 : 1;
  const moved = pathText(inner.slice(0, depth));
  const key =
    origins.get(moved) ?? foreignKeys.find(({ to }) => to !== undefined && pathText(to) === moved)?.key;
  return key === undefined ? inner : [key, ...inner.slice(depth)];
};

/** `"PORT": 3000` works in other clients, which pass everything as text. */
const asTexts = (key: string, value: unknown, path: Path, findings: Findings): unknown => {
  if (key !== 'env' && key !== 'args') return value;
  const text = (part: unknown, step: string | number): unknown => {
    if (typeof part !== 'number' && typeof part !== 'boolean') return part;
    addWarning(findings, [...path, step], `${nounOf(part)} is passed on as text`);
    return String(part);
  };
  if (Array.isArray(value)) return value.map(text);
  if (!isObject(value)) return value;
  const given = Object.entries(value).filter(([name, part]) => {
    if (part === null) addWarning(findings, [...path, name], 'null: this variable is not set');
    return part !== null;
  });
  return Object.fromEntries(given.map(([name, part]) => [name, text(part, name)]));
};

const logIn = (value: unknown, here: Path, mapped: Draft, findings: Findings): void => {
  const { oauth, unused } = foreignLogin(value);
  for (const key of unused) addWarning(findings, [...here, key], 'means nothing here, ignored');
  if (oauth) mapped['oauth'] = oauth;
  else if (!isEmpty(value) && !isObject(value)) addWarning(findings, here, 'is no login, ignored');
};

/** Two such lists must be equal. */
const allow = (
  names: unknown,
  here: Path,
  mapped: Draft,
  origins: Map<string, string>,
  findings: Findings,
): void => {
  if (names === null || (Array.isArray(names) && names.includes('*'))) return;
  const settings = mapped['a2c'] ?? {};
  if (!isObject(settings)) return;
  const [ours, said] = ['a2c.tools', settings['tools']];
  if (said !== undefined && JSON.stringify(said) !== JSON.stringify(names))
    addTwice(findings, here, origins.get(ours) ?? ours);
  mapped['a2c'] = { ...settings, tools: names };
  origins.set(ours, String(here.at(-1)));
};

const approve = (names: unknown, path: Path, mapped: Draft, findings: Findings): void => {
  if (names === null) return;
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
    addMistake(findings, path, 'expected a list of tool names');
    return;
  }
  if (names.includes('*')) mapped['default_tool_meta'] = approving(mapped['default_tool_meta']);
  const tools = new Set(names.filter((name) => name !== '*'));
  const metas = mapped['tool_meta'] ?? {};
  if (!isObject(metas) || tools.size === 0) return;
  const approved = [...tools].map((tool) => [
    tool,
    approving(Object.hasOwn(metas, tool) ? metas[tool] : undefined),
  ]);
  mapped['tool_meta'] = { ...metas, ...Object.fromEntries(approved) };
};

/** A value in the file takes precedence; an invalid one is kept for the schema to report. */
const approving = (meta: unknown): unknown => {
  if (meta === undefined || meta === null) return { auto_apply: true };
  return isObject(meta) ? { auto_apply: true, ...meta } : meta;
};
