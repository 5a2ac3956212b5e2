import stringWidth from 'string-width';
import { asLine } from '../../machines/text/index.ts';

/** As one line that fills so many columns of a terminal; a longer one stays as long as it is. */
export function padded(text: string, columns: number): string {
  const line = asLine(text);
  return line + ' '.repeat(Math.max(0, columns - stringWidth(line)));
}
/** How many columns of a terminal it takes as one line. */
export const columnsOf = (text: string): number => stringWidth(asLine(text));

const segmenter = new Intl.Segmenter();
/** As one line of at most so many columns; what is left out is marked by `end`. */
export function fitting(text: string, columns: number, end = ''): string {
  // No character that is seen has more than two columns, or is worth more than a few code units.
  const line = asLine(text.slice(0, columns * longest));
  if (line.length <= columns && stringWidth(line) <= columns) return line;
  let shown = '';
  let left = columns - stringWidth(end);
  for (const { segment } of segmenter.segment(line)) {
    left -= stringWidth(segment);
    if (left < 0) return shown + end;
    shown += segment;
  }
  return text.length > columns * longest ? shown + end : shown;
}
const longest = 16;
