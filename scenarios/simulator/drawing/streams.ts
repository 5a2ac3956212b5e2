import { fnv, fnvBasis } from '../../../machines/kernel/fnv.ts';
import { randomOf } from '../../stage/virtual-clock.ts';

/** From 0 up to, but not including, 1. */
export type Random = () => number;

/** Separate streams keep everything else the same when a run has one more call or is shrunk. */
export const streamOf = (seed: number, path: string, purpose: string): Random =>
  randomOf(fnv(fnv(fnvBasis ^ seed, path) ^ 0x9e3779b9, purpose));

export const between = (random: Random, low: number, high: number): number =>
  low + Math.floor(random() * (high - low + 1));
/** Uniform in the logarithm, because a delay of 10 ms finds other bugs than one of 10 s. */
export const spread = (random: Random, low: number, high: number): number =>
  Math.min(high, Math.floor(low * ((high + 1) / low) ** random()));
export const chance = (random: Random, p: number): boolean => random() < p;
export const oneOf = <T>(random: Random, items: readonly T[]): T =>
  items[between(random, 0, items.length - 1)] as T;
/** A key with weight 0 is never drawn. */
export function weighed<K extends string>(random: Random, weights: Readonly<Record<K, number>>): K {
  const entries = Object.entries(weights) as [K, number][];
  let rest = random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [key, weight] of entries) if ((rest -= weight) < 0) return key;
  return (entries.at(-1) as [K, number])[0];
}
