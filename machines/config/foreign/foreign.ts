import { flatEntry } from './flat.ts';
import { foreignKeys, type ForeignKey } from './foreign-keys.ts';
import { foreignLogin } from './login.ts';
import { addMistake, addWarning, nounOf, pathText, type Findings, type Path } from '../mistake.ts';
import { guessedType, isOwnType, kindOf, type ServerKind } from '../server.ts';
import { isObject } from '../../protocol/json.ts';

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

/** An entry with a launch config at its own level, as every client but the protocol writes it. */
export const isForeign = (entry: Entry, inForeignMap: boolean): boolean =>
  !Object.hasOwn(entry, 'server_parameters') &&
  !isOwnType(entry['type']) &&
  (inForeignMap ||
    hasAny(flatEntry(entry).entry, ['command', ...urlKeys]) ||
    kindOf(entry['type']) === 'inmemory');

const kindKeys = foreignKeys.flatMap(({ key, to }) => (to?.[0] === 'type' ? [key] : []));
/** What it says itself; `guess`: some URL, and no more than that. */
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
      addMistake(
        findings,
        [...path, key],
        `says something else than ${said?.key}, which means the same`,
        'keep one of them',
      );
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
  /** From a path in the mapped entry to the path that the person typed, below `path`. */
  readonly originOf: (path: Path) => Path;
}

/** A foreign entry in the protocol's shape, not yet judged; undefined when even its kind is unclear. */
export const mapForeign = (given: Entry, path: Path, findings: Findings): Mapped | undefined => {
  const { entry, deeper, twice } = flatEntry(given);
  for (const key of twice)
    addMistake(
      findings,
      [...path, key],
      `says something else than transport.${key}, which means the same`,
      'keep one of them',
    );
  const said = kindOfForeign(entry, path, findings);
  if (said === undefined) return undefined;
  const kind = said === 'guess' ? 'streamable' : said;
  const mapped: Draft = { type: said === 'guess' ? guessedType : kind, server_parameters: {} };
  const placeOf = (key: string): Path => (deeper.has(key) ? [...path, 'transport', key] : [...path, key]);
  const origins = new Map<string, string>();
  const approvals: string[] = [];
  const allowances: string[] = [];
  for (const [key, value] of Object.entries(entry)) {
    const row = rows.get(key);
    const here = placeOf(key);
    if (row === undefined) addWarning(findings, here, 'unknown key, ignored');
    else if (row.does === 'unsupported') addWarning(findings, here, `not supported, ignored (${row.note})`);
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
  return { entry: mapped, originOf };
};

type Draft = Record<string, unknown> & { readonly server_parameters: Record<string, unknown> };
interface Move {
  readonly row: ForeignKey;
  readonly value: unknown;
  readonly to: Path;
  /** Where the value stands in the file. */
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
  // DeepChat writes `command: ""` for a remote server: an empty fact is an absent one.
  if (
    value === null ||
    (row.kinds !== undefined && value === '') ||
    (earlier !== undefined && isEmpty(value))
  )
    return;
  const moved =
    row.does === 'opposite' && typeof value === 'boolean' ? !value : asTexts(last, value, here, findings);
  if (earlier !== undefined && !isEmpty(target[last]) && target[last] !== moved) {
    addMistake(
      findings,
      here,
      `says something else than ${earlier}, which means the same`,
      'keep one of them',
    );
  }
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

/** `"PORT": 3000` works in other clients, which hand everything to the child as text. */
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

/** The list of another client is a setting of ours; who says it twice has to say the same. */
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
  if (said !== undefined && JSON.stringify(said) !== JSON.stringify(names)) {
    const earlier = origins.get(ours) ?? ours;
    addMistake(
      findings,
      here,
      `says something else than ${earlier}, which means the same`,
      'keep one of them',
    );
  }
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

/** What the file itself says in the protocol's words wins; a broken value stays, for the schema to name. */
const approving = (meta: unknown): unknown => {
  if (meta === undefined || meta === null) return { auto_apply: true };
  return isObject(meta) ? { auto_apply: true, ...meta } : meta;
};
