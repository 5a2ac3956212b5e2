/** 32-bit FNV-1a: initial value and multiplier. It does not resist deliberate collisions. */
export const fnvBasis = 0x811c9dc5;
export const fnvPrime = 0x01000193;

export function fnv(hash: number, text: string): number {
  let mix = hash;
  for (let at = 0; at < text.length; at++) mix = Math.imul(mix ^ text.charCodeAt(at), fnvPrime);
  return mix;
}
