import type { Draft } from '../../../machines/documents/index.ts';

/** A run of letters on a page, as a PDF has them: without words, lines or paragraphs. */
export interface Glyphs {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Height of the letters. */
  readonly size: number;
  readonly endsLine: boolean;
}
interface Line {
  text: string;
  y: number;
  size: number;
  end: number;
}

/**
 * Paragraphs of a page, in the order of the file. A line ends where the height changes; a paragraph where the gap is
 * larger than one and a half lines or the letters change their size. Letters a fifth larger than most are a heading.
 */
export function paragraphsOf(glyphs: readonly Glyphs[]): Draft[] {
  const lines = linesOf(glyphs);
  const usual = usualSize(lines);
  const drafts: Draft[] = [];
  let open: Line[] = [];
  const close = (): void => {
    const [first] = open;
    if (!first) return;
    const text = open.map((line) => line.text.trim()).join('\n');
    const level = first.size >= usual * 1.6 ? 1 : 2;
    drafts.push(
      first.size > usual * 1.19 && open.length <= 3
        ? { category: 'heading', content: { text: text.replaceAll('\n', ' '), level } }
        : { category: 'text', content: { text } },
    );
    open = [];
  };
  for (const line of lines) {
    const last = open.at(-1);
    if (last) {
      const gap = last.y - line.y;
      if (Math.abs(line.size - last.size) > 0.6 || gap > last.size * 1.5 || gap < 0) close();
    }
    open.push(line);
  }
  close();
  return drafts;
}

function linesOf(glyphs: readonly Glyphs[]): Line[] {
  const lines: Line[] = [];
  let line: Line | undefined;
  for (const { text, x, y, width, size, endsLine } of glyphs) {
    if (text !== '') {
      const isSame = line !== undefined && Math.abs(line.y - y) < Math.max(size, line.size) * 0.5;
      if (line && isSame) {
        const isApart = x - line.end > size * 0.2 && !/\s$/.test(line.text) && !/^\s/.test(text);
        line.text += (isApart ? ' ' : '') + text;
        line.end = x + width;
        line.size = Math.max(line.size, size);
      } else {
        line = { text, y, size, end: x + width };
        lines.push(line);
      }
    }
    if (endsLine) line = undefined;
  }
  return lines.filter((each) => each.text.trim() !== '');
}

/** The size that most letters have. */
function usualSize(lines: readonly Line[]): number {
  const letters = new Map<number, number>();
  for (const { text, size } of lines) {
    const round = Math.round(size * 2) / 2;
    letters.set(round, (letters.get(round) ?? 0) + text.length);
  }
  return [...letters].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}
