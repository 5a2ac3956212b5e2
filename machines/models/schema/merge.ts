import { distinct } from './keywords.ts';
import { withFitting, type Schema } from './schema.ts';
import { isObject } from '../../protocol/json.ts';

const typesOf = ({ type }: Schema): readonly unknown[] | undefined =>
  type === undefined ? undefined : Array.isArray(type) ? type : [type];
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** How many pairs of alternatives may still be made: alternatives in alternatives would multiply. */
interface Work {
  pairs: number;
}
const mostPairsInAll = 64;
/** More pairs than these in one place make nothing clearer: then the first of the two holds alone. */
const mostPairs = 16;

type Join = (a: never, b: never, work: Work) => unknown;
const larger = (a: number, b: number): number => Math.max(a, b);
const smaller = (a: number, b: number): number => Math.min(a, b);
const either = (a: readonly unknown[], b: readonly unknown[]): readonly unknown[] => distinct([...a, ...b]);
const shared = (a: readonly unknown[], b: readonly unknown[]): readonly unknown[] => {
  const both = a.filter((one) => b.some((other) => same(one, other)));
  return both.length > 0 ? both : a;
};
const byName = (a: Schema, b: Schema, work: Work): Schema =>
  Object.fromEntries([
    ...Object.entries(a).map(([name, one]) => [
      name,
      Object.hasOwn(b, name) ? merged(one as Schema, b[name] as Schema, work) : one,
    ]),
    ...Object.entries(b).filter(([name]) => !Object.hasOwn(a, name)),
  ]);
const closed = (a: Schema | boolean, b: Schema | boolean, work: Work): Schema | boolean => {
  if (a === false || b === false) return false;
  return isObject(a) && isObject(b) ? merged(a, b, work) : isObject(a) ? a : b;
};
const pairs = (a: readonly Schema[], b: readonly Schema[], work: Work): readonly Schema[] => {
  const count = a.length * b.length;
  if (count > Math.min(mostPairs, work.pairs)) return a;
  work.pairs -= count;
  return distinct(a.flatMap((one) => b.map((other) => merged(one, other, work))));
};

const joins: Readonly<Record<string, Join>> = {
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  minProperties: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
  required: either,
  enum: shared,
  allOf: either,
  anyOf: pairs,
  items: (a: Schema, b: Schema, work) => merged(a, b, work),
  properties: byName,
  patternProperties: byName,
  additionalProperties: closed,
};

/** A whole number is a number. */
function sharedTypes(a: readonly unknown[], b: readonly unknown[]): readonly unknown[] {
  const fits = (one: unknown, others: readonly unknown[]): boolean =>
    others.includes(one) || (one === 'integer' && others.includes('number'));
  const both = distinct([...a.filter((one) => fits(one, b)), ...b.filter((one) => fits(one, a))]);
  return both.length > 0 ? both : a;
}

/**
 * What satisfies both satisfies this; where the two contradict each other, or cannot be said as one, `a` holds. Words for
 * people are those of `a`, if it has any.
 */
export function merged(a: Schema, b: Schema, work: Work = { pairs: mostPairsInAll }): Schema {
  const [types, others] = [typesOf(a), typesOf(b)];
  const both = Object.entries(b).map(([key, value]) => {
    const join = joins[key];
    if (!Object.hasOwn(a, key)) return [key, value];
    return [key, join ? join(a[key] as never, value as never, work) : a[key]];
  });
  const found: Schema = { ...a, ...Object.fromEntries(both) };
  if (!types || !others) return withFitting(found);
  const type = sharedTypes(types, others);
  return withFitting({
    ...found,
    type: type.length === 1 && !(Array.isArray(a['type']) && Array.isArray(b['type'])) ? type[0] : type,
  });
}

/** Without `allOf`: all that it says, said by the schema itself. */
export function folded(schema: Schema, work: Work = { pairs: mostPairsInAll }): Schema {
  const { allOf, ...own } = schema;
  if (!Array.isArray(allOf)) return schema;
  return (allOf as Schema[])
    .map((one) => folded(one, work))
    .reduce((all, one) => merged(all, one, work), own);
}
