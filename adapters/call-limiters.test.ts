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
    for (const each of leave) {
      each();
      await settled();
    }
    expect(limiter.isEmpty).toBe(true);
    for (let n = 0; n < 10; n += 1) enter()();
    expect(add).toHaveBeenCalledOnce();
  });
});
