import { canonical } from '../../../machines/trace/canonical.ts';
import { isObject, type Fields } from '../../../machines/protocol/json.ts';
import { differences } from '../world/matching.ts';

/** All elements of a list share one shape, and the length of a list does not count. */
type Shape = {
  readonly kinds: ReadonlySet<string>;
  readonly fields: ReadonlyMap<string, Shape>;
  readonly each?: Shape;
};
/** Place in an answer: keys and numbers; `*` stands for each of them. */
export type Path = readonly string[];
export interface Apart {
  readonly path: Path;
  readonly text: string;
}
const isHidden = (value: unknown): boolean => typeof value === 'string' && value.includes('«redacted:');

const none: Shape = { kinds: new Set(), fields: new Map() };
function shapeOf(value: unknown): Shape {
  // Treats a hidden value as text or number, because a hidden number is written as a text too.
  if (isHidden(value)) return { kinds: new Set(['string', 'number']), fields: new Map() };
  if (Array.isArray(value))
    return { kinds: new Set(['list']), fields: new Map(), each: value.map(shapeOf).reduce(joined, none) };
  if (typeof value !== 'object' || value === null)
    return { kinds: new Set([value === null ? 'null' : typeof value]), fields: new Map() };
  const fields = Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)] as const);
  return { kinds: new Set(['object']), fields: new Map(fields) };
}
function joined(one: Shape, other: Shape): Shape {
  const keys = new Set([...one.fields.keys(), ...other.fields.keys()]);
  const both = [...keys].map(
    (key) => [key, joined(one.fields.get(key) ?? none, other.fields.get(key) ?? none)] as const,
  );
  const each = one.each && other.each ? joined(one.each, other.each) : (one.each ?? other.each);
  return { kinds: new Set([...one.kinds, ...other.kinds]), fields: new Map(both), ...(each && { each }) };
}
const isEmpty = ({ kinds }: Shape): boolean => kinds.size === 0;
/** Additional keys are no difference. */
function apart(recorded: Shape, now: Shape, path: Path): readonly Apart[] {
  const isOther = ![...recorded.kinds].some((kind) => now.kinds.has(kind));
  if (isOther)
    return [{ path, text: `is ${[...now.kinds].join(' or ')}, was ${[...recorded.kinds].join(' or ')}` }];
  const inner = [...recorded.fields].flatMap(([key, shape]) => {
    const found = now.fields.get(key);
    return found ? apart(shape, found, [...path, key]) : [{ path: [...path, key], text: 'is missing' }];
  });
  const { each = none } = recorded;
  const elements = now.each ?? none;
  return isEmpty(each) || isEmpty(elements) ? inner : [...inner, ...apart(each, elements, [...path, '*'])];
}

const mostShown = 80;
const shown = (value: unknown): string => {
  const text = value === undefined ? 'missing' : canonical(value);
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
};
export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Fields)[key] : undefined,
    value,
  );
const values = (recorded: unknown, now: unknown): readonly Apart[] =>
  differences(recorded, now).map((written) => {
    const path = written
      .replaceAll(/\[(\d+)\]/g, '.$1')
      .split('.')
      .filter((key) => key !== '');
    return { path, text: `is ${shown(valueAt(now, path))}, was ${shown(valueAt(recorded, path))}` };
  });

/** Entries of resources are data, so that only their shape is compared. */
const named: Readonly<Record<string, readonly [member: string, name: string, ...schemas: string[]]>> = {
  'tools/list': ['tools', 'name', 'inputSchema', 'outputSchema'],
  'prompts/list': ['prompts', 'name', 'arguments'],
  'resources/templates/list': ['resourceTemplates', 'uriTemplate'],
};
const entriesOf = (result: unknown, member: string, name: string): ReadonlyMap<unknown, Fields> => {
  const list = fieldOf(result, member);
  return new Map((Array.isArray(list) ? list.filter(isObject) : []).map((each) => [each[name], each]));
};
const fieldOf = (value: unknown, key: string): unknown => (isObject(value) ? value[key] : undefined);
/** Descriptions may change. */
function entries(method: string, recorded: unknown, now: unknown): readonly Apart[] {
  const [member = '', name = '', ...schemas] = named[method] ?? [];
  const [was, is] = [entriesOf(recorded, member, name), entriesOf(now, member, name)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key): readonly Apart[] => {
    const [one, other] = [was.get(key), is.get(key)];
    const path = [member, String(key)];
    if (!one || !other) return [{ path, text: one ? 'has left the list' : 'is new in the list' }];
    return schemas.flatMap((schema) =>
      values(one[schema] ?? null, other[schema] ?? null).map(({ path: inside, text }) => ({
        path: [...path, schema, ...inside],
        text,
      })),
    );
  });
}

const capabilities = (recorded: unknown, now: unknown): readonly Apart[] => {
  const [was, is] = [fieldOf(recorded, 'capabilities'), fieldOf(now, 'capabilities')];
  const declared = Object.entries(isObject(was) ? was : {}).filter(([, value]) => Boolean(value));
  return declared.flatMap(([key, value]) =>
    values(value, fieldOf(is, key)).map(({ path, text }) => ({ path: ['capabilities', key, ...path], text })),
  );
};

/** In types and keys, in names and schemas of a list or, with `isExact`, in values. */
export function resultDifferences(
  method: string,
  recorded: unknown,
  now: unknown,
  isExact: boolean,
): readonly Apart[] {
  if (isExact) return values(recorded, now);
  if (method === 'initialize') return capabilities(recorded, now);
  if (named[method]) return entries(method, recorded, now);
  return apart(shapeOf(recorded), shapeOf(now), []);
}
