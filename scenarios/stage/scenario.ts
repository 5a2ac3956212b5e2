import { expect, test } from 'vitest';
import { divergenceIn } from './plan/replaying.ts';
import { violations, type Meant } from '../invariants/invariants.ts';
import { Harness, type HarnessOptions } from './harness.ts';
import { isFew, isIn, thoroughness } from './thoroughness.ts';

/** Every transition that any scenario of this run has taken, and how many scenarios ran. */
export const taken = new Set<string>();
export const played = { count: 0 };

/** One story in code, as it was told. */
interface Staged {
  readonly title: string;
  readonly options: HarnessOptions & Meant;
  readonly act: (harness: Harness) => void;
}
/** Every story in code of the files that were loaded, in order. Whoever plays them takes them from here. */
export const staged: Staged[] = [];

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
 * `scenario` of `dsl/`. What was recorded is replayed (see thoroughness.ts), to the last step. At its end
 * everything is closed, and every invariant has to hold.
 */
export function inHarness(title: string, options: Staged['options'], act: Staged['act']): void {
  if (staged.some((story) => story.title === title)) throw new Error(`there is a story "${title}" already`);
  staged.push({ title, options, act });
}

/** Each of them; in the run of the rest those that have no replay yet. */
export function testInHarness(): void {
  const { part } = thoroughness;
  for (const [n, { title, options, act }] of staged.entries()) {
    const isReplayed = isIn(part, 'replays', n);
    if (part === 'rest' && !isReplayed) continue;
    test(title, () => {
      const first = play(options, act);
      expect(violations(first, options)).toEqual([]);
      if (isReplayed) expect(divergenceIn(first.recorder, first.kinds)).toEqual([]);
      if (part === 'few' && isFew('playsTwice', n)) expect(play(options, act).trace).toEqual(first.trace);
      for (const transition of first.taken) taken.add(transition);
      played.count += 1;
    });
  }
}
