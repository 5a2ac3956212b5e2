/**
 * A function of an object, worked out once for each: what machines hold and are sent never changes, so that the answer
 * is good for as long as the object is there. It is forgotten with the object.
 */
export function remembered<Key extends object, Value>(work: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const before = known.get(key);
    if (before) return before.value;
    const value = work(key);
    known.set(key, { value });
    return value;
  };
}

/** The same for the last object alone, where several ask for one and then nobody does: a WeakMap costs each collection. */
export function rememberedLast<Key extends object, Value>(work: (key: Key) => Value): (key: Key) => Value {
  let last: { readonly key: Key; readonly value: Value } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, value: work(key) };
    return last.value;
  };
}
