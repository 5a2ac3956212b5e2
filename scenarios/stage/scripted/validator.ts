import type { Validate, Validity } from '../../../machines/call/policy/judge.ts';

type Keyed = Readonly<Record<string, unknown>>;
const isKeyed = (value: unknown): value is Keyed =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isKeyed,
};
const isType = (type: unknown): type is string => typeof type === 'string' && Object.hasOwn(types, type);

/** Undefined when the schema uses keywords that are not supported here. */
function problemsOf(schema: unknown, value: unknown, path: readonly string[]): string[] | undefined {
  if (!isKeyed(schema) || Object.hasOwn(schema, '$ref')) return undefined;
  const { type, required = [], properties = {} } = schema;
  if ((type !== undefined && !isType(type)) || !Array.isArray(required) || !isKeyed(properties))
    return undefined;
  const line = (at: readonly string[], text: string): string =>
    [at.join('.'), text].filter(Boolean).join(': ');
  if (type !== undefined && !types[type]?.(value)) return [line(path, `must be ${type}`)];
  if (!isKeyed(value)) return [];
  const missing = required.map(String).filter((name) => !Object.hasOwn(value, name));
  const found = missing.map((name) => line([...path, name], 'is missing'));
  for (const [name, inner] of Object.entries(properties)) {
    const problems = Object.hasOwn(value, name) ? problemsOf(inner, value[name], [...path, name]) : [];
    if (!problems) return undefined;
    found.push(...problems);
  }
  return found;
}

/** Checks `type`, `required` and `properties`, and accepts schemas that it does not support. */
export const simpleValidate: Validate = (schema, value): Validity => {
  const problems = problemsOf(schema, value, []);
  if (!problems) return { ok: 'unchecked', reason: 'it has words that are not played here' };
  return problems.length === 0 ? { ok: true } : { ok: false, problems: problems.slice(0, 5) };
};
