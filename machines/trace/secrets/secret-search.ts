/** Place of a known secret in a text, plain or encoded. */
export type Span = readonly [start: number, end: number];

/** Smallest length, in characters, from which a secret is found inside words too. */
export const shortestSecret = 6;
const shortestStrange = 3;
/** Matches a text that is only a word or only a number, as any text may contain. */
const isCommon = /^(\p{L}+|\p{N}+)$/u;
const letters = /^\p{L}$/u;
const digits = /^\p{N}$/u;

const inUrl = (secret: string): string => {
  try {
    return encodeURIComponent(secret);
  } catch {
    // An unpaired surrogate cannot be encoded in a URL.
    return secret;
  }
};
/**
 * Returns a secret in all its spellings: plain, in JSON, in a URL and in a form; an empty list for blank
 * text.
 */
export function spellingsOf(secret: string): readonly string[] {
  if (secret.trim() === '') return [];
  const url = inUrl(secret);
  const lower = url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const form = url.replaceAll('%20', '+');
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), url, lower, form])];
}

/** Tells whether a secret is so short that it may be part of unrelated words or numbers. */
export const couldBeAnything = (secret: string): boolean =>
  secret.length < shortestStrange || (secret.length < shortestSecret && isCommon.test(secret));
/** Tells whether two adjacent characters belong to one word or one number. */
const goesOn = (inside: string | undefined, outside: string | undefined): boolean =>
  inside !== undefined &&
  outside !== undefined &&
  ((letters.test(inside) && letters.test(outside)) || (digits.test(inside) && digits.test(outside)));

/**
 * Tells whether a match of a short, common secret is only part of a word or number. Such a secret counts only
 * where it stands alone: `on` in `on=1`, not in `connection`. If it were hidden everywhere, the rest of the
 * words would reveal it.
 */
export const isPartOfWord = (text: string, spelled: string, at: number): boolean =>
  couldBeAnything(spelled) &&
  (goesOn(spelled[0], text[at - 1]) || goesOn(spelled.at(-1), text[at + spelled.length]));

/** Yields the places of one spelling in a text. */
export function* spansOf(text: string, spelled: string): Generator<Span> {
  if (spelled === '') return;
  for (let at = text.indexOf(spelled); at >= 0;) {
    const isPart = isPartOfWord(text, spelled, at);
    const end = at + spelled.length;
    if (!isPart) yield [at, end];
    at = text.indexOf(spelled, isPart ? at + 1 : end);
  }
}
/** Merges overlapping spans and sorts them from left to right. */
export function merged(spans: readonly Span[]): readonly Span[] {
  const whole: [number, number][] = [];
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    const last = whole.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else whole.push([start, end]);
  }
  return whole;
}
/** Returns the text with each span replaced. */
export function replacedIn(text: string, spans: readonly Span[], by: (secret: string) => string): string {
  let shown = '';
  let from = 0;
  for (const [start, end] of merged(spans)) {
    shown += text.slice(from, start) + by(text.slice(start, end));
    from = end;
  }
  return shown + text.slice(from);
}
