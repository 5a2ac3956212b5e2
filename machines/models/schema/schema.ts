/** A schema without references in which every keyword has a value that JSON Schema 2020-12 allows. */
export type Schema = Readonly<Record<string, unknown>>;

export const jsonTypes = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const;
export type JsonType = (typeof jsonTypes)[number];

/** More parts than these no provider is given: what is beyond them may be anything of its type. */
export const mostParts = 5_000;

export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}
export const isOf = (value: unknown, type: unknown): boolean =>
  typeOf(value) === type || (type === 'number' && typeof value === 'number');

/** Values told by heart that its type does not allow are left out: providers refuse them. Where none is left, the type alone holds. */
export function withFitting(schema: Schema): Schema {
  const { type, enum: values, const: value, ...rest } = schema;
  if (type === undefined || !('enum' in schema || 'const' in schema)) return schema;
  const fits = (one: unknown): boolean => [type].flat().some((each) => isOf(one, each));
  const fitting = Array.isArray(values) ? values.filter(fits) : [];
  return {
    ...rest,
    type,
    ...(fitting.length > 0 && { enum: fitting }),
    ...('const' in schema && fits(value) && { const: value }),
  };
}
