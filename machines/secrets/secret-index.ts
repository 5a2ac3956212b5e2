/** Finds the secrets of a host in a text: plain, in JSON, in a URL, in base64, or cut off at its end. */
export type Span = readonly [start: number, end: number];

/** In characters; from this length a secret is found inside words too. */
export const shortestSecret = 6;
const shortestStrange = 3;
/** Such a secret would be found by chance in ordinary text. */
const isWordOrNumber = /^(\p{L}+|\p{N}+)$/u;
const letters = /^\p{L}$/u;
const digits = /^\p{N}$/u;

const inUrl = (secret: string): string => {
  try {
    return encodeURIComponent(secret);
  } catch {
    // Returns the secret as it is, because an unpaired surrogate cannot be encoded in a URL.
    return secret;
  }
};
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
/** Plain, in JSON, in JSON within JSON, in a URL and in a form; empty for blank text. */
function spellingsOf(secret: string): readonly string[] {
  if (secret.trim() === '') return [];
  const url = inUrl(secret);
  const lower = url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const form = url.replaceAll('%20', '+');
  return [...new Set([secret, inJson(secret), inJson(inJson(secret)), url, lower, form])];
}

export const couldBeAnything = (secret: string): boolean =>
  secret.length < shortestStrange || (secret.length < shortestSecret && isWordOrNumber.test(secret));
const goesOn = (inside: string | undefined, outside: string | undefined): boolean =>
  inside !== undefined &&
  outside !== undefined &&
  ((letters.test(inside) && letters.test(outside)) || (digits.test(inside) && digits.test(outside)));

/** Two characters or less count only as the whole text; a short word only alone: not `dev` in `develop`. */
const isPartOfWord = (text: string, spelled: string, at: number): boolean =>
  spelled.length < shortestStrange
    ? spelled.length < text.trim().length
    : couldBeAnything(spelled) &&
      (goesOn(spelled[0], text[at - 1]) || goesOn(spelled.at(-1), text[at + spelled.length]));

export function* spansOf(text: string, spelled: string): Generator<Span> {
  if (spelled === '') return;
  for (let at = text.indexOf(spelled); at >= 0;) {
    const isPart = isPartOfWord(text, spelled, at);
    const end = at + spelled.length;
    if (!isPart) yield [at, end];
    at = text.indexOf(spelled, isPart ? at + 1 : end);
  }
}
export function merged(spans: readonly Span[]): readonly Span[] {
  const whole: [number, number][] = [];
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    const last = whole.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else whole.push([start, end]);
  }
  return whole;
}
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

/** Empty for a text with an unpaired surrogate. */
function bytesOf(text: string): readonly number[] {
  try {
    return [...encodeURIComponent(text).matchAll(/%(..)|[^%]/g)].map(([all, code]) =>
      code === undefined ? all.charCodeAt(0) : Number.parseInt(code, 16),
    );
  } catch {
    return [];
  }
}
/** Base64 or base64url; undefined when the bytes are no printable UTF-8 text. */
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
    // Text that only looks like base64 is mostly invalid UTF-8 or contains control characters.
    return text === '' || /(?![\t\r\n])\p{Cc}/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
/** One for each position in a group of three bytes, each also in base64url. */
function coresInBase64(text: string): readonly string[] {
  const bytes = bytesOf(text);
  const cores = [0, 1, 2].map((before) => {
    const all = [...Array.from({ length: before }, () => 0), ...bytes];
    let core = '';
    // Leaves out the letters at both ends, because they also depend on the bytes before and after the text.
    for (let at = Math.ceil((before * 8) / 6); (at + 1) * 6 <= all.length * 8; at++) {
      const bit = at * 6;
      const pair = ((all[bit >> 3] ?? 0) << 8) | (all[(bit >> 3) + 1] ?? 0);
      core += base64Letters[(pair >> (10 - (bit & 7))) & 63];
    }
    return core;
  });
  return [...new Set(cores.flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_')]))];
}

/** Searching for all of a long secret could take quadratic time. */
const probeLength = 64;
const gram = 4;
/** In characters; shorter ones would match too many texts. */
const shortestInBase64 = 3;
const longestInBase64 = 256;
/** Number of base64 letters from which a match is no coincidence, whatever surrounds it. */
const surelyBase64 = 8;
const longestBase64 = 4096;
const isBase64 = /[\w+/-]/;

interface Pattern {
  readonly secret: string;
  readonly text: string;
  readonly probe: string;
  /** Part of the base64 of a text that contains the secret. */
  readonly isCore: boolean;
  readonly mayBeCut: boolean;
}
interface Compiled {
  /** Finds where a pattern may begin, by its first characters. */
  readonly begins: RegExp;
  readonly byBegin: ReadonlyMap<string, readonly Pattern[]>;
  readonly short: readonly Pattern[];
  /** Joined by a separator that occurs in no text, for finding a text that begins with the end of a secret. */
  readonly joined: string;
}
const none: readonly Span[] = [];
const nobody = (_secret: string): boolean => false;
const between = '\uFFFF\0';
export const inPattern = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');

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
  const byBegin = new Map<string, Pattern[]>();
  const short: Pattern[] = [];
  for (const secret of secrets)
    for (const pattern of patternsOf(secret)) {
      const begin = pattern.text.slice(0, gram);
      if (begin.length < gram) short.push(pattern);
      else byBegin.set(begin, [...(byBegin.get(begin) ?? []), pattern]);
    }
  const begins = new RegExp([...byBegin.keys()].map(inPattern).join('|') || '(?!)', 'g');
  return { begins, byBegin, short, joined: [...secrets, ''].join(between) };
}
function nextAt(text: string, from: number, begins: RegExp): number {
  begins.lastIndex = from;
  return begins.exec(text)?.index ?? -1;
}
function pieceAround(text: string, [from, to]: Span): Span {
  let [start, end] = [from, to];
  while (start > 0 && from - start < longestBase64 && isBase64.test(text[start - 1] ?? '')) start -= 1;
  while (end < text.length && end - to < longestBase64 && isBase64.test(text[end] ?? '')) end += 1;
  while (end < text.length && end - to < longestBase64 + 2 && text[end] === '=') end += 1;
  return [start, end];
}

/** The search continues at `until`; without `span` nothing is hidden. */
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
/** `isCut` allows the text to end before the pattern does. */
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
function* endsIn(text: string, joined: string): Generator<Span> {
  if (text.length < shortestSecret) return;
  const first = text.slice(0, shortestSecret);
  let over = 0;
  for (let at = joined.indexOf(first); at >= 0; at = joined.indexOf(first, at + 1)) {
    if (at >= over) over = joined.indexOf(between, at);
    if (text.startsWith(joined.slice(at, over))) yield [0, over - at];
  }
}

/** One pass searches for all secrets, plain or encoded, so the time hardly depends on their number. */
export class SecretIndex {
  readonly #secrets: Set<string>;
  #compiled: Compiled | undefined;
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
  /** By default the one that was added first. */
  drop(secret: string | undefined = this.#secrets.values().next().value): void {
    if (secret !== undefined && this.#secrets.delete(secret)) this.#changed();
  }
  #changed(): void {
    this.#compiled = undefined;
    this.revision += 1;
  }

  /** `isShown`: the secret may stay visible; `isCut`: the text may begin or end inside a secret. */
  spansIn(text: string, isShown = nobody, isCut = false): readonly Span[] {
    if (this.#secrets.size === 0) return none;
    const { begins, byBegin, short, joined } = (this.#compiled ??= compiled(this.#secrets));
    // Returns early when no secret can be in the text, which holds for almost all texts.
    if (short.length === 0 && !isCut && nextAt(text, 0, begins) < 0) return none;
    const spans: Span[] = [];
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
    for (let at = nextAt(text, 0, begins); at >= 0; at = nextAt(text, at + 1, begins))
      for (const pattern of byBegin.get(text.slice(at, at + gram)) ?? []) look(at, pattern);
    if (isCut) spans.push(...endsIn(text, joined));
    return spans;
  }
}
