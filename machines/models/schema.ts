/** Conversion of JSON Schemas of tools into the subset that model providers accept. */
import { remembered } from '../kernel/objects.ts';
import { isObject, jsonBytes } from '../protocol/json.ts';

/** Schema without references in which every keyword has a value that JSON Schema 2020-12 allows. */
export type Schema = Readonly<Record<string, unknown>>;

export const jsonTypes = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const;
export type JsonType = (typeof jsonTypes)[number];

/** Deeper parts are reduced to their type. */
export const mostParts = 5_000;

export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}
export const hasType = (value: unknown, type: unknown): boolean =>
  typeOf(value) === type || (type === 'number' && typeof value === 'number');

/** Providers refuse values that do not fit the type; if none is left, only the type remains. */
function withFitting(schema: Schema): Schema {
  const { type, enum: values, const: value, ...rest } = schema;
  if (type === undefined || !('enum' in schema || 'const' in schema)) return schema;
  const fits = (one: unknown): boolean => [type].flat().some((each) => hasType(one, each));
  const fitting = Array.isArray(values) ? values.filter(fits) : [];
  return {
    ...rest,
    type,
    ...(fitting.length > 0 && { enum: fitting }),
    ...('const' in schema && fits(value) && { const: value }),
  };
}

// ── keywords ──────────────────────────────────────────────────────────────────────────────────────────
/** Undefined when no value can satisfy it. */
type ReadInside = (value: unknown) => Schema | undefined;
type Keyword = (value: unknown, inside: ReadInside) => unknown;

const text: Keyword = (value) => (typeof value === 'string' ? value : undefined);
const flag: Keyword = (value) => (typeof value === 'boolean' ? value : undefined);
const finite: Keyword = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
const count: Keyword = (value) => (Number.isInteger(value) && Number(value) >= 0 ? value : undefined);
const positive: Keyword = (value) => (Number.isFinite(value) && Number(value) > 0 ? value : undefined);
const anything: Keyword = (value) => value;
const list: Keyword = (value) => (Array.isArray(value) ? value : undefined);

/** Compares values by their JSON text. */
export const distinct = <T>(values: readonly T[]): T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];
const choice: Keyword = (value) => (Array.isArray(value) && value.length > 0 ? distinct(value) : undefined);
const names: Keyword = (value) =>
  Array.isArray(value) ? distinct(value.filter((one) => typeof one === 'string')) : undefined;

function isPattern(value: string): boolean {
  try {
    return Boolean(new RegExp(value, 'u'));
  } catch {
    return false;
  }
}
const pattern: Keyword = (value) => (typeof value === 'string' && isPattern(value) ? value : undefined);

const schema: Keyword = (value, inside) => inside(value) ?? {};
const schemaOrFlag: Keyword = (value, inside) => (typeof value === 'boolean' ? value : inside(value));
const schemas: Keyword = (value, inside) => {
  const read = Array.isArray(value) ? value.map(inside).filter((one) => one !== undefined) : [];
  return read.length > 0 ? distinct(read) : undefined;
};
const schemasByName: Keyword = (value, inside) =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([name, one]): [string, Schema][] => {
          const read = inside(one);
          return read === undefined ? [] : [[name, read]];
        }),
      )
    : undefined;
const schemasByPattern: Keyword = (value, inside) =>
  isObject(value)
    ? schemasByName(Object.fromEntries(Object.entries(value).filter(([name]) => isPattern(name))), inside)
    : undefined;

/** Conditions (`not`, `if`, `contains` …) are left to the server: an incomplete one could forbid valid values. */
const keywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
  ['title', text],
  ['description', text],
  ['default', anything],
  ['examples', list],
  ['deprecated', flag],
  ['enum', choice],
  ['const', anything],
  ['format', text],
  ['pattern', pattern],
  ['minLength', count],
  ['maxLength', count],
  ['contentEncoding', text],
  ['contentMediaType', text],
  ['minimum', finite],
  ['maximum', finite],
  ['exclusiveMinimum', finite],
  ['exclusiveMaximum', finite],
  ['multipleOf', positive],
  ['items', schema],
  ['minItems', count],
  ['maxItems', count],
  ['uniqueItems', flag],
  ['properties', schemasByName],
  ['patternProperties', schemasByPattern],
  ['additionalProperties', schemaOrFlag],
  ['propertyNames', schema],
  ['required', names],
  ['minProperties', count],
  ['maxProperties', count],
  ['anyOf', schemas],
  ['allOf', schemas],
]);

// ── references ────────────────────────────────────────────────────────────────────────────────────────
/** As a server wrote it: any JSON value. */
type Raw = unknown;

const isNode = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
const mostNodes = 20_000;

/** References to other documents are not fetched. */
function targetsOf(root: Raw): (ref: string) => Raw {
  let names: ReadonlyMap<string, Raw> | undefined;
  return (ref) => {
    const [base, fragment] = splitOnce(ref, '#');
    const start = base === '' ? root : (names ??= namedIn(root)).get(base);
    if (fragment === undefined || fragment === '') return start;
    if (fragment.startsWith('/')) return walk(start, fragment);
    return (names ??= namedIn(root)).get(`#${fragment}`);
  };
}

const splitOnce = (text: string, mark: string): readonly [string, string?] => {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
};

/** RFC 6901, from a URI fragment. */
function walk(start: Raw, pointer: string): Raw {
  let at = start;
  for (const step of pointer.split('/').slice(1)) {
    const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isNode(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return at;
}
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** `$id`, `id` and `#anchor`. */
function namedIn(root: Raw): ReadonlyMap<string, Raw> {
  const names = new Map<string, Raw>();
  const rest: Raw[] = [root];
  for (let count = 0; rest.length > 0 && count < mostNodes; count += 1) {
    const node = rest.shift();
    if (!isNode(node)) continue;
    for (const key of ['$id', 'id', '$anchor', '$dynamicAnchor']) {
      const name = Object.hasOwn(node, key) ? node[key] : undefined;
      if (typeof name !== 'string') continue;
      const full = key.endsWith('nchor') ? `#${name}` : name.replace(/(.)#$/, '$1');
      if (!names.has(full)) names.set(full, node);
    }
    rest.push(...Object.values(node).filter(isNode));
  }
  return names;
}

// ── older spellings ───────────────────────────────────────────────────────────────────────────────────
/** `oneOf` becomes `anyOf`, because the converted parts may allow more than before and overlap. */
function respelled(node: Schema): Schema {
  const { oneOf, items, additionalItems, minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } =
    node;
  const { prefixItems, allOf, anyOf } = rest;
  const tuple = Array.isArray(items) ? items : prefixItems;
  const more = Array.isArray(items) ? additionalItems : items;
  const both = Array.isArray(oneOf) && Array.isArray(anyOf);
  return {
    ...rest,
    ...(Array.isArray(oneOf) && !both && { anyOf: oneOf }),
    ...(both && { allOf: [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }] }),
    ...(Array.isArray(tuple) ? { items: eachOf(tuple, more) } : items !== undefined && { items }),
    ...limit('minimum', 'exclusiveMinimum', minimum, exclusiveMinimum),
    ...limit('maximum', 'exclusiveMaximum', maximum, exclusiveMaximum),
  };
}
/** Items by position become any of them, which is enough for a model. */
const eachOf = (tuple: readonly unknown[], more: unknown): unknown => {
  const kinds = distinct(more === false || more === undefined ? tuple : [...tuple, more]);
  return kinds.length === 1 ? kinds[0] : { anyOf: kinds };
};
/** Draft 4, where a flag makes a limit exclusive. */
const limit = (name: string, strict: string, value: unknown, exclusive: unknown): Schema => ({
  ...(exclusive === true ? { [strict]: value } : { [name]: value }),
  ...(typeof exclusive === 'number' && { [strict]: exclusive }),
});

/** OpenAPI's `nullable` becomes type `null`; unknown types are dropped. */
function typed({ type, nullable }: Schema): Schema {
  const given = (Array.isArray(type) ? type : [type]).map((one) => String(one).toLowerCase());
  const types: string[] = distinct(given).filter((one) => (jsonTypes as readonly string[]).includes(one));
  if (nullable === true && types.length > 0 && !types.includes('null')) types.push('null');
  if (types.length === 0) return {};
  return { type: types.length === 1 && (!Array.isArray(type) || nullable === true) ? types[0] : types };
}

/** They only describe a value and do not restrict it. */
const telling: ReadonlySet<string> = new Set(['title', 'description', 'default', 'examples', 'deprecated']);
const references = ['$ref', '$dynamicRef'];
const alternatives = ['anyOf', 'oneOf'];
const combining = [...references, ...alternatives, 'allOf'];
const asks = (key: string): boolean =>
  combining.includes(key) || key === 'type' || (keywords.has(key) && !telling.has(key));

/** OpenAPI's `nullable`, where `type` cannot express it. */
function orNull(node: Schema): Schema {
  if (node['nullable'] !== true) return node;
  const { nullable: _, ...rest } = node;
  const isCombined = combining.some((key) => Object.hasOwn(node, key));
  if (!isCombined && Array.isArray(node['enum'])) return { ...node, enum: [...node['enum'], null] };
  if (!isCombined && 'const' in rest) {
    const { const: value, ...others } = rest;
    return { ...others, nullable: true, enum: [value, null] };
  }
  if (!isCombined && 'type' in typed(node)) return node;
  const told = Object.fromEntries(Object.entries(rest).filter(([key]) => telling.has(key)));
  const asked = Object.fromEntries(Object.entries(rest).filter(([key]) => asks(key)));
  const [key = '', ...others] = Object.keys(asked);
  if (key === '') return rest;
  const list = others.length === 0 && alternatives.includes(key) ? asked[key] : undefined;
  return { ...told, anyOf: [...(Array.isArray(list) ? (list as unknown[]) : [asked]), { type: 'null' }] };
}

// ── schemas merged ────────────────────────────────────────────────────────────────────────────────────
const typesOf = ({ type }: Schema): readonly unknown[] | undefined =>
  type === undefined ? undefined : Array.isArray(type) ? type : [type];
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Pairs of alternatives left to combine; nested alternatives would multiply without a limit. */
interface Work {
  pairs: number;
}
const mostPairsInAll = 64;
/** Beyond it only the first schema is kept. */
const mostPairs = 16;

type Join = (a: never, b: never, work: Work) => unknown;
const larger = (a: number, b: number): number => Math.max(a, b);
const smaller = (a: number, b: number): number => Math.min(a, b);
const either = (a: readonly unknown[], b: readonly unknown[]): readonly unknown[] => distinct([...a, ...b]);
const shared = (a: readonly unknown[], b: readonly unknown[]): readonly unknown[] => {
  const both = a.filter((one) => b.some((other) => same(one, other)));
  return both.length > 0 ? both : a;
};
const byName = (a: Schema, b: Schema, work: Work): Schema =>
  Object.fromEntries([
    ...Object.entries(a).map(([name, one]) => [
      name,
      Object.hasOwn(b, name) ? merged(one as Schema, b[name] as Schema, work) : one,
    ]),
    ...Object.entries(b).filter(([name]) => !Object.hasOwn(a, name)),
  ]);
const closed = (a: Schema | boolean, b: Schema | boolean, work: Work): Schema | boolean => {
  if (a === false || b === false) return false;
  return isObject(a) && isObject(b) ? merged(a, b, work) : isObject(a) ? a : b;
};
const pairs = (a: readonly Schema[], b: readonly Schema[], work: Work): readonly Schema[] => {
  const count = a.length * b.length;
  if (count > Math.min(mostPairs, work.pairs)) return a;
  work.pairs -= count;
  return distinct(a.flatMap((one) => b.map((other) => merged(one, other, work))));
};

const joins: Readonly<Record<string, Join>> = {
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  minProperties: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
  required: either,
  enum: shared,
  allOf: either,
  anyOf: pairs,
  items: (a: Schema, b: Schema, work) => merged(a, b, work),
  properties: byName,
  patternProperties: byName,
  additionalProperties: closed,
};

/** `integer` counts as a `number`; the first list when none is common. */
function sharedTypes(a: readonly unknown[], b: readonly unknown[]): readonly unknown[] {
  const fits = (one: unknown, others: readonly unknown[]): boolean =>
    others.includes(one) || (one === 'integer' && others.includes('number'));
  const both = distinct([...a.filter((one) => fits(one, b)), ...b.filter((one) => fits(one, a))]);
  return both.length > 0 ? both : a;
}

/** Accepts every value valid for both; where they conflict or cannot be combined, `a` wins. */
export function merged(a: Schema, b: Schema, work: Work = { pairs: mostPairsInAll }): Schema {
  const [types, others] = [typesOf(a), typesOf(b)];
  const both = Object.entries(b).map(([key, value]) => {
    const join = joins[key];
    if (!Object.hasOwn(a, key)) return [key, value];
    return [key, join ? join(a[key] as never, value as never, work) : a[key]];
  });
  const found: Schema = { ...a, ...Object.fromEntries(both) };
  if (!types || !others) return withFitting(found);
  const type = sharedTypes(types, others);
  return withFitting({
    ...found,
    type: type.length === 1 && !(Array.isArray(a['type']) && Array.isArray(b['type'])) ? type[0] : type,
  });
}

export function withoutAllOf(schema: Schema, work: Work = { pairs: mostPairsInAll }): Schema {
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return schema;
  return (allOf as Schema[])
    .map((one) => withoutAllOf(one, work))
    .reduce((all, one) => merged(all, one, work), own);
}

// ── schemas without references ────────────────────────────────────────────────────────────────────────
const deepest = 24;

interface Walk {
  readonly find: (ref: string) => Raw;
  /** From the root to here; endless recursion is detected by them. */
  readonly through: readonly Raw[];
  readonly depth: number;
  readonly levels: number;
  readonly parts: { left: number };
}

/** Allows all that the original allows; recursion becomes any value of its type, and too many parts are cut. */
function plain(schema: Raw): Schema {
  // A schema from a foreign office may be too deep to be written.
  if (jsonBytes(schema) === Infinity) return {};
  const find = targetsOf(schema);
  const upTo = (levels: number): { readonly found: Schema; readonly isWhole: boolean } => {
    const parts = { left: mostParts };
    const found = read(schema, { find, through: [schema], depth: 0, levels, parts }) ?? {};
    return { found, isWhole: parts.left >= 0 };
  };
  let last = upTo(deepest);
  if (last.isWhole) return last.found;
  for (let levels = 0; levels < deepest; levels += 1) {
    const next = upTo(levels);
    if (levels > 0 && !next.isWhole) break;
    last = next;
  }
  return last.found;
}

function read(node: Raw, walk: Walk): Schema | undefined {
  if (node === false) return undefined;
  if (!isObject(node) || (walk.parts.left -= 1) < 0) return {};
  if (walk.depth > walk.levels) return outline(node);
  const { $ref, $dynamicRef, ...beside } = orNull(node);
  const ref = [$ref, $dynamicRef].find((one) => typeof one === 'string');
  const own = readKeywords(beside, walk);
  if (ref === undefined) return own;
  const target = walk.find(ref);
  if (walk.through.includes(target)) return merged(own, outline(target));
  const found = read(target, { ...walk, through: [...walk.through, target], depth: walk.depth + 1 });
  return found && merged(own, found);
}

function outline(node: Raw): Schema {
  if (!isObject(node)) return {};
  const { description } = node;
  return withItems({
    ...typed(node),
    ...(typeof description === 'string' && { description }),
  });
}

function readKeywords(node: Schema, walk: Walk): Schema {
  const inside = (value: Raw): Schema | undefined => read(value, { ...walk, depth: walk.depth + 1 });
  const known = Object.entries(respelled(node)).flatMap(([key, value]): [string, unknown][] => {
    const good = keywords.get(key)?.(value, inside);
    return good === undefined ? [] : [[key, good]];
  });
  return withItems(withFitting({ ...typed(node), ...Object.fromEntries(known) }));
}

/** Providers refuse an array schema without `items`. */
const withItems = (schema: Schema): Schema =>
  isArray(schema) && schema['items'] === undefined ? { ...schema, items: {} } : schema;
const isArray = ({ type }: Schema): boolean =>
  type === 'array' || (Array.isArray(type) && type.includes('array'));

// ── parameters, as an object ──────────────────────────────────────────────────────────────────────────
/**
 * Schema of an object with type `object` at the root and no alternatives there; `required` lists only
 * existing properties.
 */
export interface ObjectSchema extends Schema {
  readonly type: 'object';
  /** Schemas of the properties by name; empty when none are declared. */
  readonly properties: Readonly<Record<string, Schema>>;
}

const mapOf = (value: unknown): Readonly<Record<string, Schema>> =>
  isObject(value) ? (value as Readonly<Record<string, Schema>>) : {};
export const listOf = <T>(value: unknown): readonly T[] => (Array.isArray(value) ? value : []);
const mayBeObject = ({ type }: Schema): boolean =>
  type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));

/** Fixed values are joined, other schemas become alternatives. */
function oneOfBoth(a: Schema, b: Schema): Schema {
  const values = [a, b].map((one) => ('const' in one ? [one['const']] : listOf<unknown>(one['enum'])));
  if (JSON.stringify(a) === JSON.stringify(b)) return a;
  if (a['type'] === b['type'] && values.every((some) => some.length > 0)) {
    const { const: _, ...rest } = a;
    return { ...rest, enum: distinct(values.flat()) };
  }
  return { anyOf: distinct([a, b].flatMap((one) => (isUnion(one) ? listOf<Schema>(one['anyOf']) : [one]))) };
}
const isUnion = (schema: Schema): boolean =>
  Object.keys(schema).length === 1 && Array.isArray(schema['anyOf']);

/** Providers accept no alternatives at the root of parameters; the server checks the combinations. */
export function joined(schema: Schema): ObjectSchema {
  const { anyOf, ...own } = withoutAllOf(schema);
  const branches = listOf<Schema>(anyOf).filter(mayBeObject).map(joined);
  const { enum: _enum, const: _const, type: _type, additionalProperties: closing, ...base } = own;
  const names = distinct(branches.flatMap((one) => Object.keys(one.properties)));
  const alternatives = Object.fromEntries(
    names.map((name) => {
      const kinds = branches.flatMap(({ properties }) =>
        Object.hasOwn(properties, name) ? [properties[name] ?? {}] : [],
      );
      return [name, kinds.reduce(oneOfBoth)];
    }),
  );
  const properties = mapOf(
    merged({ properties: mapOf(own['properties']) }, { properties: alternatives })['properties'],
  );
  const [first = [], ...others] = branches.map((one) => listOf<string>(one['required']));
  const shared = first.filter((name) => others.every((names) => names.includes(name)));
  const required = distinct([...listOf<string>(own['required']), ...shared]).filter((name) =>
    Object.hasOwn(properties, name),
  );
  const isClosed =
    closing === false ||
    (branches.length > 0 && branches.every((one) => one['additionalProperties'] === false));
  const { required: _required, ...rest } = base;
  return {
    ...rest,
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    ...(isClosed
      ? { additionalProperties: false }
      : closing !== undefined && branches.length === 0 && { additionalProperties: closing }),
  };
}

/**
 * Returns the parameters of a tool as an object schema, whatever its server declared; computed once for each
 * schema.
 */
export const parametersOf: (schema: object) => ObjectSchema = remembered((schema: object) =>
  joined(plain(schema)),
);
