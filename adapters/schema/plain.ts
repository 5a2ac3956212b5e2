import { isObject } from '../../machines/protocol/json.ts';

type Is = (value: unknown) => boolean;

const isText: Is = (value) => typeof value === 'string';
const isNumber: Is = (value) => typeof value === 'number';
const isTruth: Is = (value) => typeof value === 'boolean';
const isCount: Is = (value) => Number.isInteger(value) && Number(value) >= 0;
const isList: Is = Array.isArray;
const isSchema: Is = (value) => isTruth(value) || (isObject(value) && isPlain(value));
const isSchemas: Is = (value) => isObject(value) && Object.values(value).every(isSchema);
const isChoice: Is = (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema);
const isSetOf =
  (is: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every(is) && new Set(value).size === value.length;
const types: ReadonlySet<unknown> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
]);
const isType: Is = (value) => types.has(value);
const isSome =
  (is: Is): Is =>
  (value) =>
    Array.isArray(value) && value.length > 0 && is(value);
const isTypes = isSome(isSetOf(isType));
const isLeaf: Is = (value) => typeof value !== 'object' || value === null;
const words = (is: Is, ...names: readonly string[]): readonly (readonly [string, Is])[] =>
  names.map((name) => [name, is]);

/** Words that each dialect that is known here reads alike, and what may stand under them. */
const plainWords: ReadonlyMap<string, Is> = new Map([
  ...words((value) => isType(value) || isTypes(value), 'type'),
  ...words(isSome(isSetOf(isLeaf)), 'enum'),
  ...words(isText, '$schema', '$comment', 'title', 'description', 'format', 'pattern'),
  ...words(isNumber, 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
  ...words((value) => isNumber(value) && Number(value) > 0, 'multipleOf'),
  ...words(isCount, 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'),
  ...words(isTruth, 'uniqueItems', 'readOnly', 'writeOnly', 'deprecated'),
  ...words(isList, 'examples'),
  ...words(() => true, 'const', 'default'),
  ...words(isSetOf(isText), 'required'),
  ...words(isSchemas, 'properties', '$defs', 'definitions'),
  ...words(
    isSchema,
    'items',
    'additionalProperties',
    'contains',
    'propertyNames',
    'not',
    'if',
    'then',
    'else',
  ),
  ...words(isChoice, 'anyOf', 'oneOf', 'allOf'),
  // A reference inside the same schema.
  ...words((value) => typeof value === 'string' && value.startsWith('#'), '$ref'),
]);
/**
 * Whether a schema, which is not too deep, is surely one: of these words alone, each with what it may have. Most schemas of tools are.
 * Of others, right or wrong, nothing is known here.
 */
export const isPlain = (schema: object): boolean =>
  Object.entries(schema).every(([word, value]) => plainWords.get(word)?.(value) === true);
