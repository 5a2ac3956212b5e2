import fc from 'fast-check';
import PQueue from 'p-queue';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { QueueLimiter } from './call-limiters.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a limiter over p-queue', () => {
  afterEach(() => vi.restoreAllMocks());

  it('gives no task to the queue when there is room', async () => {
    const add = vi.spyOn(PQueue.prototype, 'add');
    const limiter = new QueueLimiter(2);
    const enter = (): (() => void) => limiter.enter(() => {});
    const leave = [enter(), enter()];
    expect(add).not.toHaveBeenCalled();
    leave.push(enter());
    expect(add).toHaveBeenCalledOnce();
    await settled();
    for (const each of leave) each();
    await settled();
    for (let n = 0; n < 10; n += 1) enter()();
    expect(add).toHaveBeenCalledOnce();
  });

  /** Random step of a limiter test. Time passes only at `settle`; the other steps happen at one moment. */
  const step = fc.oneof(
    fc.constant({ do: 'enter' } as const),
    fc.record({ do: fc.constant('leave' as const), who: fc.nat(20) }),
    fc.record({ do: fc.constant('limit' as const), to: fc.constantFrom(1, 2, 3, 5, Infinity) }),
    fc.constant({ do: 'settle' } as const),
  );
  it('lets in so many, the first first, and leaves no place empty', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        let limit = 2;
        const limiter = new QueueLimiter(limit);
        const inside = new Map<number, () => void>();
        const waiting: number[] = [];
        const begun: number[] = [];
        const left = new Set<number>();
        let running = 0;
        const enter = (n: number): void => {
          waiting.push(n);
          const leave = limiter.enter(() => {
            expect(waiting.shift()).toBe(n);
            running += 1;
            expect(running).toBeLessThanOrEqual(limit);
            begun.push(n);
          });
          inside.set(n, leave);
        };
        const leave = (n: number): void => {
          inside.get(n)?.();
          if (!inside.has(n) || left.has(n)) return;
          left.add(n);
          if (begun.includes(n)) running -= 1;
          else waiting.splice(waiting.indexOf(n), 1);
        };
        for (const [n, one] of [...steps, { do: 'settle' } as const].entries()) {
          if (one.do === 'enter') enter(n);
          else if (one.do === 'leave') leave(one.who);
          else if (one.do === 'limit') limiter.limit((limit = one.to));
          else await settled();
          expect(limiter.waiting).toBe(waiting.length);
          if (one.do === 'settle') expect(waiting.length === 0 || running >= limit).toBe(true);
        }
        for (const n of inside.keys()) leave(n);
        await settled();
        expect(limiter.isEmpty).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
