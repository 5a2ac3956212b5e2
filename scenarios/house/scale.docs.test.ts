import { describe, expect, it } from 'vitest';
import { isThere, rowsUnder } from '../invariants/proofs.ts';

const rows = rowsUnder('docs/scale.md', 'When something breaks');

describe('the page of several nodes', () => {
  it('has a test for each row of what breaks', () => {
    expect(rows.map(({ number }) => Number(number))).toEqual(rows.map((_, n) => n + 1));
    expect(rows.length).toBeGreaterThanOrEqual(8);
    expect(rows.filter(({ proofs }) => proofs.length === 0)).toEqual([]);
  });

  it.each(rows.flatMap(({ proofs }) => proofs))('names what there is: $file: $title', (proof) => {
    expect(isThere(proof)).toBe(true);
  });
});
