import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Pages that name the tests which show what they say: rows `| number | … | proofs |`, read and looked up. */
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Written `` `file` title `` or `` `file` chapter › title ``. */
export interface Proof {
  readonly file: string;
  readonly title: string;
  /** The outermost `describe` around it, where a file has one title twice; empty: wherever it stands. */
  readonly chapter: string;
}
export interface Row {
  readonly number: string;
  readonly proofs: readonly Proof[];
}

const proofOf = (written: string): Proof => {
  const [, file = '', words = ''] = /^`([\w./-]+)` (.+)$/.exec(written) ?? [];
  const [title = '', chapter = ''] = words.split(' › ').toReversed();
  return { file, title, chapter };
};

/** The rows under a heading of a page, as they stand. `number` is a text: `7`, `T7`, `dpe 7`. */
export function rowsUnder(page: string, heading: string): readonly Row[] {
  const text = readFileSync(root + page, 'utf8')
    .split(/^## /m)
    .find((part) => part.startsWith(`${heading}\n`));
  return [...(text ?? '').matchAll(/^\| ([\w ]+) \|.*\| ([^|]+) \|$/gm)].map(
    ([, number = '', proofs = '']) => ({ number, proofs: proofs.split('<br>').map(proofOf) }),
  );
}

/**
 * Whether a source has this title, whole and in any quotes, as the first or a later argument or entry, more of them
 * behind it: a part of a title would outlive its test, and so would words in a comment.
 */
export function holds(source: string, { title, chapter }: Omit<Proof, 'file'>): boolean {
  const parts =
    chapter === '' ? [source] : source.split(/^(?=describe\b)/m).filter((part) => has(part, chapter));
  return parts.some((part) => has(part, title));
}
const has = (source: string, title: string): boolean =>
  ["'", '"', '`'].some((quote) => {
    const text = (quote + title.replaceAll(quote, `\\${quote}`) + quote).replaceAll(
      /[$()*+.?[\\\]^{|}]/g,
      '\\$&',
    );
    return new RegExp(`[(,[]\\s*${text}\\s*,`).test(source);
  });

export const isThere = (proof: Proof): boolean =>
  existsSync(root + proof.file) && holds(readFileSync(root + proof.file, 'utf8'), proof);
