/** Items keep the order of the state that contains them. */
export interface Difference<Item> {
  readonly added: readonly Item[];
  readonly removed: readonly Item[];
  readonly changed: readonly Item[];
}

/** Of items with one key (two servers may have the same URI) equal ones are paired first, the rest in order. */
export function differenceOf<Item>(
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => string,
  isSame: (a: Item, b: Item) => boolean,
): Difference<Item> {
  const old = new Map<string, Item[]>();
  for (const item of before) {
    const alike = old.get(keyOf(item));
    if (alike) alike.push(item);
    else old.set(keyOf(item), [item]);
  }
  const take = (key: string, at: number): boolean => (old.get(key) ?? []).splice(at, 1).length > 0;
  const fresh = after.filter((item) => {
    const at = old.get(keyOf(item))?.findIndex((each) => isSame(each, item)) ?? -1;
    return at < 0 || !take(keyOf(item), at);
  });
  const [added, changed]: [Item[], Item[]] = [[], []];
  for (const item of fresh) (take(keyOf(item), 0) ? changed : added).push(item);
  const left = new Set([...old.values()].flat());
  return { added, removed: before.filter((item) => left.has(item)), changed };
}

export const isNoDifference = ({ added, removed, changed }: Difference<unknown>): boolean =>
  added.length + removed.length + changed.length === 0;
