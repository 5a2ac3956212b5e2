import { remembered } from '../../kernel/objects.ts';
import { distinct } from './keywords.ts';
import { folded, merged } from './merge.ts';
import { plain } from './plain.ts';
import type { Schema } from './schema.ts';
import { isObject } from '../../protocol/json.ts';

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
