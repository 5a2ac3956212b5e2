import { argumentsWith, asText, digitsIn, roundedArguments } from '../protocol/exact-numbers.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import { isObject } from '../protocol/json.ts';
import type { Json } from './format.ts';

// ── sloppy JSON ───────────────────────────────────────────────────────────────────────────────────────
/**
 * Parses JSON as models write it: names without quotes or in single quotes, trailing commas, comments, line
 * breaks in strings, words of Python, a code fence around everything. Missing parts are never invented, so
 * truncated text counts as broken. Returns undefined for broken text.
 */
export function readLenientJson(text: string): unknown {
  const cursor = new Cursor(unfenced(text));
  const value = cursor.value(0);
  return cursor.isAtEnd() ? value : undefined;
}

const fence = '```';
/**
 * Removes a code fence, found by its first and last line; a pattern over the whole text could take quadratic
 * time.
 */
function unfenced(text: string): string {
  const whole = text.trim();
  const start = whole.indexOf('\n');
  const end = whole.lastIndexOf(fence);
  const isFenced = start >= 0 && end > start && end + fence.length === whole.length;
  return isFenced && /^```\w*\s*$/.test(whole.slice(0, start)) ? whole.slice(start, end) : text;
}

const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['None', null],
]);
const escapes: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }),
  // A backslash before another kind of quote, or at the end of a line, is dropped.
  ...['"', '\\', '/', "'", '`', '\n', '\r'].map((char): [string, string] => [char, char]),
]);
const deepest = 200;

const blank = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*/y;
const number = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/y;
const word = /[A-Za-z]+(?![\w$-])/y;
const bareKey = /[A-Za-z_$][\w$-]*/y;
const doubleQuoted = /"([^"\\]*(?:\\[^][^"\\]*)*)"/y;
const singleQuoted = /'([^'\\]*(?:\\[^][^'\\]*)*)'/y;

class Cursor {
  readonly #text: string;
  #at = 0;
  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    this.#take(blank);
    return this.#at === this.#text.length;
  }
  value(depth: number): unknown {
    this.#take(blank);
    const next = this.#text[this.#at];
    if (depth > deepest) return undefined;
    if (next === '{') return this.#object(depth);
    if (next === '[') return this.#list(depth);
    if (next === '"' || next === "'") return this.#string();
    const digits = this.#take(number)?.[0];
    if (digits !== undefined) return Number(digits);
    return words.get(this.#take(word)?.[0] ?? '');
  }

  #object(depth: number): unknown {
    const entries: [string, unknown][] = [];
    this.#at += 1;
    for (;;) {
      if (this.#sees('}')) return Object.fromEntries(entries);
      const key = this.#key();
      if (key === undefined || !this.#sees(':')) return undefined;
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      entries.push([key, value]);
      if (!this.#sees(',')) return this.#sees('}') ? Object.fromEntries(entries) : undefined;
    }
  }
  #list(depth: number): unknown {
    const items: unknown[] = [];
    this.#at += 1;
    for (;;) {
      if (this.#sees(']')) return items;
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      items.push(value);
      if (!this.#sees(',')) return this.#sees(']') ? items : undefined;
    }
  }
  #key(): string | undefined {
    this.#take(blank);
    const next = this.#text[this.#at];
    return next === '"' || next === "'" ? this.#string() : this.#take(bareKey)?.[0];
  }
  #string(): string | undefined {
    const body = (this.#take(doubleQuoted) ?? this.#take(singleQuoted))?.[1];
    // An unknown escape is kept with its backslash: the model forgot to double it, for example in a pattern
    // or a path.
    return body?.replaceAll(/\\(?:u([\da-fA-F]{4})|([^]))/g, (all, unit: string | undefined, char: string) =>
      unit === undefined ? (escapes.get(char) ?? all) : String.fromCharCode(Number.parseInt(unit, 16)),
    );
  }
  /** Skips this character if it comes next; returns whether it did. */
  #sees(char: string): boolean {
    this.#take(blank);
    const isNext = this.#text[this.#at] === char;
    if (isNext) this.#at += 1;
    return isNext;
  }
  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}

// ── arguments ─────────────────────────────────────────────────────────────────────────────────────────
/** Arguments as an object, or the failure (code 400) in words from which a model can correct them. */
export type ArgumentsRead =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly failure: Failure };

/**
 * Reads the arguments of a call as a model gave them: an object or its JSON text. Nothing, blank text and
 * `null` give `{}`; anything else is an error that the model can correct. An integer too large for a number
 * is an error too, unless `schema` allows a string in its place.
 */
export function readArguments(given: unknown, schema?: unknown): ArgumentsRead {
  const value = typeof given === 'string' ? fromText(given) : (given ?? {});
  if (!isObject(value)) {
    const what =
      value === undefined ? 'text that is no JSON' : Array.isArray(value) ? 'a list' : typeof value;
    return refused(`The arguments must be a JSON object; they are ${what}`);
  }
  // Large integers are checked in the text, which still has all digits; a parsed value may have lost some.
  const isText = typeof given === 'string';
  const read = argumentsWith(value, isText ? digitsIn(given, fromText) : [], schema);
  const problems = isText ? read.problems : roundedArguments(value, schema);
  return problems.length > 0
    ? refused(`Wrong arguments: ${problems.join('; ')}. ${asText}`, asText)
    : { ok: true, value: read.value as Json };
}
const refused = (message: string, remedy?: string): ArgumentsRead => ({
  ok: false,
  failure: { code: wireCodes.badRequest, message, ...(remedy !== undefined && { remedy }) },
});

function fromText(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return (JSON.parse(text) as unknown) ?? {};
  } catch {
    return readLenientJson(text);
  }
}
