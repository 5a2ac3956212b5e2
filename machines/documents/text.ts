import { limits } from './limits.ts';

/**
 * Whether the first bytes of a file are those of something else than text: a NUL, a PDF, or more than one control
 * character in ten. Broken UTF-8 is still text.
 */
export const isBinary = (start: Uint8Array): boolean => {
  const bytes = start.subarray(0, limits.sniffBytes);
  if (bytes.includes(0) || pdf.every((byte, index) => bytes[index] === byte)) return true;
  const odd = bytes.reduce((count, byte) => count + (byte < 32 && !layout.has(byte) ? 1 : 0), 0);
  return odd * 10 > bytes.length;
};

/** `%PDF-`: its head is text, and then nothing is. */
const pdf = [0x25, 0x50, 0x44, 0x46, 0x2d];
/** Backspace, tab, line feed, form feed, carriage return, escape. */
const layout = new Set([8, 9, 10, 12, 13, 27]);

/** Lines without their ends; the empty one after a last line end does not count. */
export const linesOf = (text: string): readonly string[] => {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

export interface Hit {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** The line, or the part of a long line around the hit. */
  readonly text: string;
}

/** The lines that contain `query` literally, each at its first hit, at most `most` of them. */
export const findLines = (
  text: string,
  query: string,
  isCaseSensitive: boolean,
  most: number,
): readonly Hit[] => {
  const fold = (part: string): string => (isCaseSensitive ? part : part.toLowerCase());
  const wanted = fold(query);
  const hits: Hit[] = [];
  for (const [index, line] of linesOf(text).entries()) {
    if (hits.length >= most) break;
    const at = fold(line).indexOf(wanted);
    if (at >= 0) hits.push({ line: index + 1, column: at + 1, text: preview(line, at) });
  }
  return hits;
};

const preview = (line: string, at: number): string => {
  if (line.length <= limits.previewChars) return line;
  const start = Math.max(0, at - limits.previewChars / 3);
  const end = start + limits.previewChars;
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`;
};

/** 1,536 → `1.5 KiB`. */
export const sizeText = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} bytes`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let size = bytes / 1024;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${Math.round(size * 10) / 10} ${units[unit]}`;
};
