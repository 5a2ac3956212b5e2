import { describe, expect, it } from 'vitest';
import { KeptResults } from './kept-results.ts';

/** Which of so many results of so many bytes are still kept, each kept after the one before. */
function keptOf(count: number, bytes: number): number[] {
  const kept = new KeptResults({ mostBytes: 640 });
  const all = [...Array(count).keys()];
  // A text has two quotes around it as JSON.
  for (const n of all) kept.keep(`h${n}`, String.fromCodePoint(97 + n).repeat(bytes - 2));
  return all.filter((n) => kept.get(`h${n}`) === String.fromCodePoint(97 + n).repeat(bytes - 2));
}

describe('of results that are kept whole', () => {
  it('the last twenty stay', () => {
    expect(keptOf(30, 5)).toEqual([...Array(30).keys()].slice(10));
  });
  it('the last ones stay that have so many bytes together', () => {
    // Seven have 630 bytes.
    expect(keptOf(12, 90)).toEqual([5, 6, 7, 8, 9, 10, 11]);
  });
  it('the newest stays, however large it is', () => {
    expect(keptOf(3, 1_000)).toEqual([2]);
  });
  it('one that is kept again under its name takes its own place, and counts once', () => {
    const kept = new KeptResults({ most: 2, mostBytes: 12 });
    for (const text of ['aaaa', 'bbbb']) kept.keep('same', text);
    kept.keep('other', 'cccc');
    expect([kept.get('same'), kept.get('other')]).toEqual(['bbbb', 'cccc']);
  });
});
