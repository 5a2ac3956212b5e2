import type { Redactor } from '../canonical.ts';
import { formsIn } from './secret-forms.ts';
import { SecretIndex } from './secret-index.ts';
import { isSecretName } from './secret-names.ts';
import { couldBeAnything, replacedIn, shortestSecret } from './secret-search.ts';

/** Keyed: the same value has the same hash within a trace, and nobody without the key can try values out. */
export type KeyedHash = (text: string) => string;

/** Mark in the place of a secret with this hash. */
export const markOf = (hash: string): string => `«redacted:${hash}»`;
/** What stands where a secret was. */
export const redacted = /«redacted:[0-9a-f]+»/;
export const marks = /(«redacted:[0-9a-f]+»)/;
export const isMark = /^«redacted:[0-9a-f]+»$/;

/** Words of records and messages: were they hidden, nobody could read what is left. Charts have words of their own. */
const plainWords = new Set(
  `abandon agent announce answer changed client closed closeStdin closing computer confirm connecting deadline defect
  degraded emptied exited expected failed idle ignored joined office opened outlet process random ready recovering
  refused server session settled signal socket started stdout timeout toolsChanged open waiting withdraw xstate`.split(
    /\s+/,
  ),
);
/** Type of a message: `call.settled`. */
const isType = /^[a-z]+(\.[a-zA-Z]+)+$/;
const recordFields = new Set(['k', 'via', 'op', 'why', 'dead', 'port', 'kind', 'type']);
const isWord = /^[a-z]+$/i;
/** A set, or whatever else knows words. */
export interface Words {
  has(word: string): boolean;
}

/** Secrets that one trace remembers by their names. The oldest goes first. */
const mostMet = 100;
const shortestNumber = 3;
/** In the place of what is hidden from hosts and peers, who need not know whether two are the same. */
const stars = '***';
const never: Words = { has: () => false };

export interface RedactorOptions {
  /** What the host knows to be secret, also what becomes known later. */
  readonly secrets: SecretIndex;
  /** What stands in the place of one. Default `***`. */
  readonly markOf?: (secret: string) => string;
  /** Hidden under a secret name only: what everything else hangs on, such as names of states. */
  readonly plain?: Words;
  /** What stood under a secret name is hidden from then on wherever it appears, in an error text for instance. */
  readonly remembers?: boolean;
}
/**
 * Hides three kinds of secrets: what stands under a secret name, values that the host knows to be secret wherever they
 * appear, and what has the form of a key. For everything that is written, told or shown.
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
    // A word of a record, as short as some secrets are.
    if (value.length < shortestSecret && recordFields.has(key) && isWord.test(value)) return undefined;
    if (!value.includes('«redacted:')) return this.#searched(value);
    return value
      .split(marks)
      .map((piece, at) => (at % 2 === 1 ? piece : this.#searched(piece)))
      .join('');
  }
  /** A text of a server, which may have been cut anywhere. */
  text(text: string): string {
    return this.#searched(text, true);
  }
  /** Plain JSON without secrets, and without anything under the name of one. */
  value<T>(value: T): T {
    return this.#in(value, isSecretName) as T;
  }
  /** The same, whatever things are called: names of failures are ours. */
  details<T>(value: T): T {
    return this.#in(value, () => false) as T;
  }
  /** In texts, in names of fields that are no common words, and in numbers that are one. */
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
    // `Bearer …`: what comes after the scheme is what appears elsewhere.
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

/** The redactor of a trace: marks tell whether two secrets are the same. */
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
