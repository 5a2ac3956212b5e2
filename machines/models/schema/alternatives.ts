import { distinct } from './keywords.ts';
import { folded, merged } from './merge.ts';
import { joined, listOf } from './object.ts';
import { isOf, jsonTypes, typeOf, type JsonType, type Schema } from './schema.ts';
import { isObject } from '../../protocol/json.ts';

/** One kind of value that a schema allows; without `type`: any kind. */
export interface Alternative {
  readonly type: JsonType | undefined;
  readonly schema: Schema;
}

/** A schema as its alternatives, each of one type at most and without alternatives of its own. */
export function alternativesOf(given: Schema): readonly Alternative[] {
  const { anyOf, ...own } = folded(given);
  if (!Array.isArray(anyOf)) return typesOf(own).map((type) => ({ type, schema: ofType(own, type) }));
  // What is in it is said once, not in each alternative: there it would double from level to level.
  const { description: _, ...base } = own;
  const bare = { ...base, ...(isList(own) && { items: {} }), ...(isMap(own) && { properties: {} }) };
  const found = (anyOf as Schema[]).flatMap((one) => alternativesOf(merged(bare, one)));
  const isTogether = ({ type }: Alternative): boolean =>
    (type === 'object' && isMap(own)) || (type === 'array' && isList(own));
  const those = (kind: JsonType): readonly Alternative[] =>
    found.filter((one) => one.type === kind && isTogether(one));
  return [
    ...together(own, those('object'), anObject),
    ...together(own, those('array'), aList),
    ...found
      .filter((one) => !isTogether(one))
      .map(({ type, schema }) => ({ type, schema: described(schema, [own, schema]) })),
  ];
}
const isMap = ({ properties }: Schema): boolean => isObject(properties);
/** Items of which nothing is said are as well said in each. */
const isList = ({ items }: Schema): boolean => isObject(items) && Object.keys(items).length > 0;

/** Nothing that was said of all of them, or of one, is lost. */
function described(schema: Schema, by: readonly Schema[]): Schema {
  const texts = distinct(by.map(({ description }) => description).filter((text) => typeof text === 'string'));
  return texts.length > 0 ? { ...schema, description: texts.join('\n') } : schema;
}

type Join = (own: Schema, all: readonly Schema[]) => Schema;
/** Alternatives of one kind, such as "one of these two is required", as one. */
function together(own: Schema, some: readonly Alternative[], join: Join): readonly Alternative[] {
  const [first] = some;
  if (!first) return [];
  const all = some.map(({ schema }) => schema);
  const whole = ofType({ ...join(own, all), type: first.type }, first.type);
  return [{ type: first.type, schema: described(whole, [own, ...all]) }];
}
const anObject: Join = (own, all) => joined({ ...own, type: 'object', anyOf: all });
/** Its items are of the kinds that its alternatives name, if each of them does. */
const aList: Join = (own, all) => {
  const kinds = distinct(all.map(({ items }) => items as Schema));
  const isSaid = kinds.every((one) => Object.keys(one).length > 0);
  const inside = kinds.length === 1 ? kinds[0] : { anyOf: kinds };
  const { items } = merged({ items: own['items'] }, isSaid ? { items: inside } : {});
  return all.length === 1 ? { ...all[0], items } : { ...own, items };
};

export const valuesOf = (schema: Schema): readonly unknown[] | undefined =>
  'const' in schema ? [schema['const']] : Array.isArray(schema['enum']) ? schema['enum'] : undefined;

const ofType = (schema: Schema, type: JsonType | undefined): Schema => {
  const values = valuesOf(schema);
  if (!values || type === undefined) return schema;
  const { const: _, ...rest } = schema;
  return { ...rest, enum: values.filter((value) => isOf(value, type)) };
};

/** Keywords that speak of values of one type only. */
const hints: readonly (readonly [type: JsonType, keywords: readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames']],
  ['array', ['items', 'minItems', 'maxItems', 'uniqueItems']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

function typesOf(schema: Schema): readonly (JsonType | undefined)[] {
  const { type } = schema;
  const said = listOf<JsonType>(Array.isArray(type) ? type : jsonTypes.filter((one) => one === type));
  const values = valuesOf(schema);
  const ofValues = values && distinct(values.map(typeOf));
  if (said.length > 0) {
    const fitting = said.filter((one) => !values || values.some((value) => isOf(value, one)));
    return whole(fitting.length > 0 ? fitting : said);
  }
  if (ofValues && ofValues.length > 0) return whole(ofValues);
  const hinted = hints.filter(([, keywords]) => keywords.some((keyword) => keyword in schema));
  return hinted.length === 0 ? [undefined] : hinted.map(([hint]) => hint);
}
/** A whole number is a number, so that where both are allowed one of them says it. */
const whole = (types: readonly JsonType[]): readonly JsonType[] =>
  types.includes('number') ? types.filter((type) => type !== 'integer') : types;
