import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import type { ProgramChecked, Transformed } from '../../machines/call/transform.ts';
import type { VrlTask, VrlMessage } from './transformer.ts';
import { createTransformer } from './transformer.ts';

class FakeWorker extends EventEmitter {
  readonly asked: VrlTask[] = [];
  isHeld = true;
  isEnded = false;
  ref = (): void => void (this.isHeld = true);
  unref = (): void => void (this.isHeld = false);
  postMessage = (asked: VrlTask): void => void this.asked.push(asked);
  terminate(): Promise<number> {
    this.isEnded = true;
    return Promise.resolve(1);
  }
  hear = (told: VrlMessage): void => void this.emit('message', told);
}
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

function createHarness() {
  const threads: FakeWorker[] = [];
  const timers = new Map<number, { fire: () => void; ms: number }>();
  let count = 0;
  let isExhausted = false;
  const transformer = createTransformer({
    ...{ vrlMs: 5, loadMs: 30, idleMs: 300 },
    timers: {
      setTimeout: (fire, ms) => {
        timers.set((count += 1), { fire, ms });
        return count;
      },
      clearTimeout: (timer) => void timers.delete(timer as number),
    },
    open: () => {
      if (isExhausted) throw new Error('no more threads');
      const thread = new FakeWorker();
      threads.push(thread);
      return thread as unknown as Worker;
    },
  });
  return {
    ...{ transformer, threads },
    exhaust: () => void (isExhausted = true),
    /** Lets the only timer expire, after a check of its length. */
    pass: async (ms: number): Promise<void> => {
      expect([...timers.values()].map((timer) => timer.ms)).toEqual([ms]);
      const [[timer, { fire }] = [0, { fire: () => {} }]] = timers;
      timers.delete(timer);
      fire();
      await settled();
    },
    timers: () => [...timers.values()].map(({ ms }) => ms),
    run: async (source: string): Promise<{ answers: Transformed[]; withdraw: () => void }> => {
      const answers: Transformed[] = [];
      const withdraw = transformer.run(source, {}, (answer) => answers.push(answer));
      await Promise.resolve();
      return { answers, withdraw };
    },
  };
}
const codesOf = (answers: readonly (Transformed | ProgramChecked)[]): unknown[] =>
  answers.map((answer) => (answer.ok ? 'ok' : answer.failure.code));
const ran: VrlMessage = { type: 'ran', json: '{}' };

describe('the thread of programs', () => {
  it('is not started before somebody asks, and once for all who ask', async () => {
    const { threads, run } = createHarness();
    expect(threads).toHaveLength(0);
    await run('a');
    await run('b');
    expect(threads).toHaveLength(1);
  });
  it('has one question at a time', async () => {
    const { threads, run } = createHarness();
    await run('a');
    await run('b');
    const [thread] = threads;
    thread?.hear({ type: 'ready' });
    expect(thread?.asked.map(({ source }) => source)).toEqual(['a']);
    thread?.hear(ran);
    expect(thread?.asked.map(({ source }) => source)).toEqual(['a', 'b']);
  });
  it('gives a program its time from when it has loaded', async () => {
    const { threads, run, timers } = createHarness();
    await run('a');
    expect(timers()).toEqual([30]);
    threads[0]?.hear({ type: 'ready' });
    expect(timers()).toEqual([5]);
  });
  it('is ended when nobody has asked for a while, and another started by who asks then', async () => {
    const { threads, run, pass, timers } = createHarness();
    await run('a');
    threads[0]?.hear({ type: 'ready' });
    threads[0]?.hear(ran);
    await pass(300);
    expect(threads[0]?.isEnded).toBe(true);
    expect(timers()).toEqual([]);
    await run('b');
    expect(threads).toHaveLength(2);
  });
  it('keeps the process alive only while somebody waits for it', async () => {
    const { threads, run } = createHarness();
    const { withdraw } = await run('a');
    const [thread] = threads;
    thread?.hear({ type: 'ready' });
    expect(thread?.isHeld).toBe(true);
    withdraw();
    expect(thread?.isHeld).toBe(false);
    await run('b');
    expect(thread?.isHeld).toBe(true);
    thread?.hear(ran);
    thread?.hear(ran);
    expect(thread?.isHeld).toBe(false);
  });
  it('fails all who wait when it loads for too long, and the next one tries another', async () => {
    const late = createHarness();
    const [one, two] = [await late.run('a'), await late.run('b')];
    await late.pass(30);
    expect([codesOf(one.answers), codesOf(two.answers)]).toEqual([['Crashed'], ['Crashed']]);
    expect(late.threads.map(({ isEnded }) => isEnded)).toEqual([true]);
    await late.run('c');
    expect(late.threads).toHaveLength(2);
    const { threads, run, timers } = createHarness();
    const { answers } = await run('a');
    threads[0]?.emit('exit', 1);
    expect(codesOf(answers)).toEqual(['Crashed']);
    expect(timers()).toEqual([]);
    expect(threads).toHaveLength(1);
  });
  it('is told to who asks when it cannot be started, and tried again by the next', async () => {
    const { exhaust, run } = createHarness();
    exhaust();
    const [one, two] = [await run('a'), await run('b')];
    expect(codesOf([...one.answers, ...two.answers])).toEqual(['Crashed', 'Crashed']);
  });
  it.each([
    ['error', new Error('unreachable')],
    ['exit', 1],
  ])(
    'fails the program it had when it breaks (%s), and those behind it run on another',
    async (told, why) => {
      const { threads, run } = createHarness();
      const [one, two] = [await run('a'), await run('b')];
      threads[0]?.hear({ type: 'ready' });
      threads[0]?.emit(told, why);
      expect(codesOf(one.answers)).toEqual(['Crashed']);
      threads[1]?.hear({ type: 'ready' });
      expect(threads[1]?.asked.map(({ source }) => source)).toEqual(['b']);
      threads[1]?.hear(ran);
      expect(codesOf(two.answers)).toEqual(['ok']);
    },
  );
  it('is not replaced before somebody asks when it breaks while nobody waits', async () => {
    const { threads, run } = createHarness();
    await run('a');
    threads[0]?.hear({ type: 'ready' });
    threads[0]?.hear(ran);
    threads[0]?.emit('exit', 1);
    expect(threads).toHaveLength(1);
  });
});
