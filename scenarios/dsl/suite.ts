import { expect, test } from 'vitest';
import { disagreements } from './agreement.ts';
import { playReally } from './play-real.ts';
import { playVirtually, type PlayedVirtually } from './play-virtual.ts';
import { registered } from './registry.ts';

/** So many of them are played a second time, because fakes have to be deterministic, too. */
const everyNth = 3;

/** Every scenario that was registered, in virtual time. */
export function testVirtually(done: (played: PlayedVirtually) => void): void {
  for (const [n, plan] of registered.entries())
    test(plan.title, () => {
      const played = playVirtually(plan, { isTwice: n % everyNth === 0 });
      done(played);
      expect(played.wrong).toEqual([]);
    });
}

/** Every scenario that can be real, for real; and both have to agree. */
export function testReally(): void {
  for (const plan of registered.filter(({ virtualOnly }) => virtualOnly === undefined))
    test.concurrent(plan.title, async () => {
      // Replayed it is by those who play it in virtual time only.
      const virtual = playVirtually(plan, { isReplayed: false });
      const real = await playReally(plan);
      expect([...real.wrong, ...disagreements(plan, virtual.summary, real.summary)]).toEqual([]);
    });
}
