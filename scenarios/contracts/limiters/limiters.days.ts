import assert from 'node:assert/strict';
import fc from 'fast-check';
import { noLimits, type CallLimits } from '../../../machines/call/policy/call-limiters.ts';
import type { Rule } from '../contract.ts';
import type { Entered, LimitersStage } from './limiters.stage.ts';

type Act = { readonly enters: 0 | 1 | 2 } | { readonly leaves: number } | 'settles';
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ enters: fc.constantFrom(0 as const, 1 as const, 2 as const) }) },
  { weight: 3, arbitrary: fc.record({ leaves: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.constant('settles' as const) },
);
const limits = fc.record({ concurrency: fc.integer({ min: 1, max: 3 }), queue: fc.nat(4) });

function counted(s: LimitersStage, perServer: readonly CallLimits[]) {
  const names = ['a', 'b', 'c'] as const;
  const running = [0, 0, 0];
  const all: { readonly entered: Entered; readonly limiter: number; hasLeft: boolean }[] = [];
  names.forEach((name, limiter) => (s.limits[name] = perServer[limiter] as CallLimits));
  const count = (limiter: number, by: number): void => {
    running[limiter] = (running[limiter] ?? 0) + by;
    const most = perServer[limiter]?.concurrency ?? 0;
    assert.ok((running[limiter] ?? 0) <= most, `${running[limiter]} of ${names[limiter]} run, ${most} may`);
    const together = running.reduce((sum, n) => sum + n, 0);
    const mostTogether = s.total.concurrency || Infinity;
    assert.ok(together <= mostTogether, `${together} run together, ${mostTogether} may`);
  };
  return {
    all,
    enter: (limiter: 0 | 1 | 2): void => {
      const entered = s.enter(names[limiter], () => count(limiter, 1));
      all.push({ entered, limiter, hasLeft: false });
    },
    leave: (n: number): void => {
      const it = all[n % Math.max(1, all.length)];
      if (!it) return;
      if (!it.hasLeft && it.entered.heard.includes('go')) count(it.limiter, -1);
      it.hasLeft = true;
      it.entered.leave();
    },
  };
}
async function lived(
  s: LimitersStage,
  perServer: readonly CallLimits[],
  most: CallLimits,
  acts: readonly Act[],
): Promise<void> {
  s.total = most;
  const { all, enter, leave } = counted(s, perServer);
  for (const each of acts) {
    if (each === 'settles') await s.settled();
    else if ('enters' in each) enter(each.enters);
    else leave(each.leaves);
  }
  // Everybody who has not been refused has his turn in the end, when all who have it leave.
  for (let i = 0; i <= all.length; i += 1) {
    await s.settled();
    all.forEach(({ entered: { heard }, hasLeft }, n) => {
      if (!hasLeft && heard.some((word) => word !== 'waits')) leave(n);
    });
  }
  for (const { entered, hasLeft } of all) {
    assert.ok(hasLeft, `somebody waits for ever: ${entered.heard.join()}`);
    const said = entered.heard.join();
    assert.ok(['go', 'waits', 'waits,go', 'busy', 'waits,busy'].includes(said), `heard ${said}`);
  }
}

export const always = (open: () => LimitersStage): Rule<LimitersStage> => ({
  title: 'never has more running than may, and loses nobody, no matter who comes and goes',
  holds: async () => {
    const three = fc.tuple(limits, limits, limits);
    const most = fc.oneof(fc.constant(noLimits), limits);
    const days = fc.asyncProperty(three, most, fc.array(act, { maxLength: 60 }), (own, all, acts) =>
      lived(open(), own, all, acts),
    );
    await fc.assert(days, { numRuns: 200, seed: 8 });
  },
});
