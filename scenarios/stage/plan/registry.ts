import type { Harness } from '../harness.ts';
import { planOf, type Scene } from './builder.ts';
import type { Plan, StageOptions } from './plan.ts';

/** Every scenario of the files that were loaded, in order. Whoever plays them takes them from here. */
export const registered: Plan[] = [];

/** One failure as data: played in virtual time and, where it can be, for real. */
export function scenario(title: string, build: (s: Scene) => void): void;
/**
 * One failure in code over the harness of virtual time, where no step of a plan fits: machines of its own, ports that
 * break, several computers, strangers on the wire.
 * @internal
 */
export function scenario(title: string, stage: StageOptions, act: (harness: Harness) => void): void;
export function scenario(
  title: string,
  first: StageOptions | ((s: Scene) => void),
  act: (harness: Harness) => void = () => {},
): void {
  if (registered.some((plan) => plan.title === title))
    throw new Error(`there is a scenario "${title}" already`);
  const build = typeof first === 'function' ? first : (s: Scene): void => s.code(act, first);
  registered.push(planOf(title, build));
}
