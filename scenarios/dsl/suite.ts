import { expect, test } from 'vitest';
import { disagreements, type Summary } from './agreement.ts';
import { playReally } from './play-real.ts';
import { playVirtually, type PlayedVirtually } from './play-virtual.ts';
import { wordsOf, type Plan } from './plan.ts';
import { registered } from './registry.ts';

/** So many of them are played a second time, because fakes have to be deterministic, too. */
const everyNth = 10;

/** Every scenario that was registered, in virtual time. */
export function testVirtually(done: (played: PlayedVirtually) => void): void {
  for (const [n, plan] of registered.entries())
    test(plan.title, () => {
      const played = playVirtually(plan, { isTwice: n % everyNth === 0 });
      done(played);
      expect(played.wrong).toEqual([]);
    });
}

/** Of those that can be real, as few as have every word of the vocabulary among them. */
function fewWithAllWords(plans: readonly Plan[]): Plan[] {
  const said = new Set<string>();
  return plans.filter((plan) => {
    const fresh = wordsOf(plan).filter((word) => !said.has(word));
    for (const word of fresh) said.add(word);
    return fresh.length > 0;
  });
}
/** A busy machine may be slow to end a process: who goes without a signal in virtual time gets all the time it needs. */
function patient(plan: Plan, { signals }: Summary): Plan {
  const isGentle = Object.values(signals).every((sent) =>
    (sent as readonly string[]).every((s) => s === 'stdin'),
  );
  return isGentle ? { ...plan, timing: { ...plan.timing, stdinGraceMs: 10_000 } } : plan;
}
/** Scenarios that can be real, for real; and both have to agree. `few`: not all, but each word once. */
export function testReally({ few }: { readonly few: boolean }): void {
  const plans = registered.filter(({ virtualOnly }) => virtualOnly === undefined);
  for (const plan of few ? fewWithAllWords(plans) : plans)
    test.concurrent(plan.title, async () => {
      // Replayed it is by those who play it in virtual time only.
      const virtual = playVirtually(plan, { isReplayed: false });
      const real = await playReally(patient(plan, virtual.summary));
      expect([...real.wrong, ...disagreements(plan, virtual.summary, real.summary)]).toEqual([]);
    });
}
