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
function spellingsOf(secret: string): readonly string[] {
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
 * Tells whether a match of a short secret is only part of a text. One of one or two characters counts only where it is
 * the whole text, because it keeps nothing secret and would make noise of all others. A short, common one counts where
 * it stands alone: `dev` in `dev=1`, not in `develop`. If it were hidden everywhere, the rest of the words would reveal it.
 */
const isPartOfWord = (text: string, spelled: string, at: number): boolean =>
  spelled.length < shortestStrange
    ? spelled.length < text.trim().length
    : couldBeAnything(spelled) &&
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

const base64Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const valueOf = new Map(`${base64Letters}-_`.split('').map((letter, at) => [letter, at < 64 ? at : at - 2]));

/** Returns the UTF-8 bytes of a text; an empty list for a text with an unpaired surrogate. */
function bytesOf(text: string): readonly number[] {
  try {
    return [...encodeURIComponent(text).matchAll(/%(..)|[^%]/g)].map(([all, code]) =>
      code === undefined ? all.charCodeAt(0) : Number.parseInt(code, 16),
    );
  } catch {
    return [];
  }
}
/** Decodes base64 or base64url into text; undefined when the bytes are no printable UTF-8 text. */
export function textInBase64(base64: string): string | undefined {
  let [code, held, bits] = ['', 0, 0];
  for (const letter of base64.replace(/={1,2}$/, '')) {
    const value = valueOf.get(letter);
    if (value === undefined) return undefined;
    held = ((held << 6) | value) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    code += `%${((held >> bits) & 0xff).toString(16).padStart(2, '0')}`;
  }
  try {
    const text = decodeURIComponent(code);
    // Random bytes that only look like base64 are mostly invalid UTF-8 or contain control characters.
    return text === '' || /(?![\t\r\n])\p{Cc}/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
/**
 * Returns the base64Letters that the base64 of any text containing this one must include: one variant for each
 * position in a group of three bytes, each also in base64url.
 */
function coresInBase64(text: string): readonly string[] {
  const bytes = bytesOf(text);
  const cores = [0, 1, 2].map((before) => {
    const all = [...Array.from({ length: before }, () => 0), ...bytes];
    let core = '';
    // The first base64 base64Letters depend on the bytes before the text and the last one on those after, so both
    // ends are left out.
    for (let at = Math.ceil((before * 8) / 6); (at + 1) * 6 <= all.length * 8; at++) {
      const bit = at * 6;
      const pair = ((all[bit >> 3] ?? 0) << 8) | (all[(bit >> 3) + 1] ?? 0);
      core += base64Letters[(pair >> (10 - (bit & 7))) & 63];
    }
    return core;
  });
  return [...new Set(cores.flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_')]))];
}

/**
 * Number of leading characters by which a long secret is searched; searching for all of it could take
 * quadratic time.
 */
const probeLength = 64;
/** Number of characters that are hashed at each position of the search. */
const gram = 4;
const slots = 1 << 15;
/**
 * Shortest secret, in characters, that is searched for in base64; shorter ones would match too many texts.
 */
const shortestInBase64 = 3;
/** Length of the part of a long secret that is searched for in base64. */
const longestInBase64 = 256;
/** Number of base64 letters from which a match is no coincidence, whatever surrounds it. */
const surelyBase64 = 8;
const longestBase64 = 4096;
const isBase64 = /[\w+/-]/;

interface Pattern {
  readonly secret: string;
  /** Secret in one of its spellings, such as JSON or URL encoding. */
  readonly text: string;
  readonly probe: string;
  /** True when the pattern is part of the base64 of a text that contains the secret. */
  readonly isCore: boolean;
  /** True when a match may be cut by the end of the text. */
  readonly mayBeCut: boolean;
}
interface Compiled {
  /** One byte for each hash value: 1 when a pattern begins with characters of that hash. */
  readonly marks: Uint8Array;
  readonly byHash: ReadonlyMap<number, readonly Pattern[]>;
  /** Secrets too short for the search by hash (fewer than `gram` characters). */
  readonly short: readonly Pattern[];
  /**
   * All secrets joined by a separator that occurs in no text, for finding a text that begins with the end of
   * a secret.
   */
  readonly joined: string;
}
const none: readonly Span[] = [];
const nobody = (_secret: string): boolean => false;
const between = '\uFFFF\0';
const hashOf = (a: number, b: number, c: number, d: number): number =>
  (Math.imul(a ^ (b << 8), 0x9e3779b1) ^ Math.imul(c ^ (d << 8), 0x85ebca6b)) >>> 17;
const hashAt = (text: string, at: number): number =>
  hashOf(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2), text.charCodeAt(at + 3));
/** Returns the next position at which a pattern may begin; -1 when there is none. */
function nextAt(text: string, from: number, marks: Uint8Array): number {
  let a = text.charCodeAt(from);
  let b = text.charCodeAt(from + 1);
  let c = text.charCodeAt(from + 2);
  for (let at = from, last = text.length - gram; at <= last; at++) {
    const d = text.charCodeAt(at + gram - 1);
    if (marks[hashOf(a, b, c, d)] === 1) return at;
    a = b;
    b = c;
    c = d;
  }
  return -1;
}

const patternsOf = (secret: string): Pattern[] => {
  const patternOf = (text: string, isCore: boolean): Pattern => ({
    secret,
    text,
    probe: text.slice(0, probeLength),
    isCore,
    mayBeCut: !isCore && text === secret && text.length > shortestSecret,
  });
  const cores = secret.length < shortestInBase64 ? [] : coresInBase64(secret.slice(0, longestInBase64));
  return [
    ...spellingsOf(secret).map((text) => patternOf(text, false)),
    ...cores.filter((core) => core !== '').map((core) => patternOf(core, true)),
  ];
};
function compiled(secrets: Iterable<string>): Compiled {
  const marks = new Uint8Array(slots);
  const byHash = new Map<number, Pattern[]>();
  const short: Pattern[] = [];
  for (const secret of secrets)
    for (const pattern of patternsOf(secret)) {
      if (pattern.text.length < gram) {
        short.push(pattern);
        continue;
      }
      const hash = hashAt(pattern.text, 0);
      marks[hash] = 1;
      byHash.set(hash, [...(byHash.get(hash) ?? []), pattern]);
    }
  return { marks, byHash, short, joined: [...secrets, ''].join(between) };
}
/** Returns the run of base64 characters around this span. */
function pieceAround(text: string, [from, to]: Span): Span {
  let [start, end] = [from, to];
  while (start > 0 && from - start < longestBase64 && isBase64.test(text[start - 1] ?? '')) start -= 1;
  while (end < text.length && end - to < longestBase64 && isBase64.test(text[end] ?? '')) end += 1;
  while (end < text.length && end - to < longestBase64 + 2 && text[end] === '=') end += 1;
  return [start, end];
}

/** Result of a match: the search continues at `until`; without `span` nothing is hidden. */
interface Hit {
  readonly until: number;
  readonly span?: Span;
}
const hitOf = (span: Span): Hit => ({ until: span[1], span });

function coreAt(text: string, at: number, { text: core, secret }: Pattern): Hit {
  const piece = pieceAround(text, [at, at + core.length]);
  const inside = textInBase64(text.slice(...piece));
  const isThere =
    core.length >= surelyBase64 ||
    (inside !== undefined && [...spansOf(inside, secret.slice(0, longestInBase64))].length > 0);
  return isThere ? hitOf(piece) : { until: piece[1] };
}
/**
 * Returns the match of a pattern at this position. `isCut` allows the text to end before the pattern does.
 */
function hitAt(text: string, at: number, pattern: Pattern, isCut: boolean): Hit | undefined {
  const { text: spelled, probe, isCore, mayBeCut } = pattern;
  if (text.startsWith(spelled, at)) {
    if (isCore) return coreAt(text, at, pattern);
    return isPartOfWord(text, spelled, at) ? undefined : hitOf([at, at + spelled.length]);
  }
  if (spelled !== probe && text.startsWith(probe, at)) return hitOf([at, at + probe.length]);
  const left = text.length - at;
  const isBegun = isCut && mayBeCut && left >= shortestSecret && left < spelled.length;
  return isBegun && spelled.startsWith(text.slice(at)) ? hitOf([at, text.length]) : undefined;
}
/** Yields the spans at the start of a text that are the end of a secret. */
function* endsIn(text: string, joined: string): Generator<Span> {
  if (text.length < shortestSecret) return;
  const first = text.slice(0, shortestSecret);
  let over = 0;
  for (let at = joined.indexOf(first); at >= 0; at = joined.indexOf(first, at + 1)) {
    if (at >= over) over = joined.indexOf(between, at);
    if (text.startsWith(joined.slice(at, over))) yield [0, over - at];
  }
}

/**
 * Set of secrets with a search for them in texts, as they are or in encoded spellings. One pass searches for
 * all of them, so the time hardly depends on the number of secrets.
 */
export class SecretIndex {
  readonly #secrets: Set<string>;
  #compiled: Compiled | undefined;
  /** Number that changes whenever the set of secrets changes. */
  revision = 0;

  constructor(secrets: Iterable<string> = []) {
    this.#secrets = new Set(secrets);
  }
  get size(): number {
    return this.#secrets.size;
  }
  has(secret: string): boolean {
    return this.#secrets.has(secret);
  }
  add(secret: string): void {
    if (this.#secrets.has(secret)) return;
    this.#secrets.add(secret);
    this.#changed();
  }
  /** Removes the secret that was added first. */
  dropOldest(): void {
    for (const oldest of this.#secrets) {
      this.#secrets.delete(oldest);
      return this.#changed();
    }
  }
  #changed(): void {
    this.#compiled = undefined;
    this.revision += 1;
  }

  /**
   * Returns the places of secrets in a text. `isShown` tells whether a secret may stay visible; `isCut` means
   * that the text may begin or end inside a secret.
   */
  spansIn(text: string, isShown = nobody, isCut = false): readonly Span[] {
    if (this.#secrets.size === 0) return none;
    const { marks, byHash, short, joined } = (this.#compiled ??= compiled(this.#secrets));
    // Fast path: almost all texts contain no secret.
    if (short.length === 0 && !isCut && nextAt(text, 0, marks) < 0) return none;
    const spans: Span[] = [];
    /** Position up to which each pattern has been matched. */
    let found: Map<Pattern, number> | undefined;
    const look = (at: number, pattern: Pattern): void => {
      if (at < (found?.get(pattern) ?? 0) || isShown(pattern.secret)) return;
      const hit = hitAt(text, at, pattern, isCut);
      if (!hit) return;
      if (hit.span) spans.push(hit.span);
      (found ??= new Map()).set(pattern, hit.until);
    };
    for (const pattern of short)
      for (let at = text.indexOf(pattern.text); at >= 0; at = text.indexOf(pattern.text, at + 1))
        look(at, pattern);
    for (let at = nextAt(text, 0, marks); at >= 0; at = nextAt(text, at + 1, marks))
      for (const pattern of byHash.get(hashAt(text, at)) ?? []) look(at, pattern);
    if (isCut) spans.push(...endsIn(text, joined));
    return spans;
  }
}
