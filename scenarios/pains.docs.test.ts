import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(`${root}docs/pains.md`, 'utf8');

interface Row {
  readonly number: number;
  readonly proofs: readonly { readonly file: string; readonly title: string }[];
}
const rowsUnder = (chapter: string): Row[] => {
  const text = page.split(/^## /m).find((part) => part.startsWith(`${chapter}\n`)) ?? '';
  return [...text.matchAll(/^\| (\d+) \|.*\| ([^|]+) \|$/gm)].map(([, number, proofs = '']) => ({
    number: Number(number),
    proofs: proofs.split('<br>').map((proof) => {
      const [, file = '', title = ''] = /^`([\w./-]+)` (.+)$/.exec(proof) ?? [];
      return { file, title };
    }),
  }));
};
const upTo = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, n) => from + n);
const rows = { Pains: rowsUnder('Pains'), Cases: rowsUnder('Cases') };
const proofs = [...rows.Pains, ...rows.Cases].flatMap((row) => row.proofs);

/** The whole text of a title, in any quotes: a part of one would outlive its test. */
const holds = (source: string, title: string): boolean =>
  ["'", '"', '`'].some((quote) => source.includes(quote + title.replaceAll(quote, `\\${quote}`) + quote));

describe('the page of pains', () => {
  it('has every pain and every case that concerns this host, once and in order', () => {
    expect(rows.Pains.map(({ number }) => number)).toEqual(upTo(1, 25));
    const left = new Set([84, 109, 110, 111]);
    expect(rows.Cases.map(({ number }) => number)).toEqual(upTo(80, 116).filter((n) => !left.has(n)));
  });

  it.each(proofs)('names what there is: $file: $title', ({ file, title }) => {
    expect(existsSync(root + file)).toBe(true);
    expect(holds(readFileSync(root + file, 'utf8'), title)).toBe(true);
  });

  it('is checked by whole titles: a part of one is none', () => {
    expect(holds("it('a whole title', f)", 'a whole title')).toBe(true);
    expect(holds("it('a whole title', f)", 'whole title')).toBe(false);
  });
});
