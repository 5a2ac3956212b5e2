/** Where a secret that is known stands in a text, as it is or as programs write it. */
export type Span = readonly [start: number, end: number];

/** One of so many characters at least is found inside words, too. */
export const shortestSecret = 6;
const shortestStrange = 3;
/** A word or a number, as they stand in any text. */
const isCommon = /^(\p{L}+|\p{N}+)$/u;
const letters = /^\p{L}$/u;
const digits = /^\p{N}$/u;

const inUrl = (secret: string): string => {
  try {
    return encodeURIComponent(secret);
  } catch {
    // Half a character, which no URL can hold.
    return secret;
  }
};
/** It, and as it stands in JSON, in a URL and in a form; none where there is nothing to look for. */
export function spellingsOf(secret: string): readonly string[] {
  if (secret.trim() === '') return [];
  const url = inUrl(secret);
  const lower = url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const form = url.replaceAll('%20', '+');
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), url, lower, form])];
}

/** It is short, and a part of many words or numbers that have nothing to do with it. */
export const couldBeAnything = (secret: string): boolean =>
  secret.length < shortestStrange || (secret.length < shortestSecret && isCommon.test(secret));
/** The same kind on both sides: the text goes on there, and is another word or number. */
const goesOn = (inside: string | undefined, outside: string | undefined): boolean =>
  inside !== undefined &&
  outside !== undefined &&
  ((letters.test(inside) && letters.test(outside)) || (digits.test(inside) && digits.test(outside)));

/**
 * What stands there is no more than a part of a word or a number. One that is short and could be a part of any counts where it
 * stands alone: `on` in `on=1` and not in `connection`. Hidden everywhere, it could be read from what is left of the words.
 */
export const isPartOfWord = (text: string, spelled: string, at: number): boolean =>
  couldBeAnything(spelled) &&
  (goesOn(spelled[0], text[at - 1]) || goesOn(spelled.at(-1), text[at + spelled.length]));

/** Where a spelling stands. */
export function* spansOf(text: string, spelled: string): Generator<Span> {
  if (spelled === '') return;
  for (let at = text.indexOf(spelled); at >= 0;) {
    const isPart = isPartOfWord(text, spelled, at);
    const end = at + spelled.length;
    if (!isPart) yield [at, end];
    at = text.indexOf(spelled, isPart ? at + 1 : end);
  }
}
/** Those that overlap as one, from left to right. */
export function merged(spans: readonly Span[]): readonly Span[] {
  const whole: [number, number][] = [];
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    const last = whole.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else whole.push([start, end]);
  }
  return whole;
}
/** The text with something else in these places. */
export function replacedIn(text: string, spans: readonly Span[], by: (secret: string) => string): string {
  let shown = '';
  let from = 0;
  for (const [start, end] of merged(spans)) {
    shown += text.slice(from, start) + by(text.slice(start, end));
    from = end;
  }
  return shown + text.slice(from);
}
