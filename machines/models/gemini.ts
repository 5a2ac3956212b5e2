/** Tools, calls and results in the form of the Gemini API. */
import { remembered } from '../kernel/objects.ts';
import { isObject } from '../protocol/json.ts';
import type { Json, MCPToolDefinition, MCPToolResponse, ProviderFormat } from './format.ts';
import { mediaPicker, type AcceptedTypes, partsBeside, textOf } from './present.ts';
import { renamed, renamesFor, restored, type Renames } from './arguments.ts';
import {
  parametersOf,
  distinct,
  withoutAllOf,
  merged,
  joined,
  listOf,
  hasType,
  jsonTypes,
  typeOf,
  mostParts,
  type JsonType,
  type Schema,
} from './schema.ts';

/** Without `type`, any kind. */
interface Alternative {
  readonly type: JsonType | undefined;
  readonly schema: Schema;
}

/** At most one type each, without alternatives of their own. */
function alternativesOf(given: Schema): readonly Alternative[] {
  const { anyOf, ...own } = withoutAllOf(given);
  if (!Array.isArray(anyOf)) return typesOf(own).map((type) => ({ type, schema: ofType(own, type) }));
  // Nested parts are added once later; copied into each alternative they would double at each level.
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
/** An empty item schema does not count. */
const isList = ({ items }: Schema): boolean => isObject(items) && Object.keys(items).length > 0;

function described(schema: Schema, by: readonly Schema[]): Schema {
  const texts = distinct(by.map(({ description }) => description).filter((text) => typeof text === 'string'));
  return texts.length > 0 ? { ...schema, description: texts.join('\n') } : schema;
}

type Join = (own: Schema, all: readonly Schema[]) => Schema;
/** Such as "one of these two properties is required". */
function together(own: Schema, some: readonly Alternative[], join: Join): readonly Alternative[] {
  const [first] = some;
  if (!first) return [];
  const all = some.map(({ schema }) => schema);
  const whole = ofType({ ...join(own, all), type: first.type }, first.type);
  return [{ type: first.type, schema: described(whole, [own, ...all]) }];
}
const anObject: Join = (own, all) => joined({ ...own, type: 'object', anyOf: all });
const aList: Join = (own, all) => (all.length === 1 ? { ...all[0], items: own['items'] } : own);

const valuesOf = (schema: Schema): readonly unknown[] | undefined =>
  'const' in schema ? [schema['const']] : Array.isArray(schema['enum']) ? schema['enum'] : undefined;

const ofType = (schema: Schema, type: JsonType | undefined): Schema => {
  const values = valuesOf(schema);
  if (!values || type === undefined) return schema;
  const { const: _, ...rest } = schema;
  return { ...rest, enum: values.filter((value) => hasType(value, type)) };
};

/** They apply to values of one type only; a missing type is guessed from them. */
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
    const fitting = said.filter((one) => !values || values.some((value) => hasType(value, one)));
    return whole(fitting.length > 0 ? fitting : said);
  }
  if (ofValues && ofValues.length > 0) return whole(ofValues);
  const hinted = hints.filter(([, keywords]) => keywords.some((keyword) => keyword in schema));
  return hinted.length === 0 ? [undefined] : hinted.map(([hint]) => hint);
}
/** `number` includes `integer`. */
const whole = (types: readonly JsonType[]): readonly JsonType[] =>
  types.includes('number') ? types.filter((type) => type !== 'integer') : types;

/** Schema of the Gemini API: a subset of OpenAPI 3.0, with types in capitals and 64-bit numbers as text. */
export interface GeminiSchema {
  /** Type of the value; absent means any type. */
  readonly type?: 'STRING' | 'NUMBER' | 'INTEGER' | 'BOOLEAN' | 'ARRAY' | 'OBJECT';
  /** True when `null` is allowed besides the type. */
  readonly nullable?: boolean;
  /** Description for the model. */
  readonly description?: string;
  /**
   * Format of the value, such as `int64`, `double` or `date-time`; formats unknown to Gemini are left out.
   */
  readonly format?: string;
  /** Allowed strings; Gemini supports no enums of other types. */
  readonly enum?: string[];
  /** Regular expression that a string must match. */
  readonly pattern?: string;
  /** Smallest length of a string in characters: an integer, written as text. */
  readonly minLength?: string;
  /** Largest length of a string in characters: an integer, written as text. */
  readonly maxLength?: string;
  /** Smallest allowed number, inclusive. */
  readonly minimum?: number;
  /** Largest allowed number, inclusive. */
  readonly maximum?: number;
  /** Schema of the items of an array. */
  readonly items?: GeminiSchema;
  /** Smallest number of items: an integer, written as text. */
  readonly minItems?: string;
  /** Largest number of items: an integer, written as text. */
  readonly maxItems?: string;
  /** Schemas of the properties of an object, by name. */
  readonly properties?: Record<string, GeminiSchema>;
  /** Names of required properties of an object. */
  readonly required?: string[];
  /** Alternatives, of which at least one must match. */
  readonly anyOf?: GeminiSchema[];
}
type Kind = Exclude<JsonType, 'null'>;

/** Allows at least everything the original allows; each schema inside has a single type. */
export function toGeminiSchema(schema: Schema): GeminiSchema {
  let left = mostParts;
  const inside: Inside = (given) => {
    left -= given.length;
    return given.map((one) => convert(left < 0 ? withoutParts(one) : one, inside));
  };
  return convert(schema, inside);
}
/** All are counted before any is converted, to limit the total size. */
type Inside = (given: readonly Schema[]) => readonly GeminiSchema[];
/** When the limit of parts is exceeded. */
const withoutParts = ({ type, description }: Schema): Schema => ({
  ...(type !== undefined && { type, items: {} }),
  ...(description !== undefined && { description }),
});

function convert(schema: Schema, inside: Inside): GeminiSchema {
  const alternatives = alternativesOf(schema);
  // A schema of any value allows `null`, too.
  const isNullable = alternatives.some(({ type }) => type === 'null' || type === undefined);
  const kinds = alternatives.flatMap((one) => ofOneKind(one, inside));
  // For `null` alone a nullable string is the closest that Gemini can express.
  const found = distinct(kinds.length > 0 ? kinds : [{ type: 'STRING', ...wordsOf(schema) } as const]);
  const all = isNullable ? found.map((one) => ({ ...one, nullable: true })) : found;
  const [only] = all;
  return all.length === 1 && only ? only : { anyOf: all };
}

const everyKind: readonly Kind[] = ['string', 'number', 'boolean', 'object', 'array'];
/** Without arrays inside, because their nesting would be endless. */
const anyItem: GeminiSchema = {
  anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }, { type: 'BOOLEAN' }, { type: 'OBJECT' }],
};

function ofOneKind({ type, schema }: Alternative, inside: Inside): readonly GeminiSchema[] {
  if (type === 'null') return [];
  // The first kind only, so that the description is not repeated.
  if (type === undefined) return everyKind.map((kind, n) => asKind[kind](n === 0 ? schema : {}, inside));
  return [asKind[type](schema, inside)];
}

const asKind: Readonly<Record<Kind, (schema: Schema, inside: Inside) => GeminiSchema>> = {
  string: (schema) => {
    const values = listOf<string>(schema['enum']);
    // Gemini refuses an empty string in an `enum`, so the values are listed in the description.
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

/** Returns the description with allowed values added, because Gemini's `enum` takes strings only. */
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
/** The next integer, or for fractions the limit itself. */
function limitOf(schema: Schema, key: string, strict: string, step: number): number | undefined {
  const out = schema[strict];
  if (typeof out === 'number') return step === 0 ? out : step > 0 ? Math.floor(out) + 1 : Math.ceil(out) - 1;
  return typeof schema[key] === 'number' ? schema[key] : undefined;
}

/** Lookarounds and backreferences, which Gemini's RE2 engine does not support. */
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

/** Tool declaration for Gemini's `generateContent`, in the Gemini API and Vertex AI. */
export interface GeminiFunctionDeclaration {
  /** Name of the tool, at most 64 characters. */
  readonly name: string;
  /** Description of the tool; never empty. */
  readonly description: string;
  /**
   * Schema of the parameters; absent for a tool without any, because Gemini refuses an object without
   * properties.
   */
  readonly parameters?: GeminiParameters;
}
/**
 * Copy of the enum `Type` of `@google/genai`, so that our schemas are assignable to its types without a
 * dependency on the package. Its members cannot be given as plain strings.
 */
export declare enum Type {
  STRING = 'STRING',
  NUMBER = 'NUMBER',
  INTEGER = 'INTEGER',
  BOOLEAN = 'BOOLEAN',
  ARRAY = 'ARRAY',
  OBJECT = 'OBJECT',
}
/** A `GeminiSchema` in the types of `@google/genai`. */
export interface GeminiParameters extends Omit<GeminiSchema, 'type' | 'items' | 'properties' | 'anyOf'> {
  /** Type of the value, as in `GeminiSchema`. */
  readonly type?: Type;
  /** Schema of array items, as in `GeminiSchema`. */
  readonly items?: GeminiParameters;
  /** Schemas of object properties, as in `GeminiSchema`. */
  readonly properties?: Record<string, GeminiParameters>;
  /** Alternative schemas, as in `GeminiSchema`. */
  readonly anyOf?: GeminiParameters[];
}
/** Element of the `tools` of a request. */
export interface GeminiTool {
  /** All offered tools; a single element holds them all. */
  readonly functionDeclarations: GeminiFunctionDeclaration[];
}
/** Call of a tool: the `functionCall` of one part of an answer. */
export interface GeminiFunctionCall {
  /** Id of the call; the Gemini API omits it and matches results by name and position. */
  readonly id?: string;
  /** Name under which the tool was offered. */
  readonly name?: string;
  /** Arguments of the call, as an object. */
  readonly args?: Record<string, unknown>;
}
/** Part of the next request with the result of a call. */
export interface GeminiFunctionResponsePart {
  /** Result of the call with this name; `response` has its text as `output` or `error`. */
  readonly functionResponse: {
    readonly id?: string;
    readonly name: string;
    readonly response: Record<string, unknown>;
  };
}

/**
 * Message with the results of all calls of an answer. Images, sounds and documents come after all results, because only some
 * models take them inside of a result.
 */
export interface GeminiResultContent {
  readonly role: 'user';
  /** Results in the order of the calls, then media, each after its name in the texts of the results. */
  readonly parts: (
    | GeminiFunctionResponsePart
    | { readonly text: string }
    | { readonly inlineData: { readonly mimeType: string; readonly data: string } }
  )[];
}

const parameterName = /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/;
const renamesOf: (parameters: object) => Renames = remembered((parameters: object) =>
  renamesFor(parametersOf(parameters), parameterName),
);

function toDeclaration({ function: offered }: MCPToolDefinition): GeminiFunctionDeclaration {
  const { name, description } = offered;
  const parameters = toGeminiSchema(renamed(parametersOf(offered.parameters), renamesOf(offered.parameters)));
  return { name, description, ...(parameters.properties && { parameters: parameters as GeminiParameters }) };
}

const taken: AcceptedTypes = {
  image: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
  audio: ['audio/wav', 'audio/mpeg', 'audio/aiff', 'audio/aac', 'audio/ogg', 'audio/flac'],
  document: ['application/pdf'],
};
const resultOf = (
  { id, name = '' }: GeminiFunctionCall,
  { isError }: MCPToolResponse,
  text: string,
): GeminiFunctionResponsePart => ({
  functionResponse: {
    // Not an id made by the conversation: Gemini matches calls without an id by name and position.
    ...(id && { id }),
    name,
    response: { [isError ? 'error' : 'output']: text },
  },
});

/** Format of `generateContent`, in the Gemini API and Vertex AI. */
export const gemini = {
  /** Returns a list of one element with all tools; an empty list without tools. */
  toTools: (definitions) =>
    definitions.length === 0 ? [] : [{ functionDeclarations: definitions.map(toDeclaration) }],
  fromCall: ({ id, name = '', args }, conversation) =>
    conversation.read({ id, name, arguments: args }, (given: Json, parameters) =>
      restored(given, renamesOf(parameters)),
    ),
  // Converts to text only; `toMessages` also converts images, sounds and documents.
  toResult: (call, response, { characters } = {}) => resultOf(call, response, textOf(response, characters)),
  toMessages(results, options = {}): GeminiResultContent[] {
    if (results.length === 0) return [];
    const picker = mediaPicker(taken, ['image', 'audio', 'document'], options);
    const { texts, media } = partsBeside(
      results.map(({ response }) => response),
      picker,
      options,
    );
    const told = results.map(({ call, response }, n) => resultOf(call, response, texts[n] ?? ''));
    const beside = media.flatMap(({ name, mimeType, data }) => [
      { text: `${name}:` },
      { inlineData: { mimeType, data } },
    ]);
    return [{ role: 'user', parts: [...told, ...beside] }];
  },
} satisfies ProviderFormat<GeminiTool[], GeminiFunctionCall, GeminiFunctionResponsePart>;
