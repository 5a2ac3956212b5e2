import { foreignKeys, type ForeignKey } from './foreign-keys.ts';
import { addMistake, addWarning, isObject, nounOf, pathText, type Findings, type Path } from '../mistake.ts';
import { guessedType, isOwnType, kindOf, type ServerKind } from '../server.ts';

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
  (inForeignMap || hasAny(entry, ['command', ...urlKeys]) || kindOf(entry['type']) === 'inmemory');

const kindOfForeign = (entry: Entry, path: Path, findings: Findings): ServerKind | undefined => {
  if (!isEmpty(entry['type'])) {
    const kind = kindOf(entry['type']);
    if (kind === undefined)
      addMistake(findings, [...path, 'type'], 'expected one of stdio, sse, http, inmemory');
    return kind;
  }
  const hasUrl = hasAny(entry, urlKeys);
  if (hasUrl && hasAny(entry, ['command'])) {
    addMistake(findings, path, 'has both a command and a URL', 'say which one with type');
    return undefined;
  }
  return hasUrl ? 'streamable' : 'stdio';
};

interface Mapped {
  readonly entry: Entry;
  /** From a path in the mapped entry to the path that the person typed, below `path`. */
  readonly originOf: (path: Path) => Path;
}

/** A foreign entry in the protocol's shape, not yet judged; undefined when even its kind is unclear. */
export const mapForeign = (entry: Entry, path: Path, findings: Findings): Mapped | undefined => {
  const kind = kindOfForeign(entry, path, findings);
  if (kind === undefined) return undefined;
  const isGuess = kind === 'streamable' && isEmpty(entry['type']);
  const mapped: Draft = { type: isGuess ? guessedType : kind, server_parameters: {} };
  const origins = new Map<string, string>();
  const approvals: string[] = [];
  const allowances: string[] = [];
  for (const [key, value] of Object.entries(entry)) {
    const row = rows.get(key);
    const here = [...path, key];
    if (row === undefined) addWarning(findings, here, 'unknown key, ignored');
    else if (row.does === 'unsupported') addWarning(findings, here, `not supported, ignored (${row.note})`);
    else if (row.does === 'approve') approvals.push(key);
    else if (row.does === 'allow') allowances.push(key);
    else if (row.does !== 'shown' && row.to !== undefined && key !== 'type') {
      if (row.kinds === undefined || row.kinds.includes(kind))
        move({ row, value, to: row.to, here }, mapped, origins, findings);
      else if (!isEmpty(value))
        addWarning(findings, here, `means nothing to a server of type ${kind}, ignored`);
    }
  }
  for (const key of approvals) approve(entry[key], [...path, key], mapped, findings);
  for (const key of allowances) allow(entry[key], [...path, key], mapped, origins, findings);
  return { entry: mapped, originOf: (inner) => [...path, ...origin(inner, origins)] };
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
