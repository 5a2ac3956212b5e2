import { expect, it } from 'vitest';
import { endureApart, measureEndurance } from './endurance.ts';

it('a process that endures calls is killed when its measurement is aborted', async () => {
  const aborter = new AbortController();
  const measured = endureApart('bareClient')(1_000_000_000, aborter.signal);
  aborter.abort();
  await expect(measured).rejects.toThrow('aborted');
});

it('what is measured for endurance is given the signal that ends it', async () => {
  const { signal } = new AbortController();
  const given: unknown[] = [];
  const chain = {
    ...{ call: async () => '', close: async () => {}, pids: [] },
    endure: async (...asked: unknown[]) => {
      given.push(...asked);
      return { calls: 7, grownBytes: 0 };
    },
  };
  const contender = { group: 'calls', name: 'one', open: async () => chain } as const;
  await measureEndurance(new Map([[contender, chain]]), 7, signal);
  expect(given).toEqual([7, signal]);
});
