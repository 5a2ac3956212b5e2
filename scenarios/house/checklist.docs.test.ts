import { describe, expect, it } from 'vitest';
import { isThere, rowsUnder, type Row } from '../invariants/proofs.ts';

/** `T1` to `T27`; `D01` to `D20` with a width of 2. */
const upTo = (letter: string, from: number, to: number, width = 1): string[] =>
  Array.from({ length: to - from + 1 }, (_, n) => letter + String(from + n).padStart(width, '0'));
const numbers: Readonly<Record<string, readonly string[]>> = {
  'Rules of the URIs': [...upTo('window ', 1, 5), ...upTo('dpe ', 1, 8)],
  'Invariants for all values': upTo('L', 1, 7),
  'Strategy of tests': upTo('T', 1, 27),
  'What is to be built': upTo('I', 1, 18),
  'Cases of Desktop': upTo('D', 1, 20, 2),
  'Cases of windows’ URIs': upTo('W', 1, 10, 2),
  'Cases of notices': upTo('N', 1, 6, 2),
  'Cases of Finder': upTo('F', 1, 15, 2),
  'Cases of tools': upTo('T', 1, 24, 2),
  'Cases of tools and names': upTo('', 19, 32),
  'Cases of calls': upTo('E', 1, 20, 2),
  'Cases of results': upTo('', 56, 57),
  Contradictions: [...upTo('X', 1, 4), ...upTo('X', 22, 27)],
};
const rows = new Map(
  Object.keys(numbers).map((heading) => [heading, rowsUnder('docs/checklist.md', heading)]),
);
const filesOf = ({ proofs }: Row): string[] => proofs.map(({ file }) => file);

describe('the checklist', () => {
  it.each(Object.entries(numbers))('has every number of %s, once and in order', (heading, expected) => {
    expect(rows.get(heading)?.map(({ number }) => number)).toEqual(expected);
  });

  it.each(
    [...rows.values()].flat().flatMap(({ number, proofs }) => proofs.map((each) => ({ number, ...each }))),
  )('names what there is: $number: $file: $chapter › $title', (proof) => {
    expect(isThere(proof)).toBe(true);
  });

  it('has for each rule of a URI what keeps it and what breaks it', () => {
    for (const { number, proofs } of rows.get('Rules of the URIs') ?? [])
      expect([number, new Set(proofs.map(({ title }) => title)).size]).toEqual([number, 2]);
  });

  it.each([
    ['T24', 'window-uri', 'dpe-uri'],
    ['T25', 'organize-desktop', 'organize-finder'],
    ['T26', 'desktop-update', 'finder-update'],
    ['T27', 'desktop-e2e', 'finder-e2e'],
  ])('%s and every invariant are shown for both systems: %s, %s', (number, ...pair) => {
    const row = rows.get('Strategy of tests')?.find((each) => each.number === number);
    for (const half of pair)
      expect(row && filesOf(row).filter((file) => file.endsWith(`/${half}.test.ts`))).not.toEqual([]);
    for (const invariant of rows.get('Invariants for all values') ?? [])
      expect(filesOf(invariant).map((file) => file.split('/')[2])).toEqual(['desktop', 'finder']);
  });
});
