import { expect, test } from 'vitest';
import { traceOf } from './recording.ts';
import { replayTrace } from './replay/replay-trace.ts';
import { breaches, type Meant } from './invariants.ts';
import { Stage, type StageOptions } from './stage.ts';

/** Every transition that any scenario of this run has taken, and how many scenarios ran. */
export const taken = new Set<string>();
export const played = { count: 0 };

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
 * One failure in virtual time. It is played twice: the traces have to be equal line for line. What was recorded
 * is replayed, to the last step and the last digit of a context. At its end everything is closed, and every
 * invariant has to hold.
 */
export function scenario(title: string, options: StageOptions & Meant, act: (stage: Stage) => void): void {
  test(title, () => {
    const first = play(options, act);
    expect(breaches(first, options)).toEqual([]);
    const { divergence, total } = replayTrace(traceOf(first.recorder), {
      level: 'strict',
      kinds: first.kinds,
    });
    expect(divergence).toBeUndefined();
    expect(total).toBeGreaterThan(0);
    const again = play(options, act);
    expect(again.trace).toEqual(first.trace);
    for (const transition of first.taken) taken.add(transition);
    played.count += 1;
  });
}
