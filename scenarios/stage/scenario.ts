import { expect, test } from 'vitest';
import { divergenceIn } from './plan/replaying.ts';
import { violations, type Meant } from '../invariants/invariants.ts';
import { Harness, type HarnessOptions } from './harness.ts';
import { isFew, isIn, thoroughness } from './thoroughness.ts';

/** Every transition that any scenario of this run has taken, and how many scenarios ran. */
export const taken = new Set<string>();
export const played = { count: 0 };

/** How many were told so far: their places, by which the few are chosen. */
let told = 0;

/** Long enough for every ladder and time-out of the way down. */
const postMortemMs = 30_000;

function play(options: HarnessOptions & Meant, act: (harness: Harness) => void): Harness {
  const harness = new Harness(options);
  act(harness);
  harness.close();
  harness.run(postMortemMs);
  return harness;
}

/**
 * One failure in virtual time, in code that has the whole harness: for machines of its own, ports that break,
 * several computers, times to the millisecond. What servers do by the words of the fault vocabulary is said with
 * `scenario` of `dsl/`. What was recorded is replayed (see thoroughness.ts), to the last step and the last digit of a
 * context. At its end
 * everything is closed, and every invariant has to hold.
 */
export function inHarness(
  title: string,
  options: HarnessOptions & Meant,
  act: (harness: Harness) => void,
): void {
  const { part } = thoroughness;
  const n = told;
  told += 1;
  const isReplayed = isIn(part, 'replays', n);
  if (part === 'rest' && !isReplayed) return;
  test(title, () => {
    const first = play(options, act);
    expect(violations(first, options)).toEqual([]);
    if (isReplayed) expect(divergenceIn(first.recorder, first.kinds)).toEqual([]);
    if (part === 'few' && isFew('playsTwice', n)) expect(play(options, act).trace).toEqual(first.trace);
    for (const transition of first.taken) taken.add(transition);
    played.count += 1;
  });
}
