import { isObject, type Fields } from '../protocol/json.ts';
import type { Redactor } from '../trace/canonical.ts';
import { couldBeAnything, replacedIn, SecretIndex, shortestSecret, inPattern } from './secret-index.ts';
import { formsIn } from './secret-rules.ts';
import { isSecretName } from './secret-names.ts';

/** Equal values have equal hashes within a trace; without the key nobody can test guesses. */
export type KeyedHash = (text: string) => string;

export const markOf = (hash: string): string => `«redacted:${hash}»`;
export const redacted = /«redacted:[0-9a-f]+»/;
const marks = /(«redacted:[0-9a-f]+»)/;
const isMark = /^«redacted:[0-9a-f]+»$/;
const betweenMarks = (text: string, replaced: (piece: string) => string): string =>
  text
    .split(marks)
    .map((piece, at) => (at % 2 === 1 ? piece : replaced(piece)))
    .join('');

/** Never hidden, because the rest would be unreadable; words of state charts are passed separately. */
const plainWords = new Set(
  `abandon agent announce answer changed client closed closeStdin closing computer confirm connecting deadline defect
  degraded emptied exited expected failed idle ignored joined office opened outlet process random ready recovering
  refused server session settled signal socket started stdout timeout toolsChanged open waiting withdraw xstate`.split(
    /\s+/,
  ),
);
const isType = /^[a-z]+(\.[a-zA-Z]+)+$/;
const recordFields = new Set(['k', 'via', 'op', 'why', 'dead', 'port', 'kind', 'type']);
const isWord = /^[a-z]+$/i;
export interface Words {
  has(word: string): boolean;
}

/** By their names, for one trace; beyond it the oldest is dropped. */
const mostMet = 100;
const shortestNumber = 3;
/** The same for all secrets, so it does not reveal whether two are equal. */
const stars = '***';
const never: Words = { has: () => false };

export interface RedactorOptions {
  readonly secrets: SecretIndex;
  /** `***` by default. */
  readonly markOf?: (secret: string) => string;
  /** Hidden only under a secret name, such as names of states, on which the meaning of a trace depends. */
  readonly plain?: Words;
  /** Hides a value that once stood under a secret name wherever it appears later. */
  readonly remembers?: boolean;
}
/** Hides values under a secret name, values that the host knows, and texts that look like a secret. */
export class SecretRedactor implements Redactor {
  readonly #secrets: SecretIndex;
  readonly #markOf: (secret: string) => string;
  readonly #plain: Words;
  readonly #met: SecretIndex | undefined;
  met = 0;

  constructor({ secrets, markOf = () => stars, plain = never, remembers = false }: RedactorOptions) {
    this.#secrets = secrets;
    this.#markOf = markOf;
    this.#plain = plain;
    this.#met = remembers ? new SecretIndex() : undefined;
  }
  get revision(): number {
    return this.met + this.#secrets.revision;
  }
  hide(value: string | number | bigint, key: string): string | undefined {
    if (isSecretName(key)) return value === '' ? undefined : this.#named(String(value));
    if (typeof value !== 'string' || (key === 'type' && isType.test(value))) return undefined;
    // Keeps short words in the fixed fields of a record readable, even a word that is also a short secret.
    if (value.length < shortestSecret && recordFields.has(key) && isWord.test(value)) return undefined;
    return value.includes('«redacted:')
      ? betweenMarks(value, (piece) => this.#searched(piece))
      : this.#searched(value);
  }
  /** The text may have been cut in the middle of a secret. */
  text(text: string): string {
    return this.#searched(text, true);
  }
  value<T>(value: T): T {
    return this.#in(value, isSecretName) as T;
  }
  /** Ignores names: field names of failure details are defined by this library. */
  details<T>(value: T): T {
    return this.#in(value, () => false) as T;
  }
  #in(value: unknown, isSecret: (key: string) => boolean): unknown {
    if (typeof value === 'string') return this.#searched(value);
    if (typeof value === 'number') {
      const digits = String(value);
      return digits.length >= shortestNumber && this.#secrets.has(digits) ? this.#markOf(digits) : value;
    }
    if (Array.isArray(value)) return value.map((each) => this.#in(each, isSecret));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        this.#searched(key, false, couldBeAnything),
        isSecret(key) && each !== null ? stars : this.#in(each, isSecret),
      ]),
    );
  }
  #meet(secret: string): void {
    const met = this.#met;
    if (!met || secret.length < shortestSecret || met.has(secret)) return;
    if (met.size >= mostMet) met.drop();
    met.add(secret);
    this.met += 1;
  }
  #named(value: string): string {
    if (isMark.test(value)) return value;
    this.#meet(value);
    // Remembers the credential after a scheme such as `Bearer` alone, because it may appear elsewhere without the scheme.
    const [, credential] = /^\w+\s+(\S+)$/.exec(value.slice(0, 10_000)) ?? [];
    if (credential !== undefined) this.#meet(credential);
    return this.#markOf(value);
  }
  #searched(text: string, isCut = false, isShown = this.#isPlain): string {
    const spans = formsIn(text);
    for (const span of this.#secrets.spansIn(text, isShown, isCut)) spans.push(span);
    if (this.#met) for (const span of this.#met.spansIn(text, isShown, isCut)) spans.push(span);
    return spans.length === 0 ? text : replacedIn(text, spans, this.#markOf);
  }
  readonly #isPlain = (secret: string): boolean => this.#plain.has(secret);
}

/** Its marks show whether two secrets are equal. */
export const redactorOf = (
  hash: KeyedHash,
  secrets = new SecretIndex(),
  plain: Words = never,
): SecretRedactor =>
  new SecretRedactor({
    secrets,
    plain: { has: (word) => plainWords.has(word) || plain.has(word) },
    markOf: (secret) => markOf(hash(secret)),
    remembers: true,
  });

const anyStep = '*';
/** They contain no readable text (canonical.ts) and are not searched. */
const wordless = new Set(['$num', '$big', '$bytes', '$list', '$lost']);
const isJsonInside = /"\s*:/;
const isPlainKey = /^[a-zA-Z]+$/;

/** A value of six characters or more is hidden inside any text; a shorter one only under the same key. */
export class Hiding {
  readonly #texts: SecretIndex;
  readonly #markOf: (secret: string) => string;
  /** Each is stored as key, NUL, value. */
  readonly #pairs = new Set<string>();
  readonly #short = new Map<string, RegExp>();
  places = 0;

  constructor(texts: Iterable<string>, markOf: (secret: string) => string) {
    this.#texts = new SecretIndex(texts);
    this.#markOf = markOf;
  }
  /** False when the path leads nowhere. `listOf` returns a shared list by its hash. */
  at(value: unknown, path: readonly string[], listOf: (hash: string) => unknown, key = ''): boolean {
    const [step, ...rest] = path;
    if (isObject(value) && typeof value['$list'] === 'string')
      return this.at(listOf(value['$list']), path, listOf, key);
    if (step === undefined) return this.#take(value, key, listOf);
    if (typeof value !== 'object' || value === null) return false;
    const isList = Array.isArray(value);
    const found = Object.entries(value as Fields)
      .filter(([name]) => step === anyStep || step === name)
      .map(([name, each]) => this.at(each, rest, listOf, isList ? key : name));
    return found.includes(true);
  }
  #take(value: unknown, key: string, listOf: (hash: string) => unknown): boolean {
    if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value);
      const all = Object.entries(value as Fields);
      return all.map(([name, each]) => this.at(each, [], listOf, isList ? key : name)).includes(true);
    }
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return false;
    if (value === '') return false;
    const text = String(value);
    if (isMark.test(text)) return true;
    this.#pairs.add(`${key}\0${text}`);
    if (text.length >= shortestSecret && typeof value !== 'boolean') this.#texts.add(text);
    else if (key !== '')
      this.#short.set(
        `${key}\0${text}`,
        new RegExp(`(${inPattern(key)}\\\\?"\\s*:\\s*)(\\\\?")?${inPattern(text)}(?:\\\\?"|(?![\\w.]))`, 'g'),
      );
    return true;
  }
  value(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return this.text(value, key);
    if (Array.isArray(value)) return value.map((each) => this.value(each, key));
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, each]) => [
          isPlainKey.test(name) || wordless.has(name) ? name : this.text(name, ''),
          wordless.has(name) ? each : this.value(each, name),
        ]),
      );
    if (typeof value !== 'number' && typeof value !== 'boolean') return value;
    const text = String(value);
    const isHidden =
      this.#pairs.has(`${key}\0${text}`) || (typeof value === 'number' && this.#texts.has(text));
    return isHidden ? this.#hidden(text) : value;
  }
  text(text: string, key: string): string {
    if (isMark.test(text)) return text;
    if (this.#pairs.has(`${key}\0${text}`)) return this.#hidden(text);
    return betweenMarks(text, (piece) => this.#searched(piece));
  }
  #hidden(secret: string): string {
    this.places += 1;
    return this.#markOf(secret);
  }
  #searched(text: string): string {
    let shown = replacedIn(text, this.#texts.spansIn(text), (secret) => this.#hidden(secret));
    // Matches short secrets only in JSON embedded in a text, because only that has keys.
    if (!isJsonInside.test(text)) return shown;
    for (const [pair, pattern] of this.#short)
      shown = shown.replaceAll(pattern, (_, before: string, quote = before.includes('\\') ? '\\"' : '"') => {
        return `${before}${quote}${this.#hidden(pair.slice(pair.indexOf('\0') + 1))}${quote}`;
      });
    return shown;
  }
}
