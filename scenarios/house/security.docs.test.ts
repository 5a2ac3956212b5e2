import { describe, expect, it } from 'vitest';
import { isThere, rowsUnder } from '../invariants/proofs.ts';

const rows = rowsUnder('docs/security.md', 'Attacks');

describe('the page of threats', () => {
  it('has a proof for each attack, by its number', () => {
    const numbers = rows.map(({ number }) => number);
    const known = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '12', '12a', '13', '14'];
    expect(numbers.slice(0, known.length)).toEqual(known);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(rows.filter(({ proofs }) => proofs.length === 0)).toEqual([]);
  });

  it.each(rows.flatMap(({ proofs }) => proofs))('names what there is: $file: $title', (proof) => {
    expect(isThere(proof)).toBe(true);
  });
});
