import { fnvBasis, fnvPrime } from '../../kernel/fnv.ts';
import { canonical } from '../../trace/canonical.ts';

/**
 * What an entry says, as one short text: two entries with the same fields and values have the same, in whatever
 * order their keys stand and whichever server lists them. 64 bits of FNV-1a in two halves, and the length. It tells
 * changes from no changes; it protects from nobody who wants two entries to agree.
 */
export function contentHash(entry: unknown): string {
  const text = canonical(entry);
  let [first, second] = [fnvBasis, fnvBasis];
  for (let at = 0; at < text.length; at++) {
    first = Math.imul(first ^ text.charCodeAt(at), fnvPrime);
    // Mixes what the first has become: fed with the same characters, their low bits would always agree.
    second = Math.imul(second ^ first ^ (first >>> 15), fnvPrime);
  }
  return `${hex(first)}${hex(second)}-${text.length.toString(36)}`;
}
const hex = (lane: number): string => (lane >>> 0).toString(16).padStart(8, '0');
