/**
 * `{ ...base, ...more }` where it is hot and `more` has names that `base` has not: Node 20 gives an object that grows
 * after a spread a hidden class of its own, every time, which costs twenty times as much and outlives its object.
 */
export const extended = <A extends object, B extends object>(base: A, more: B): A & B =>
  Object.assign({}, base, more);
