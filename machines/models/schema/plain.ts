import { distinct, isRecord, keywords } from './keywords.ts';
import { merged } from './merge.ts';
import { targetsOf, type Raw } from './pointer.ts';
import { jsonTypes, type Schema } from './schema.ts';

/** Deeper than this, and behind so many parts, anything is allowed: references can make a schema as large as one likes. */
const deepest = 24;
const mostParts = 5_000;

interface Walk {
  readonly find: (ref: string) => Raw;
  /** What the references lead through from the root to here: one that leads back would never end. */
  readonly through: readonly Raw[];
  readonly depth: number;
  readonly parts: { left: number };
}

/**
 * The schema of a server, made plain: references put in place, broken values left out, what other drafts and OpenAPI
 * spell otherwise spelled as 2020-12 does. It allows whatever the server's own allows, and here and there more. Where
 * a reference leads back to where it stands, any value of that type is allowed.
 */
export function plain(schema: Raw): Schema {
  const walk: Walk = { find: targetsOf(schema), through: [schema], depth: 0, parts: { left: mostParts } };
  return read(schema, walk) ?? {};
}

function read(node: Raw, walk: Walk): Schema | undefined {
  if (node === false) return undefined;
  if (!isRecord(node) || walk.depth > deepest || (walk.parts.left -= 1) < 0) return {};
  const ref = Object.hasOwn(node, '$ref') ? node['$ref'] : undefined;
  if (typeof ref !== 'string') return readKeywords(node, walk);
  const { $ref: _, ...beside } = node;
  const target = walk.find(ref);
  const own = readKeywords(beside, walk);
  if (walk.through.includes(target)) return merged(own, outline(target));
  const found = read(target, { ...walk, through: [...walk.through, target], depth: walk.depth + 1 });
  return found && merged(own, found);
}

/** What can be said of a schema without looking into it. */
function outline(node: Raw): Schema {
  if (!isRecord(node)) return {};
  const { description } = node;
  return {
    ...typed(node),
    ...(typeof description === 'string' && { description }),
  };
}

function readKeywords(node: Schema, walk: Walk): Schema {
  const inside = (value: Raw): Schema | undefined => read(value, { ...walk, depth: walk.depth + 1 });
  const known = Object.entries(respelled(node)).flatMap(([key, value]): [string, unknown][] => {
    const good = keywords.get(key)?.(value, inside);
    return good === undefined ? [] : [[key, good]];
  });
  const found: Schema = { ...typed(node), ...Object.fromEntries(known) };
  return isArray(found) && found['items'] === undefined ? { ...found, items: {} } : found;
}

const isArray = ({ type }: Schema): boolean =>
  type === 'array' || (Array.isArray(type) && type.includes('array'));

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
