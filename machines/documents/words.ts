import type { Element, Page } from './document.ts';

/** Letters and digits in a row; of Chinese and Japanese each letter is one. */
const word =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|(?:(?!\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana})[\p{L}\p{N}_])+/gu;

/** The words of a text, without regard to case, in order. Longer ones than 64 letters are cut. */
export const wordsIn = (text: string): readonly string[] =>
  (text.toLowerCase().normalize('NFKC').match(word) ?? []).map((each) => each.slice(0, 64));

const gather = (value: unknown, into: string[]): void => {
  if (typeof value === 'string') into.push(value);
  else if (Array.isArray(value)) for (const each of value) gather(each, into);
  else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) gather(each, into);
};
/** All that an element says, for a search: its texts, cells, addresses. */
export const textIn = ({ content, summary }: Element): string => {
  const parts: string[] = summary === undefined ? [] : [summary];
  gather(content, parts);
  return parts.join('\n');
};
export const textOfPage = ({ title, elements }: Page): string => [title, ...elements.map(textIn)].join('\n');

/** The part of a text around the first of these words that it has; undefined where it has none. */
export function snippet(text: string, words: readonly string[], most = 160): string | undefined {
  const lower = text.toLowerCase();
  const at = Math.min(
    ...words.map((each) => lower.indexOf(each)).map((index) => (index < 0 ? Infinity : index)),
  );
  if (!Number.isFinite(at)) return undefined;
  const from = Math.max(0, at - Math.floor(most / 3));
  const cut = text.slice(from, from + most).replace(/\s+/g, ' ');
  return `${from > 0 ? '…' : ''}${cut}${from + most < text.length ? '…' : ''}`;
}
