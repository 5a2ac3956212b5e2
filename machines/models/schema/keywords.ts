import type { Schema } from './schema.ts';
import { isObject } from '../../protocol/json.ts';

/** Reads a schema inside another one; `undefined`: nothing can satisfy it. */
export type ReadInside = (value: unknown) => Schema | undefined;
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
export const keywords: ReadonlyMap<string, Keyword> = new Map<string, Keyword>([
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
