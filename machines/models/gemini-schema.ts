import { isObject } from '../protocol/json.ts';
import {
  distinct,
  folded,
  merged,
  joined,
  listOf,
  isOf,
  jsonTypes,
  typeOf,
  mostParts,
  type JsonType,
  type Schema,
} from './schema.ts';

// ── alternatives ──────────────────────────────────────────────────────────────────────────────────────
/** One kind of value that a schema allows; without `type`: any kind. */
interface Alternative {
  readonly type: JsonType | undefined;
  readonly schema: Schema;
}

/** A schema as its alternatives, each of one type at most and without alternatives of its own. */
function alternativesOf(given: Schema): readonly Alternative[] {
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

const valuesOf = (schema: Schema): readonly unknown[] | undefined =>
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

/** `Schema` of the Gemini API: a part of OpenAPI 3.0, with types in capitals and 64-bit numbers as text. */
export interface GeminiSchema {
  /** Absent: any of them. */
  readonly type?: 'STRING' | 'NUMBER' | 'INTEGER' | 'BOOLEAN' | 'ARRAY' | 'OBJECT';
  /** `null` is allowed beside the type. */
  readonly nullable?: boolean;
  /** For the model. */
  readonly description?: string;
  /** Such as `int64`, `double` or `date-time`: formats that Gemini does not know are left out. */
  readonly format?: string;
  /** The texts that are allowed; Gemini knows no other enums. */
  readonly enum?: string[];
  /** A regular expression that a text has to match. */
  readonly pattern?: string;
  /** Characters; a whole number as text. */
  readonly minLength?: string;
  /** Characters; a whole number as text. */
  readonly maxLength?: string;
  /** Of a number, itself allowed. */
  readonly minimum?: number;
  /** Of a number, itself allowed. */
  readonly maximum?: number;
  /** What is in an array. */
  readonly items?: GeminiSchema;
  /** A whole number as text. */
  readonly minItems?: string;
  /** A whole number as text. */
  readonly maxItems?: string;
  /** What an object may have, by name. */
  readonly properties?: Record<string, GeminiSchema>;
  /** Names that an object must have. */
  readonly required?: string[];
  /** One of these has to fit. */
  readonly anyOf?: GeminiSchema[];
}
type Kind = Exclude<JsonType, 'null'>;

/** A schema in Gemini's words: whatever it allowed is allowed, and every schema in it has one type. */
export function toGeminiSchema(schema: Schema): GeminiSchema {
  let left = mostParts;
  const inside: Inside = (given) => {
    left -= given.length;
    return given.map((one) => convert(left < 0 ? withoutParts(one) : one, inside));
  };
  return convert(schema, inside);
}
/** Schemas that stand in one schema, each converted; they are counted before any of them is looked into. */
type Inside = (given: readonly Schema[]) => readonly GeminiSchema[];
/** Where there are too many parts already, what is left of one is its type. */
const withoutParts = ({ type, description }: Schema): Schema => ({
  ...(type !== undefined && { type, items: {} }),
  ...(description !== undefined && { description }),
});

function convert(schema: Schema, inside: Inside): GeminiSchema {
  const alternatives = alternativesOf(schema);
  // Any value may be `null`, too.
  const isNullable = alternatives.some(({ type }) => type === 'null' || type === undefined);
  const kinds = alternatives.flatMap((one) => ofOneKind(one, inside));
  // Where nothing but `null` is allowed, a text that may be null is as near as one gets.
  const found = distinct(kinds.length > 0 ? kinds : [{ type: 'STRING', ...wordsOf(schema) } as const]);
  const all = isNullable ? found.map((one) => ({ ...one, nullable: true })) : found;
  const [only] = all;
  return all.length === 1 && only ? only : { anyOf: all };
}

const everyKind: readonly Kind[] = ['string', 'number', 'boolean', 'object', 'array'];
/** A list of which nothing is known may hold these; lists in it would have no end. */
const anyItem: GeminiSchema = {
  anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }, { type: 'BOOLEAN' }, { type: 'OBJECT' }],
};

function ofOneKind({ type, schema }: Alternative, inside: Inside): readonly GeminiSchema[] {
  if (type === 'null') return [];
  // What is said of any value is said once.
  if (type === undefined) return everyKind.map((kind, n) => asKind[kind](n === 0 ? schema : {}, inside));
  return [asKind[type](schema, inside)];
}

const asKind: Readonly<Record<Kind, (schema: Schema, inside: Inside) => GeminiSchema>> = {
  string: (schema) => {
    const values = listOf<string>(schema['enum']);
    // An empty text is no value of an `enum` there.
    if (values.includes('')) return { type: 'STRING', ...wordsOf(schema, values) };
    return {
      type: 'STRING',
      ...wordsOf(schema),
      ...(values.length > 0 ? { enum: [...values] } : textLimits(schema)),
    };
  },
  number: (schema) => ({ type: 'NUMBER', ...numberOf(schema, ['float', 'double'], 0) }),
  integer: (schema) => ({ type: 'INTEGER', ...numberOf(schema, ['int32', 'int64'], 1) }),
  boolean: (schema) => ({ type: 'BOOLEAN', ...wordsOf(schema, listOf(schema['enum'])) }),
  array: (schema, inside) => {
    const [items = anyItem] = isObject(schema['items']) ? inside([schema['items']]) : [];
    return {
      type: 'ARRAY',
      ...wordsOf(schema, listOf(schema['enum'])),
      items,
      ...counts(schema, 'minItems', 'maxItems'),
    };
  },
  object: (schema, inside) => {
    const given = isObject(schema['properties']) ? schema['properties'] : {};
    const names = Object.keys(given);
    const converted = inside(Object.values(given) as Schema[]);
    const properties = Object.fromEntries(names.map((name, n) => [name, converted[n] ?? {}]));
    const required = listOf<string>(schema['required']).filter((name) => Object.hasOwn(properties, name));
    return {
      type: 'OBJECT',
      ...wordsOf(schema, listOf(schema['enum'])),
      ...(names.length > 0 && { properties }),
      ...(required.length > 0 && { required }),
    };
  },
};

/** An `enum` is for texts only; other values are told in words. */
function wordsOf(
  { description }: Schema,
  values: readonly unknown[] = [],
): { readonly description?: string } {
  const told = values.length > 0 ? `One of: ${values.map((value) => JSON.stringify(value)).join(', ')}.` : '';
  const text = [typeof description === 'string' ? description : '', told]
    .filter((part) => part !== '')
    .join(' ');
  return text === '' ? {} : { description: text };
}

function numberOf(schema: Schema, formats: readonly string[], step: number): Omit<GeminiSchema, 'type'> {
  const [least, most] = [
    limitOf(schema, 'minimum', 'exclusiveMinimum', step),
    limitOf(schema, 'maximum', 'exclusiveMaximum', -step),
  ];
  const format = formats.find((one) => one === schema['format']);
  return {
    ...wordsOf(schema, listOf(schema['enum'])),
    ...(format !== undefined && { format }),
    ...(least !== undefined && { minimum: least }),
    ...(most !== undefined && { maximum: most }),
  };
}
/** A limit that is out is the next whole number, or, among fractions, the limit itself. */
function limitOf(schema: Schema, key: string, strict: string, step: number): number | undefined {
  const out = schema[strict];
  if (typeof out === 'number') return step === 0 ? out : step > 0 ? Math.floor(out) + 1 : Math.ceil(out) - 1;
  return typeof schema[key] === 'number' ? schema[key] : undefined;
}

/** RE2 knows neither a look around nor a reference to a group. */
const beyondRe2 = /\(\?<?[=!]|\\[1-9]|\\k</;
function textLimits(schema: Schema): Omit<GeminiSchema, 'type'> {
  const { format, pattern } = schema;
  return {
    ...(format === 'date-time' && { format }),
    ...(typeof pattern === 'string' && !beyondRe2.test(pattern) && { pattern }),
    ...counts(schema, 'minLength', 'maxLength'),
  };
}
const counts = (
  schema: Schema,
  ...keys: readonly ('minItems' | 'maxItems' | 'minLength' | 'maxLength')[]
): Omit<GeminiSchema, 'type'> =>
  Object.fromEntries(
    keys.flatMap((key) => (typeof schema[key] === 'number' ? [[key, String(schema[key])]] : [])),
  );
