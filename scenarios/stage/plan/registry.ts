import { planOf, type Scene } from './builder.ts';
import type { Plan } from './plan.ts';

/** Every scenario of the files that were loaded, in order. Whoever plays them takes them from here. */
export const registered: Plan[] = [];

/** One failure, as data: played in virtual time and for real. */
export function scenario(title: string, build: (s: Scene) => void): void {
  if (registered.some((plan) => plan.title === title))
    throw new Error(`there is a scenario "${title}" already`);
  registered.push(planOf(title, build));
}
