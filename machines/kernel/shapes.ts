import type { Fields } from '../protocol/json.ts';

/**
 * Copies of objects that keep one hidden class. V8 gives the result of a spread, of `Object.assign` and of an object that grows a class
 * of its own each time, which costs up to thirty times as much as the copy. A function that names all fields does not, so one is
 * written for each list of names; where code from strings is not allowed, the copy is an ordinary one.
 */
type Make = (base: Fields, more: Fields) => Record<string, unknown>;
interface Shape {
  readonly base: readonly string[];
  readonly more: readonly string[];
  readonly make: Make;
}
const has = (object: Fields, names: readonly string[]): boolean => {
  let n = 0;
  for (const name in object) {
    if (names[n] !== name) return false;
    n += 1;
  }
  return n === names.length;
};
function written(base: readonly string[], more: readonly string[], without: readonly string[]): Make {
  const plain = plainly(without);
  const names = new Set([...base.filter((name) => !without.includes(name)), ...more]);
  // In a literal this name would set the prototype.
  if (names.has('__proto__')) return plain;
  const fields = [...names].map((name) => {
    const text = JSON.stringify(name);
    return `${text}:${more.includes(name) ? 'more' : 'base'}[${text}]`;
  });
  try {
    // oxlint-disable-next-line no-new-func, typescript/no-implied-eval
    return new Function('base', 'more', `return {${fields.join()}}`) as Make;
  } catch {
    return plain;
  }
}
const plainly =
  (without: readonly string[]): Make =>
  (base, more) => ({
    ...(without.length === 0
      ? base
      : Object.fromEntries(Object.entries(base).filter(([name]) => !without.includes(name)))),
    ...more,
  });
/** Lists of names for which functions are kept, of one place. */
const most = 32;
/**
 * A function that makes `{ ...base, ...more }` without some names of `base`, for one place in the code: it knows the lists of names
 * that it has met there.
 */
export function merging<Left extends string = never>(
  ...without: readonly Left[]
): <A extends object, B extends object>(base: A, more: B) => Omit<A, Left> & B {
  const shapes: Shape[] = [];
  return <A extends object, B extends object>(base: A, more: B) => {
    const [one, other] = [base as Fields, more as Fields];
    const known = shapes.find((shape) => has(other, shape.more) && has(one, shape.base));
    if (known) return known.make(one, other) as Omit<A, Left> & B;
    if (shapes.length === most) return plainly(without)(one, other) as Omit<A, Left> & B;
    const names = { base: Object.keys(one), more: Object.keys(other) };
    const make = written(names.base, names.more, without);
    shapes.push({ ...names, make });
    return make(one, other) as Omit<A, Left> & B;
  };
}
