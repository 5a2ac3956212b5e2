import { coresInBase64, textInBase64 } from './base64.ts';
import { isPartOfWord, shortestSecret, spansOf, spellingsOf, type Span } from './secret-search.ts';

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
