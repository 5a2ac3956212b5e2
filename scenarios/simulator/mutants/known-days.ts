import { dayOf, type Day } from '../batch.ts';

/** The days of every run: those that docs/simulator.md shows, a portion a test. */
export const [count, portion] = [200, 25];
const drawing = { forMs: 60_000, faults: 'all' };
export const daysFrom = (seed: number): Day[] =>
  Array.from({ length: portion }, (_, n) => dayOf(seed + n, drawing));
/** What it broke, and how to see it again. */
export const broken = ({ seed, breaches }: Day): string[] =>
  breaches.map(({ law, what }) => `a2c sim --seed ${seed} --shrink: ${law}: ${what}`);
