import { expect, test } from 'vitest';
import { divergenceIn } from './plan/replaying.ts';
import { breaches, type Meant } from '../invariants/invariants.ts';
import { Stage, type StageOptions } from './stage.ts';
import { isFew, isIn, thoroughness } from './thoroughness.ts';

/** Every transition that any scenario of this run has taken, and how many scenarios ran. */
export const taken = new Set<string>();
export const played = { count: 0 };

/** How many were told so far: their places, by which the few are chosen. */
let told = 0;

/** Long enough for every ladder and time-out of the way down. */
const postMortemMs = 30_000;

function play(options: StageOptions & Meant, act: (stage: Stage) => void): Stage {
  const stage = new Stage(options);
  act(stage);
  stage.close();
  stage.run(postMortemMs);
  return stage;
}

/**
 * One failure in virtual time, told by whoever stands on the stage: for machines of its own, ports that break,
 * several computers, times to the millisecond. What servers do by the words of the fault vocabulary is said with
 * `scenario` of `dsl/`. What was recorded is replayed (see thoroughness.ts), to the last step and the last digit of a
 * context. At its end
 * everything is closed, and every invariant has to hold.
 */
export function onStage(title: string, options: StageOptions & Meant, act: (stage: Stage) => void): void {
  const { part } = thoroughness;
  const n = told;
  told += 1;
  const isReplayed = isIn(part, 'replays', n);
  if (part === 'rest' && !isReplayed) return;
  test(title, () => {
    const first = play(options, act);
    expect(breaches(first, options)).toEqual([]);
    if (isReplayed) expect(divergenceIn(first.recorder, first.kinds)).toEqual([]);
    if (part === 'few' && isFew('playsTwice', n)) expect(play(options, act).trace).toEqual(first.trace);
    for (const transition of first.taken) taken.add(transition);
    played.count += 1;
  });
}
