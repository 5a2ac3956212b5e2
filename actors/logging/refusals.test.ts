import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Refusals } from './refusals.ts';

let told: string[];
let refusals: Refusals;
beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  refusals = new Refusals((address, text) => told.push(`${address}: ${text}`));
});
afterEach(() => void vi.useRealTimers());
const refused = (count: number, detail = 'unknown'): void => {
  for (let n = 0; n < count; n++)
    refusals.heard({ address: `10.0.0.${n}`, code: 401, kind: 'credential', reason: 'no', detail });
};
const minute = (): string[] => {
  vi.advanceTimersByTime(60_000);
  return told.splice(0);
};

it('the first twenty refusals of a minute are told, and then their count', () => {
  refused(2, 'expired');
  expect(told.splice(0)).toEqual(['10.0.0.0: expired', '10.0.0.1: expired']);
  refused(10_000);
  expect(told.splice(0)).toHaveLength(18);
  expect(minute()).toEqual(['all addresses: 9982 more in a minute, the last: unknown']);
  refused(20);
  expect(minute()).toHaveLength(20);
  expect([minute(), vi.getTimerCount()]).toEqual([[], 0]);
});

it('refusals that were only counted are told at the end, and nothing is left waiting', () => {
  refused(25);
  told.length = 0;
  refusals.close();
  expect([told, vi.getTimerCount()]).toEqual([['all addresses: 5 more in a minute, the last: unknown'], 0]);
});
