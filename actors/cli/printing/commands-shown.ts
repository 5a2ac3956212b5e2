import { columnsOf, fitting, padded } from '../../../adapters/index.ts';

/** A word as a shell takes it: what comes from servers may hold anything. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./…-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
/** A command that can be copied to a shell. */
export const typed = (...words: readonly string[]): string => words.map(quoted).join(' ');

/** The head of what a server lists; a server that is not up says why. */
export const listedLine = (server: string, count: string, failure: string | null): string =>
  failure === null
    ? `${server}: ${count}`
    : `${server}: ${count}; not all: ${fitting(failure.replaceAll(/\s+/g, ' ').trim(), 200, '…')}`;

/** Cells under each other; the last one is not filled up. */
export function rowsOf(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => columnsOf(row[at] ?? ''))));
  return rows.map((row) =>
    row
      .map((cell, at) => padded(cell, at === row.length - 1 ? 0 : (widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
