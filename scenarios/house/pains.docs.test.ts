import { describe, expect, it } from 'vitest';
import { holds, isThere, rowsUnder } from '../invariants/proofs.ts';

const upTo = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);
const rows = { Pains: rowsUnder('docs/pains.md', 'Pains'), Cases: rowsUnder('docs/pains.md', 'Cases') };
const proofs = [...rows.Pains, ...rows.Cases].flatMap((row) => row.proofs);

describe('the page of pains', () => {
  it('has every pain and every case that concerns this host, once and in order', () => {
    expect(rows.Pains.map(({ number }) => Number(number))).toEqual(upTo(1, 25));
    const left = new Set([84, 109, 110, 111]);
    expect(rows.Cases.map(({ number }) => Number(number))).toEqual(upTo(80, 116).filter((n) => !left.has(n)));
  });

  it.each(proofs)('names what there is: $file: $title', (proof) => {
    expect(isThere(proof)).toBe(true);
  });
});

describe('a page that names tests', () => {
  const [chapter, title] = ['', 'a whole title'];
  it('is checked by whole titles: a part of one is none, and neither are words that no test is called by', () => {
    expect(holds("it('a whole title', f)", { chapter, title })).toBe(true);
    expect(holds("it.each([1])(\n  'a whole title',\n  f,\n)", { chapter, title })).toBe(true);
    expect(holds("it('a whole title', f)", { chapter, title: 'whole title' })).toBe(false);
    expect(holds("// once 'a whole title', now another", { chapter, title })).toBe(false);
  });
  it('is checked by chapters where it names one', () => {
    const source =
      "describe('one', () => {\n  it('a', f);\n});\ndescribe('two', () => {\n  it('b', f);\n});\n";
    expect(['one', 'two', 'three'].map((each) => holds(source, { chapter: each, title: 'b' }))).toEqual([
      ...[false, true, false],
    ]);
  });
});
