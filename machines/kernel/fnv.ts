/** FNV-1a, 32 bits: where it begins, and a text mixed in. No protection against anybody who wants two to agree. */
export const fnvBasis = 0x811c9dc5;
export const fnvPrime = 0x01000193;

export function fnv(hash: number, text: string): number {
  let mix = hash;
  for (let at = 0; at < text.length; at++) mix = Math.imul(mix ^ text.charCodeAt(at), fnvPrime);
  return mix;
}
