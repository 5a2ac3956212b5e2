import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Refusals } from './log-entry.ts';

let told: string[];
let refusals: Refusals;
beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  refusals = new Refusals((address, text) => told.push(`${address}: ${text}`));
});
afterEach(() => void vi.useRealTimers());
const refused = (count: number, address: string, detail = 'unknown', code: 401 | 503 = 401): void => {
  for (let n = 0; n < count; n++) refusals.heard({ address, code, reason: 'no', detail });
};
const minutes = (count: number): string[] => {
  vi.advanceTimersByTime(count * 60_000);
  return told.splice(0);
};

it('the first ones of an address and reason are told, then their count once a minute', () => {
  refused(100, 'a');
  refused(1, 'a', 'expired');
  refused(2, 'b');
  expect(told.splice(0)).toEqual([
    'a: unknown',
    'a: unknown',
    'a: unknown',
    'a: expired',
    'b: unknown',
    'b: unknown',
  ]);
  expect(minutes(1)).toEqual(['a: 97 more in a minute: unknown']);
  refused(5, 'a');
  expect(minutes(1)).toEqual(['a: 5 more in a minute: unknown']);
  // After a minute without refusals the counters are as at the start.
  expect(minutes(5)).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
  refused(1, 'a');
  expect(told).toEqual(['a: unknown']);
});

it('a stranger who comes from ever new addresses, for hours, adds no more than two hundred lines at first and 51 a minute', () => {
  const flood = (): void => {
    for (let n = 0; n < 10_000; n++) refused(4, `2001:db8::${n}`);
  };
  flood();
  expect(minutes(1)).toHaveLength(50 * 3 + 51);
  for (let hour = 0; hour < 60; hour++) {
    flood();
    const lines = minutes(1);
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe(
      'other addresses: 39800 more of other addresses in a minute, the last: unknown',
    );
  }
});

it('what the office is the cause of is told once, and not per peer', () => {
  for (let n = 0; n < 100; n++) refused(1, `10.0.0.${n}`, 'the keys cannot be read', 503);
  expect(minutes(1)).toEqual([
    '10.0.0.0: the keys cannot be read',
    'several addresses: 99 more in a minute: the keys cannot be read',
  ]);
});

it('what was only counted is told at the end, and nothing is left waiting', () => {
  refused(5, 'a');
  told.length = 0;
  refusals.close();
  expect([told, vi.getTimerCount()]).toEqual([['a: 2 more in a minute: unknown'], 0]);
});
