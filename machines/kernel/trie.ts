import { withoutKey } from '../protocol/json.ts';
import { fnv, fnvBasis } from './fnv.ts';

/** Plain data. A change copies two levels of at most 64 slots and one leaf; colliding keys make it slow. */
export type Trie<T> = Readonly<Record<string, Branch<T>>>;
type Branch<T> = Readonly<Record<string, Leaf<T>>>;
type Leaf<T> = Readonly<Record<string, T>>;

const slots = 64;
const slotsOf = (key: string): readonly [outer: number, inner: number] => {
  const hash = fnv(fnvBasis, key);
  return [hash & (slots - 1), (hash >>> 6) & (slots - 1)];
};
const isEmpty = (record: object): boolean => {
  for (const _ in record) return false;
  return true;
};

export function getIn<T>(trie: Trie<T>, key: string): T | undefined {
  const [outer, inner] = slotsOf(key);
  const leaf = trie[outer]?.[inner];
  return leaf && Object.hasOwn(leaf, key) ? leaf[key] : undefined;
}
export function putIn<T>(trie: Trie<T>, key: string, value: T): Trie<T> {
  const [outer, inner] = slotsOf(key);
  const branch = trie[outer];
  return { ...trie, [outer]: { ...branch, [inner]: { ...branch?.[inner], [key]: value } } };
}
export function dropFrom<T>(trie: Trie<T>, key: string): Trie<T> {
  const [outer, inner] = slotsOf(key);
  const branch = trie[outer];
  const leaf = branch?.[inner];
  if (!branch || !leaf || !Object.hasOwn(leaf, key)) return trie;
  const left = withoutKey(leaf, key);
  const rest = isEmpty(left) ? withoutKey(branch, String(inner)) : { ...branch, [inner]: left };
  return isEmpty(rest) ? withoutKey(trie, String(outer)) : { ...trie, [outer]: rest };
}
export const entriesOf = <T>(trie: Trie<T>): (readonly [key: string, value: T])[] =>
  Object.values(trie).flatMap((branch) => Object.values(branch).flatMap((leaf) => Object.entries(leaf)));
