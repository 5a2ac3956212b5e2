import { fnv, fnvBasis } from '../kernel/fnv.ts';
import { hostFailure, wireCodes, type HostFailure } from '../protocol/failure.ts';
import { asText, roundedArguments, isObject } from '../protocol/json.ts';
import type { Json } from './format.ts';
import { readLenientJson } from './lenient-json.ts';
import { listOf, type ObjectSchema, type Schema } from './schema.ts';

/** Arguments as an object, or the failure (code 400) in words from which a model can correct them. */
export type ArgumentsRead =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly failure: HostFailure };

/**
 * Reads the arguments of a call as a model gave them: an object or its JSON text. Nothing, blank text and
 * `null` give `{}`; anything else is an error that the model can correct. An integer too large for a number
 * is an error too, unless `schema` says `number`.
 */
export function readArguments(given: unknown, schema?: unknown): ArgumentsRead {
  const value = typeof given === 'string' ? fromText(given) : (given ?? {});
  if (!isObject(value)) {
    const what =
      value === undefined ? 'text that is no JSON' : Array.isArray(value) ? 'a list' : typeof value;
    return refused(`The arguments must be a JSON object; they are ${what}`);
  }
  const problems = roundedArguments(value, schema);
  return problems.length > 0
    ? refused(`Wrong arguments: ${problems.join('; ')}. ${asText}`, asText)
    : { ok: true, value };
}
const refused = (message: string, remedy?: string): ArgumentsRead => ({
  ok: false,
  failure: hostFailure({
    code: wireCodes.badRequest,
    message,
    ...(remedy !== undefined && { remedy }),
  }),
});

function fromText(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return (JSON.parse(text) as unknown) ?? {};
  } catch {
    return readLenientJson(text);
  }
}

/** From the name on the server to one that the provider accepts. */
export type Renames = ReadonlyMap<string, string>;

const longest = 64;
const deepestName = 100;

/** Unique in the schema, at any depth. */
export function renamesFor(schema: Schema, valid: RegExp): Renames {
  const names = new Set<string>();
  collect(schema, names);
  const renames = new Map<string, string>();
  for (const name of [...names].filter((one) => !valid.test(one)).toSorted()) {
    const clean = name.replaceAll(/[^A-Za-z0-9_]/g, '_').replace(/^(?![A-Za-z_])/, '_');
    const digest = (fnv(fnvBasis, name) >>> 0).toString(16).padStart(8, '0');
    const ending = (n: number): string => `_${digest}${n === 0 ? '' : `_${n}`}`;
    const candidate = (n: number): string => clean.slice(0, longest - ending(n).length) + ending(n);
    let n = 0;
    while (names.has(candidate(n))) n += 1;
    const shown = candidate(n);
    names.add(shown);
    renames.set(name, shown);
  }
  return renames;
}
function collect(schema: Schema, names: Set<string>): void {
  for (const name of Object.keys(isObject(schema['properties']) ? schema['properties'] : {})) names.add(name);
  for (const name of listOf<string>(schema['required'])) names.add(name);
  eachInside(schema, (inside) => {
    collect(inside, names);
    return inside;
  });
}

function eachInside(schema: Schema, change: (inside: Schema) => Schema): Schema {
  const byName = (value: unknown): Schema =>
    Object.fromEntries(Object.entries(value as Schema).map(([name, one]) => [name, change(one as Schema)]));
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]): [string, unknown] => {
      if (key === 'properties' || key === 'patternProperties') return [key, byName(value)];
      if (key === 'anyOf' || key === 'allOf') return [key, listOf<Schema>(value).map(change)];
      const isSchema = ['items', 'additionalProperties', 'propertyNames'].includes(key) && isObject(value);
      return [key, isSchema ? change(value) : value];
    }),
  );
}

export const renamed = (schema: ObjectSchema, renames: Renames): ObjectSchema =>
  renames.size === 0 ? schema : (under(schema, renames) as ObjectSchema);
function under(schema: Schema, renames: Renames): Schema {
  const changed = eachInside(schema, (inside) => under(inside, renames));
  const { properties, required } = changed;
  const as = (name: string): string => renames.get(name) ?? name;
  return {
    ...changed,
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [as(name), one])),
    }),
    ...(Array.isArray(required) && { required: listOf<string>(required).map(as) }),
  };
}

export function restored(args: Json, renames: Renames): Json {
  if (renames.size === 0) return args;
  const names = new Map([...renames].map(([name, shown]) => [shown, name]));
  const back = (value: unknown, depth: number): unknown => {
    if (depth > deepestName) return value;
    if (Array.isArray(value)) return value.map((one) => back(one, depth + 1));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [names.get(name) ?? name, back(one, depth + 1)]),
    );
  };
  return back(args, 0) as Json;
}
