import { describe, expect, it } from 'vitest';
import { CachedResults } from './cached-results.ts';

function cachedOf(count: number, bytes: number): number[] {
  const cached = new CachedResults({ mostBytes: 640 });
  const all = [...Array(count).keys()];
  // JSON adds two quotation marks around a text, so the text is two characters shorter than its size.
  for (const n of all) cached.keep(`h${n}`, String.fromCodePoint(97 + n).repeat(bytes - 2));
  return all.filter((n) => cached.get(`h${n}`) === String.fromCodePoint(97 + n).repeat(bytes - 2));
}

describe('the results that are kept whole', () => {
  it('the last twenty results are kept', () => {
    expect(cachedOf(30, 5)).toEqual([...Array(30).keys()].slice(10));
  });
  it('the last results that have so many bytes together are kept', () => {
    // Seven results of 90 bytes are 630 bytes, which is the most that fits into the limit of 640.
    expect(cachedOf(12, 90)).toEqual([5, 6, 7, 8, 9, 10, 11]);
  });
  it('include the newest, however large it is', () => {
    expect(cachedOf(3, 1_000)).toEqual([2]);
  });
  it('a result that is kept again under its name takes its own place, and counts once', () => {
    const cached = new CachedResults({ most: 2, mostBytes: 12 });
    for (const text of ['aaaa', 'bbbb']) cached.keep('same', text);
    cached.keep('other', 'cccc');
    expect([cached.get('same'), cached.get('other')]).toEqual(['bbbb', 'cccc']);
  });
});
