import type { Redactor } from '../canonical.ts';
import { formsIn } from './secret-forms.ts';
import { SecretIndex } from './secret-index.ts';
import { isSecretName } from './secret-names.ts';
import { couldBeAnything, replacedIn, shortestSecret } from './secret-search.ts';

/**
 * Keyed hash of a secret: the same value has the same hash within a trace, and without the key nobody can
 * test guesses against it.
 */
export type KeyedHash = (text: string) => string;

/** Returns the mark that replaces a secret with this hash. */
export const markOf = (hash: string): string => `«redacted:${hash}»`;
/** Matches the mark that replaces a secret. */
export const redacted = /«redacted:[0-9a-f]+»/;
export const marks = /(«redacted:[0-9a-f]+»)/;
export const isMark = /^«redacted:[0-9a-f]+»$/;

/**
 * Words of trace records and messages that are never hidden as secrets, because the rest would be unreadable.
 * Words of state charts are passed separately.
 */
const plainWords = new Set(
  `abandon agent announce answer changed client closed closeStdin closing computer confirm connecting deadline defect
  degraded emptied exited expected failed idle ignored joined office opened outlet process random ready recovering
  refused server session settled signal socket started stdout timeout toolsChanged open waiting withdraw xstate`.split(
    /\s+/,
  ),
);
/** Matches the type of a message, such as `call.settled`. */
const isType = /^[a-z]+(\.[a-zA-Z]+)+$/;
const recordFields = new Set(['k', 'via', 'op', 'why', 'dead', 'port', 'kind', 'type']);
const isWord = /^[a-z]+$/i;
/** Set of words, or any object that can tell whether it contains one. */
export interface Words {
  has(word: string): boolean;
}

/** Largest number of secrets that one trace remembers by their names; beyond it the oldest is dropped. */
const mostMet = 100;
const shortestNumber = 3;
/**
 * Replacement for secrets shown to hosts and peers. It is the same for all, so it does not reveal whether two
 * secrets are equal.
 */
const stars = '***';
const never: Words = { has: () => false };

export interface RedactorOptions {
  /** Values that the host knows to be secret; more may be added later. */
  readonly secrets: SecretIndex;
  /** Returns the replacement for a secret; `***` by default. */
  readonly markOf?: (secret: string) => string;
  /**
   * Words hidden only under a secret name, such as names of states, on which the meaning of a trace depends.
   */
  readonly plain?: Words;
  /**
   * True to hide a value that once stood under a secret name wherever it appears later, for example in an
   * error text.
   */
  readonly remembers?: boolean;
}
/**
 * Hides three kinds of secrets in everything that is written, sent or shown: values under a secret name,
 * values that the host knows to be secret, and texts with the form of a key.
 */
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
    // Short words in the fixed fields of a record are kept, although a secret may be equally short.
    if (value.length < shortestSecret && recordFields.has(key) && isWord.test(value)) return undefined;
    if (!value.includes('«redacted:')) return this.#searched(value);
    return value
      .split(marks)
      .map((piece, at) => (at % 2 === 1 ? piece : this.#searched(piece)))
      .join('');
  }
  /** Returns a text of a server without secrets; it may have been cut in the middle of one. */
  text(text: string): string {
    return this.#searched(text, true);
  }
  /** Returns a copy of plain JSON without secrets and without any value under a secret name. */
  value<T>(value: T): T {
    return this.#in(value, isSecretName) as T;
  }
  /**
   * Returns a copy of failure details without secrets, ignoring names: their field names are defined by this
   * library.
   */
  details<T>(value: T): T {
    return this.#in(value, () => false) as T;
  }
  /** Replaces secrets in texts, in field names that are not plain words, and in numbers. */
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
    if (met.size >= mostMet) met.dropOldest();
    met.add(secret);
    this.met += 1;
  }
  #named(value: string): string {
    if (isMark.test(value)) return value;
    this.#meet(value);
    // The credential after a scheme such as `Bearer` is remembered alone, because it may appear elsewhere
    // without the scheme.
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

/** Returns the redactor of a trace, whose marks show whether two secrets are equal. */
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
