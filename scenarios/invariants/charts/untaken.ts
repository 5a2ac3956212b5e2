import { machines } from '../../../actors/runtime/assemble.ts';
import { transitionsOf } from '../../../actors/runtime/charts.ts';

/** Every declared transition of every machine that is not among those which were taken; held to `untaken.json`. */
export const untaken = (taken: ReadonlySet<string>): string[] =>
  Object.values(machines)
    .flatMap((machine) => transitionsOf(machine))
    .filter((transition) => !taken.has(transition));
