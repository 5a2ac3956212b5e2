import { distinct, isRecord } from './keywords.ts';
import { folded, merged } from './merge.ts';
import { joined, listOf } from './object.ts';
import { jsonTypes, type JsonType, type Schema } from './schema.ts';

/** One kind of value that a schema allows; without `type`: any kind. */
export interface Alternative {
  readonly type: JsonType | undefined;
  readonly schema: Schema;
}

/** A schema as its alternatives, each of one type at most and without alternatives of its own. */
export function alternativesOf(given: Schema): readonly Alternative[] {
  const { anyOf, ...own } = folded(given);
  if (!Array.isArray(anyOf)) return typesOf(own).map((type) => ({ type, schema: ofType(own, type) }));
  // Alternatives of one object, such as "one of these two is required": together they are that object.
  if (isRecord(own['properties'])) return [{ type: 'object', schema: joined({ ...own, anyOf }) }];
  return (anyOf as Schema[]).flatMap((one) => alternativesOf(described(own, merged(own, one), one)));
}

/** Nothing that was said of all of them, or of one, is lost. */
function described(all: Schema, both: Schema, one: Schema): Schema {
  const texts = distinct([all['description'], one['description']].filter((text) => typeof text === 'string'));
  return texts.length > 1 ? { ...both, description: texts.join('\n') } : both;
}

export const valuesOf = (schema: Schema): readonly unknown[] | undefined =>
  'const' in schema ? [schema['const']] : Array.isArray(schema['enum']) ? schema['enum'] : undefined;

export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}
const ofType = (schema: Schema, type: JsonType | undefined): Schema => {
  const values = valuesOf(schema);
  if (!values || type === undefined) return schema;
  const { const: _, ...rest } = schema;
  return { ...rest, enum: values.filter((value) => isOf(value, type)) };
};
const isOf = (value: unknown, type: JsonType): boolean =>
  typeOf(value) === type || (type === 'number' && typeof value === 'number');

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
