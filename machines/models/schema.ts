/** Conversion of JSON Schemas of tools into the subset that model providers accept. */
import { remembered } from '../kernel/objects.ts';
import { isObject, jsonBytes } from '../protocol/json.ts';

/** Schema without references in which every keyword has a value that JSON Schema 2020-12 allows. */
export type Schema = Readonly<Record<string, unknown>>;

const jsonTypes = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const;
type JsonType = (typeof jsonTypes)[number];

/** Deeper parts are reduced to their type. */
const mostParts = 5_000;

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}
const hasType = (value: unknown, type: unknown): boolean =>
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
const distinct = <T>(values: readonly T[]): T[] => [
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

/** As a server wrote it: any JSON value. */
type Raw = unknown;

const isNode = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
/** References to other documents, anchors and ids are not followed: `$id` and `$anchor` are rare in schemas of tools. */
const targetOf = (root: Raw, ref: string): Raw =>
  ref === '#' ? root : ref.startsWith('#/') ? walk(root, ref.slice(1)) : undefined;

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

/** `oneOf` becomes `anyOf`, because the converted parts may allow more than before and overlap. */
function respelled({ oneOf, items, prefixItems, additionalItems, ...rest }: Schema): Schema {
  const tuple = Array.isArray(items) ? items : prefixItems;
  const more = Array.isArray(items) ? additionalItems : items;
  return {
    ...rest,
    ...(Array.isArray(oneOf) && rest['anyOf'] === undefined && { anyOf: oneOf }),
    ...(Array.isArray(tuple) ? { items: eachOf(tuple, more) } : items !== undefined && { items }),
  };
}
/** Items by position become any of them, which is enough for a model. */
const eachOf = (tuple: readonly unknown[], more: unknown): unknown => {
  const kinds = distinct(more === false || more === undefined ? tuple : [...tuple, more]);
  return kinds.length === 1 ? kinds[0] : { anyOf: kinds };
};
/** OpenAPI's `nullable` becomes type `null`; unknown types are dropped. */
function typed({ type, nullable }: Schema): Schema {
  const given = (Array.isArray(type) ? type : [type]).map((one) => String(one).toLowerCase());
  const types: string[] = distinct(given).filter((one) => (jsonTypes as readonly string[]).includes(one));
  if (nullable === true && types.length > 0 && !types.includes('null')) types.push('null');
  if (types.length === 0) return {};
  return { type: types.length === 1 && (!Array.isArray(type) || nullable === true) ? types[0] : types };
}

/** OpenAPI's `nullable`, where `type` alone cannot express it. */
const combining = ['enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf'];
function orNull(node: Schema): Schema {
  const { nullable, ...rest } = node;
  if (nullable !== true) return rest;
  if ('type' in typed(rest) && !combining.some((key) => Object.hasOwn(rest, key))) return node;
  const { description, ...asked } = rest;
  return { ...(description !== undefined && { description }), anyOf: [asked, { type: 'null' }] };
}

const typesOf = ({ type }: Schema): readonly unknown[] | undefined =>
  type === undefined ? undefined : Array.isArray(type) ? type : [type];

const byName = (a: Schema, b: Schema): Schema =>
  Object.fromEntries([
    ...Object.entries(a).map(([name, one]) => [
      name,
      Object.hasOwn(b, name) ? merged(one as Schema, b[name] as Schema) : one,
    ]),
    ...Object.entries(b).filter(([name]) => !Object.hasOwn(a, name)),
  ]);
const joins: Readonly<Record<string, (a: never, b: never) => unknown>> = {
  required: (a: readonly unknown[], b: readonly unknown[]) => distinct([...a, ...b]),
  items: (a: Schema, b: Schema) => merged(a, b),
  properties: byName,
};

/** `integer` counts as a `number`; the first list when none is common. */
function sharedTypes(a: readonly unknown[], b: readonly unknown[]): readonly unknown[] {
  const fits = (one: unknown, others: readonly unknown[]): boolean =>
    others.includes(one) || (one === 'integer' && others.includes('number'));
  const both = distinct([...a.filter((one) => fits(one, b)), ...b.filter((one) => fits(one, a))]);
  return both.length > 0 ? both : a;
}

/** Accepts every value valid for both; of two limits, lists of values or alternatives `a` wins. */
function merged(a: Schema, b: Schema): Schema {
  const [types, others] = [typesOf(a), typesOf(b)];
  const both = Object.entries(b).map(([key, value]) => {
    const join = joins[key];
    if (!Object.hasOwn(a, key)) return [key, value];
    return [key, join ? join(a[key] as never, value as never) : a[key]];
  });
  const found: Schema = { ...a, ...Object.fromEntries(both) };
  if (!types || !others) return withFitting(found);
  const type = sharedTypes(types, others);
  return withFitting({
    ...found,
    type: type.length === 1 && !(Array.isArray(a['type']) && Array.isArray(b['type'])) ? type[0] : type,
  });
}

function withoutAllOf(schema: Schema): Schema {
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return schema;
  return (allOf as Schema[]).map((one) => withoutAllOf(one)).reduce((all, one) => merged(all, one), own);
}

const deepest = 24;

interface Walk {
  readonly root: Raw;
  /** From the root to here; endless recursion is detected by them. */
  readonly through: readonly Raw[];
  readonly depth: number;
  readonly levels: number;
  readonly parts: { left: number };
}

/** Allows all that the original allows; recursion becomes any value of its type, and too many parts are cut. */
export function plain(schema: Raw): Schema {
  // A schema from a foreign office may be too deep to be written.
  if (jsonBytes(schema) === Infinity) return {};
  const upTo = (levels: number): { readonly found: Schema; readonly isWhole: boolean } => {
    const parts = { left: mostParts };
    const found = read(schema, { root: schema, through: [schema], depth: 0, levels, parts }) ?? {};
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
  const { $ref, ...beside } = orNull(node);
  const own = readKeywords(beside, walk);
  if (typeof $ref !== 'string') return own;
  const target = targetOf(walk.root, $ref);
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
function joined(schema: Schema): ObjectSchema {
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
