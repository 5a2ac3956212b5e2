import type { Redactor } from './canonical.ts';
import { isSecretName } from './secret-names.ts';
import { replacedIn, shortestSecret, spansOf, spellingsOf, type Span } from './secret-search.ts';

/** Keyed: the same value has the same hash within a trace, and nobody without the key can try values out. */
export type KeyedHash = (text: string) => string;

const mark = (hash: string): string => `«redacted:${hash}»`;
/** What stands where a secret was. */
export const redacted = /«redacted:[0-9a-f]+»/;
const marks = /(«redacted:[0-9a-f]+»)/;
const isMark = /^«redacted:[0-9a-f]+»$/;

/**
 * Secrets that tell themselves by their form, wherever they stand. The first group stays readable. A text has up to
 * 8 MiB: none may look twice at the same stretch (hence the look back to where a word begins), and none may match
 * without a bound, because what it could give back again is kept on a stack that ends.
 */
const forms = [
  /(bearer\s{1,8})[\w.~+/=-]{8,65536}/gi,
  // `basic authentication` is English.
  /(basic\s{1,8})(?![a-z]{1,40}(?![\w~+/=]))[\w.~+/=-]{8,65536}/gi,
  /\b(sk-)[\w-]{16,4096}/g,
  /\b(gh[pousr]_|github_pat_)\w{20,4096}/g,
  /\b(xox[abprs]-)[\w-]{10,4096}/g,
  /\b(AKIA)[0-9A-Z]{16}/g,
  /(?<![\w-])(eyJ)[\w-]{8,4096}\.[\w-]{8,65536}\.[\w-]{0,4096}/g,
  /(:\/\/[^\s/:@]{0,256}:)[^\s/]{1,4096}(?=@)/g,
  /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^-]{1,65536}/g,
];
/** `password=…`, `"apiKey": "…"` inside a text. The name may begin further left, and be a harmless one. */
const assigned =
  /((password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)["'\\]{0,4}\s{0,8}[=:]\s{0,8}["'\\]{0,4})[^\s"'\\&;,<>(){}[\]]{6,65536}/gi;
const longestName = 60;
/** A text without any of these has no secret of a known form. Most texts have none. */
const beginnings =
  /bearer|basic|sk-|gh[pousr]_|github_pat_|xox|AKIA|eyJ|:\/\/|-----BEGIN|passw|passphrase|secret|token|key/i;

/** Words of records and messages: were they hidden, nobody could read what is left. Charts have words of their own. */
const plainWords = new Set(
  `abandon agent announce answer changed client closed closeStdin closing computer confirm connecting deadline defect
  degraded emptied exited expected failed idle ignored joined office opened outlet process random ready recovering
  refused server session settled signal socket started stdout timeout toolsChanged open waiting withdraw xstate`.split(
    /\s+/,
  ),
);
/** Of a message: `call.settled`. */
const isType = /^[a-z]+(\.[a-zA-Z]+)+$/;
const recordFields = new Set(['k', 'via', 'op', 'why', 'dead', 'port', 'kind', 'type']);
const isWord = /^[a-z]+$/i;
/** A set, or whatever else knows words. */
export interface Words {
  has(word: string): boolean;
}

/** Secrets that one trace remembers by their names; each costs a look at every text. The oldest goes first. */
const mostMet = 100;
function* formsIn(text: string): Generator<Span> {
  if (!beginnings.test(text)) return;
  for (const form of forms)
    for (const { 0: all, 1: start = '', index } of text.matchAll(form))
      yield [index + start.length, index + all.length];
  for (const { 0: all, 1: start = '', 2: word = '', index } of text.matchAll(assigned)) {
    const [before] = /[\w-]*$/.exec(text.slice(Math.max(0, index - longestName), index)) ?? [''];
    if (isSecretName(before + word)) yield [index + start.length, index + all.length];
  }
}
class KeyedRedactor implements Redactor {
  readonly #hash: KeyedHash;
  readonly #secrets: ReadonlySet<string>;
  readonly #plain: Words;
  // What stood under a secret name is hidden from then on wherever it appears, in an error text for instance.
  readonly #met = new Set<string>();
  readonly #spellings = new Map<string, readonly string[]>();
  met = 0;

  constructor(hash: KeyedHash, secrets: ReadonlySet<string>, plain: Words) {
    this.#hash = hash;
    this.#secrets = secrets;
    this.#plain = plain;
  }
  get revision(): number {
    return this.met + this.#secrets.size;
  }
  #mark(secret: string): string {
    return mark(this.#hash(secret));
  }
  #meet(secret: string): void {
    if (secret.length < shortestSecret || this.#met.has(secret)) return;
    for (const oldest of this.#met) {
      if (this.#met.size < mostMet) break;
      this.#met.delete(oldest);
      this.#spellings.delete(oldest);
    }
    this.#met.add(secret);
    this.met += 1;
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
  #named(value: string): string {
    if (isMark.test(value)) return value;
    this.#meet(value);
    // `Bearer …`: what comes after the scheme is what appears elsewhere.
    const [, credential] = /^\w+\s+(\S+)$/.exec(value.slice(0, 10_000)) ?? [];
    if (credential !== undefined) this.#meet(credential);
    return this.#mark(value);
  }
  #spellingsOf(secret: string): readonly string[] {
    const known = this.#spellings.get(secret);
    if (known) return known;
    const spellings = plainWords.has(secret) || this.#plain.has(secret) ? [] : spellingsOf(secret);
    this.#spellings.set(secret, spellings);
    return spellings;
  }
  #searched(text: string): string {
    const spans = [...formsIn(text)];
    for (const secrets of [this.#secrets, this.#met])
      for (const secret of secrets)
        for (const spelled of this.#spellingsOf(secret))
          for (const span of spansOf(text, spelled)) spans.push(span);
    return spans.length === 0 ? text : replacedIn(text, spans, (secret) => this.#mark(secret));
  }
}

/**
 * Hides three kinds of secrets: what stands under a secret name, values that the host knows to be secret
 * wherever they appear, and what has the form of a key. What is in `plain` is hidden under a secret name only:
 * names that everything else hangs on, such as those of states, or of a server whose password is the same word.
 */
export const redactorOf = (
  hash: KeyedHash,
  secrets: ReadonlySet<string> = new Set(),
  plain: Words = new Set(),
): Redactor => new KeyedRedactor(hash, secrets, plain);
