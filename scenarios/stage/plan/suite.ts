import { expect, test } from 'vitest';
import { isFew, isIn, thoroughness } from '../thoroughness.ts';
import { disagreements, type Summary } from './agreement.ts';
import { playReally } from './real/play-real.ts';
import { playVirtually, type PlayedVirtually } from './virtual/play-virtual.ts';
import { isData, type Plan } from './plan.ts';
import { registered } from './builder.ts';

/** Every scenario that was registered, in virtual time; in the run of the rest those that have no replay yet. */
export function testVirtually(done: (played: PlayedVirtually) => void): void {
  const { part } = thoroughness;
  for (const [n, plan] of registered.entries()) {
    const isReplayed = isIn(part, 'replays', n);
    if (part === 'rest' && !isReplayed) continue;
    test(plan.title, () => {
      // A scenario without code is plain data: what is played has been text.
      const read = isData(plan) ? (JSON.parse(JSON.stringify(plan)) as Plan) : plan;
      expect(read).toEqual(plan);
      const played = playVirtually(read, { isTwice: part === 'few' && isFew('playsTwice', n), isReplayed });
      done(played);
      expect(played.wrong).toEqual([]);
    });
  }
}

/** A busy machine may be slow to end a process: who goes without a signal in virtual time gets all the time it needs. */
function patient(plan: Plan, { signals }: Summary): Plan {
  const isGentle = Object.values(signals).every((sent) =>
    (sent as readonly string[]).every((s) => s === 'stdin'),
  );
  return isGentle ? { ...plan, timing: { ...plan.timing, stdinGraceMs: 10_000 } } : plan;
}
/** A play that differs is played again: a busy machine makes others wait for a moment that no story waits for. */
const playsAllowed = 3;
async function differences(plan: Plan): Promise<readonly string[]> {
  // Replayed it is by those who play it in virtual time only.
  const virtual = playVirtually(plan, { isReplayed: false });
  const real = await playReally(patient(plan, virtual.summary));
  return [...real.wrong, ...disagreements(plan, virtual.summary, real.summary)];
}
/** Scenarios that can be real, for real; and both have to agree. */
export function testReally(): void {
  for (const plan of registered.filter(({ virtualOnly }) => virtualOnly === undefined))
    test.concurrent(plan.title, async () => {
      let found = await differences(plan);
      for (let play = 2; found.length > 0 && play <= playsAllowed; play += 1) {
        process.stdout.write(
          `differed, play ${play} of ${playsAllowed}: ${plan.title}\n  ${found.join('\n  ')}\n`,
        );
        found = await differences(plan);
      }
      expect(found).toEqual([]);
    });
}
