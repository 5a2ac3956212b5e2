/** Deeper than any schema that somebody wrote, and far from the depth at which writing JSON overflows the stack. */
const deepest = 200;

/**
 * A copy of some JSON that nobody can change, neither through the copy nor through what it was made from, so that
 * whoever is given an entry cannot reach the list that it came from. Undefined when it is nested too deeply to
 * be written again.
 */
export const frozenJson = <T>(value: T): T | undefined => {
  let isTooDeep = false;
  const copied = (inner: unknown, room: number): unknown => {
    if (typeof inner !== 'object' || inner === null) return inner;
    if (room === 0) {
      isTooDeep = true;
      return null;
    }
    const part = (each: unknown): unknown => copied(each, room - 1);
    if (Array.isArray(inner)) return Object.freeze(inner.map(part));
    // From pairs, not by assignment: a key may be called `__proto__`.
    return Object.freeze(Object.fromEntries(Object.entries(inner).map(([key, each]) => [key, part(each)])));
  };
  const copy = copied(value, deepest) as T;
  return isTooDeep ? undefined : copy;
};
