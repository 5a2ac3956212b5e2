/** JSON schemas of tools, made such as providers take them. */
import { remembered } from '../kernel/objects.ts';
import { isObject } from '../protocol/json.ts';

/** A schema without references in which every keyword has a value that JSON Schema 2020-12 allows. */
export type Schema = Readonly<Record<string, unknown>>;

export const jsonTypes = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const;
export type JsonType = (typeof jsonTypes)[number];

/** More parts than these no provider is given: what is beyond them may be anything of its type. */
export const mostParts = 5_000;

export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}
export const isOf = (value: unknown, type: unknown): boolean =>
  typeOf(value) === type || (type === 'number' && typeof value === 'number');

/** Values told by heart that its type does not allow are left out: providers refuse them. Where none is left, the type alone holds. */
function withFitting(schema: Schema): Schema {
  const { type, enum: values, const: value, ...rest } = schema;
  if (type === undefined || !('enum' in schema || 'const' in schema)) return schema;
  const fits = (one: unknown): boolean => [type].flat().some((each) => isOf(one, each));
  const fitting = Array.isArray(values) ? values.filter(fits) : [];
  return {
    ...rest,
    type,
    ...(fitting.length > 0 && { enum: fitting }),
    ...('const' in schema && fits(value) && { const: value }),
  };
}

// ── keywords ──────────────────────────────────────────────────────────────────────────────────────────
/** Reads a schema inside another one; `undefined`: nothing can satisfy it. */
type ReadInside = (value: unknown) => Schema | undefined;
/** A value that is what its keyword takes in JSON Schema 2020-12, or nothing. */
type Keyword = (value: unknown, inside: ReadInside) => unknown;

const text: Keyword = (value) => (typeof value === 'string' ? value : undefined);
const flag: Keyword = (value) => (typeof value === 'boolean' ? value : undefined);
const finite: Keyword = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
const count: Keyword = (value) => (Number.isInteger(value) && Number(value) >= 0 ? value : undefined);
const positive: Keyword = (value) => (Number.isFinite(value) && Number(value) > 0 ? value : undefined);
const anything: Keyword = (value) => value;
const list: Keyword = (value) => (Array.isArray(value) ? value : undefined);

/** By their JSON: two objects with the same content are one value. */
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

/**
 * What is kept of a schema; `type`, `$ref`, `nullable`, `oneOf` and lists in `items` are read where schemas are.
 * Conditions (`not`, `if`, `dependent…`, `unevaluated…`, `contains`) are for the server to check: with a part of them
 * left out they would forbid what is allowed.
 */
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
/** A schema, or a part of one, as a server wrote it: anything. */
type Raw = unknown;

const isNode = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
/** A schema that says more than this is looked through no further. */
const mostNodes = 20_000;

/** What a `$ref` of this schema leads to, inside of it; nothing that stands elsewhere is fetched. */
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

/** RFC 6901, in a URI fragment. */
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

/** Everything in it that has a name of its own: `$id`, `id`, and `#anchor`. */
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
/** As 2020-12 spells it. `oneOf` allows what `anyOf` allows, for parts of schemas that allow more than they did. */
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
/** Items by their place are, for a model, items of any of these kinds. */
const eachOf = (tuple: readonly unknown[], more: unknown): unknown => {
  const kinds = distinct(more === false || more === undefined ? tuple : [...tuple, more]);
  return kinds.length === 1 ? kinds[0] : { anyOf: kinds };
};
/** Draft 4 said with a flag that the limit itself is out. */
const limit = (name: string, strict: string, value: unknown, exclusive: unknown): Schema => ({
  ...(exclusive === true ? { [strict]: value } : { [name]: value }),
  ...(typeof exclusive === 'number' && { [strict]: exclusive }),
});

/** `type`, in lower case, with the `nullable` of OpenAPI as one of its types; types that do not exist say nothing. */
function typed({ type, nullable }: Schema): Schema {
  const given = (Array.isArray(type) ? type : [type]).map((one) => String(one).toLowerCase());
  const types: string[] = distinct(given).filter((one) => (jsonTypes as readonly string[]).includes(one));
  if (nullable === true && types.length > 0 && !types.includes('null')) types.push('null');
  if (types.length === 0) return {};
  return { type: types.length === 1 && (!Array.isArray(type) || nullable === true) ? types[0] : types };
}

/** Keywords that tell something and ask nothing of a value. */
const telling: ReadonlySet<string> = new Set(['title', 'description', 'default', 'examples', 'deprecated']);
const references = ['$ref', '$dynamicRef'];
const alternatives = ['anyOf', 'oneOf'];
const combining = [...references, ...alternatives, 'allOf'];
const asks = (key: string): boolean =>
  combining.includes(key) || key === 'type' || (keywords.has(key) && !telling.has(key));

/**
 * The `nullable` of OpenAPI where it is no matter of `type` alone: `null` is one of the values that are told by heart, and
 * an alternative to what is said by reference or combined.
 */
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

/** How many pairs of alternatives may still be made: alternatives in alternatives would multiply. */
interface Work {
  pairs: number;
}
const mostPairsInAll = 64;
/** More pairs than these in one place make nothing clearer: then the first of the two holds alone. */
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

/** A whole number is a number. */
function sharedTypes(a: readonly unknown[], b: readonly unknown[]): readonly unknown[] {
  const fits = (one: unknown, others: readonly unknown[]): boolean =>
    others.includes(one) || (one === 'integer' && others.includes('number'));
  const both = distinct([...a.filter((one) => fits(one, b)), ...b.filter((one) => fits(one, a))]);
  return both.length > 0 ? both : a;
}

/**
 * What satisfies both satisfies this; where the two contradict each other, or cannot be said as one, `a` holds. Words for
 * people are those of `a`, if it has any.
 */
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

/** Without `allOf`: all that it says, said by the schema itself. */
export function folded(schema: Schema, work: Work = { pairs: mostPairsInAll }): Schema {
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return schema;
  return (allOf as Schema[])
    .map((one) => folded(one, work))
    .reduce((all, one) => merged(all, one, work), own);
}

// ── schemas without references ────────────────────────────────────────────────────────────────────────
/** Further down than this a schema is not looked into. */
const deepest = 24;

interface Walk {
  readonly find: (ref: string) => Raw;
  /** What the references lead through from the root to here: one that leads back would never end. */
  readonly through: readonly Raw[];
  readonly depth: number;
  readonly levels: number;
  readonly parts: { left: number };
}

/**
 * The schema of a server, made plain: references put in place, broken values left out, what other drafts and OpenAPI
 * spell otherwise spelled as 2020-12 does. It allows whatever the server's own allows, and here and there more. Where
 * a reference leads back to where it stands, any value of that type is allowed.
 *
 * References can make a schema as large as one likes. One of too many parts is looked into as many levels as have no
 * more, for depth first the first parameter would take what all of them need.
 */
function plain(schema: Raw): Schema {
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

/** What can be said of a schema without looking into it. */
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

/** Providers refuse an array of which nobody says what is in it. */
const withItems = (schema: Schema): Schema =>
  isArray(schema) && schema['items'] === undefined ? { ...schema, items: {} } : schema;
const isArray = ({ type }: Schema): boolean =>
  type === 'array' || (Array.isArray(type) && type.includes('array'));

// ── parameters, as an object ──────────────────────────────────────────────────────────────────────────
/** A schema of objects whose root says so plainly: no alternatives there, and `required` names what there is. */
export interface ObjectSchema extends Schema {
  readonly type: 'object';
  /** What an object may have, by name; empty: nothing is said of it. */
  readonly properties: Readonly<Record<string, Schema>>;
}

const mapOf = (value: unknown): Readonly<Record<string, Schema>> =>
  isObject(value) ? (value as Readonly<Record<string, Schema>>) : {};
export const listOf = <T>(value: unknown): readonly T[] => (Array.isArray(value) ? value : []);
const mayBeObject = ({ type }: Schema): boolean =>
  type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));

/** What fits one of the two: values told by heart are put together, other kinds stand side by side. */
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

/**
 * An object in place of alternatives: it has the properties of all of them, and must have what each of them must have
 * (providers take no alternatives at the root of parameters). The server checks which of them go together.
 */
export function joined(schema: Schema): ObjectSchema {
  const { anyOf, ...own } = folded(schema);
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

/** The parameters of a tool as an object, whatever its server wrote; worked out once for each schema. */
export const parametersOf: (schema: object) => ObjectSchema = remembered((schema: object) =>
  joined(plain(schema)),
);
