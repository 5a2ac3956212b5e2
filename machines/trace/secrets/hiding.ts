import { isMark, marks } from './redaction.ts';
import { SecretIndex } from './secret-index.ts';
import { replacedIn, shortestSecret } from './secret-search.ts';

/** Wildcard step of a path, which matches any key and any list index. */
const anyStep = '*';
type Json = unknown;
/** Forms of canonical JSON that contain no readable text (canonical.ts) and are therefore not searched. */
const wordless = new Set(['$num', '$big', '$bytes', '$list', '$lost']);
const isJsonInside = /"\s*:/;
const isPlainKey = /^[a-zA-Z]+$/;
const inPattern = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
type Fields = Readonly<Record<string, Json>>;
const isFields = (value: Json): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Hides chosen texts and numbers in a trace file that is already written; equal values get equal marks. A
 * value of six characters or more is hidden inside any text; a shorter one, found by a path, only under the
 * same key.
 */
export class Hiding {
  readonly #texts: SecretIndex;
  readonly #markOf: (secret: string) => string;
  /** Short secrets selected by a path, each stored as key, NUL, value. */
  readonly #pairs = new Set<string>();
  readonly #short = new Map<string, RegExp>();
  /** Number of texts, numbers and keys that were hidden. */
  places = 0;

  constructor(texts: Iterable<string>, markOf: (secret: string) => string) {
    this.#texts = new SecretIndex(texts);
    this.#markOf = markOf;
  }
  /**
   * Hides the value at this path from now on and returns false when the path leads nowhere. `listOf` returns
   * a shared list by its hash.
   */
  at(value: Json, path: readonly string[], listOf: (hash: string) => Json, key = ''): boolean {
    const [step, ...rest] = path;
    if (isFields(value) && typeof value['$list'] === 'string')
      return this.at(listOf(value['$list']), path, listOf, key);
    if (step === undefined) return this.#take(value, key, listOf);
    if (typeof value !== 'object' || value === null) return false;
    const isList = Array.isArray(value);
    const found = Object.entries(value as Fields)
      .filter(([name]) => step === anyStep || step === name)
      .map(([name, each]) => this.at(each, rest, listOf, isList ? key : name));
    return found.includes(true);
  }
  #take(value: Json, key: string, listOf: (hash: string) => Json): boolean {
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
  /** Returns a copy of a value of trace JSON with everything hidden that must be. */
  value(value: Json, key = ''): Json {
    if (typeof value === 'string') return this.text(value, key);
    if (Array.isArray(value)) return value.map((each) => this.value(each, key));
    if (isFields(value))
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
    const pieces = text.split(marks).map((piece, at) => (at % 2 === 1 ? piece : this.#searched(piece)));
    return pieces.join('');
  }
  #hidden(secret: string): string {
    this.places += 1;
    return this.#markOf(secret);
  }
  #searched(text: string): string {
    let shown = replacedIn(text, this.#texts.spansIn(text), (secret) => this.#hidden(secret));
    // Only JSON embedded in a text has keys to match short secrets by.
    if (!isJsonInside.test(text)) return shown;
    for (const [pair, pattern] of this.#short)
      shown = shown.replaceAll(pattern, (_, before: string, quote = before.includes('\\') ? '\\"' : '"') => {
        return `${before}${quote}${this.#hidden(pair.slice(pair.indexOf('\0') + 1))}${quote}`;
      });
    return shown;
  }
}
