import { distinct, keywords } from './keywords.ts';
import { jsonTypes, type Schema } from './schema.ts';

/** As 2020-12 spells it. `oneOf` allows what `anyOf` allows, for parts of schemas that allow more than they did. */
export function respelled(node: Schema): Schema {
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
export function typed({ type, nullable }: Schema): Schema {
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
export function orNull(node: Schema): Schema {
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
