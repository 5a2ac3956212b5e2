/** Bytes that a UTF-16 unit takes in JSON at most: `\u0000`. */
const worstBytesPerUnit = 6;
/** A number, a literal, or the punctuation around a value. */
const smallBytes = 26;

/**
 * Levels of lists and objects within each other that a message may have. Who writes JSON, or looks for bytes in it, goes
 * down by calling itself: at some thousands the stack is full, and how many depends on who has called before.
 */
export const mostLevels = 1_000;

/** No fewer than its bytes; more than the limit as soon as that is sure, and Infinity where it has more than `levels`. */
function upperBound(value: unknown, limitBytes: number, levels = mostLevels): number {
  let bytes = 0;
  let level: unknown[] = [value];
  for (let above = 0; level.length > 0; above += 1) {
    const below: unknown[] = [];
    for (const next of level) {
      bytes += smallBytes;
      if (typeof next === 'string') bytes += next.length * worstBytesPerUnit;
      else if (typeof next === 'object' && next !== null) {
        if (above === levels) return Infinity;
        for (const [key, child] of Object.entries(next)) {
          bytes += key.length * worstBytesPerUnit;
          below.push(child);
        }
      }
      if (bytes > limitBytes) return bytes;
    }
    level = below;
  }
  return bytes;
}

/**
 * Runs of characters that are no ASCII. A search is done by the engine, and takes a fraction of a loop. The runs are bounded
 * because the engine keeps a stack entry for each character of a run: a run of millions may overflow that stack.
 */
const notAscii = /[^\x00-\x7f]{1,1000}/g;
function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (const [run] of text.matchAll(notAscii))
    for (let i = 0; i < run.length; i++) {
      const unit = run.charCodeAt(i);
      // A surrogate pair is two units of two bytes each; every other unit from 0x800 on takes three.
      bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
    }
  return bytes;
}

/** Bytes in JSON of each character of ASCII: `\u0000`, `\n`, `a`. */
const asciiBytes = Uint8Array.from({ length: 0x80 }, (_, unit) =>
  /[\b\t\n\f\r"\\]/.test(String.fromCodePoint(unit)) ? 2 : unit < 0x20 ? worstBytesPerUnit : 1,
);
/** A character that does not stand in JSON as the one byte that it is. */
const notPlain = /[^\x20\x21\x23-\x5b\x5d-\x7f]/;
/** Bytes of a text in JSON, without its quotes. To write it takes longer than to count it, and as much memory again. */
function jsonTextBytes(text: string): number {
  const first = text.search(notPlain);
  if (first === -1) return text.length;
  let bytes = first;
  for (let i = first; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += asciiBytes[unit] as number;
    else if (unit < 0x800) bytes += 2;
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 3;
    else {
      const next = unit < 0xdc00 ? text.charCodeAt(i + 1) : 0;
      const isPair = next >= 0xdc00 && next <= 0xdfff;
      bytes += isPair ? 4 : worstBytesPerUnit;
      if (isPair) i += 1;
    }
  }
  return bytes;
}

/** From this length on a text is counted and not written, if it is no deeper than `content`, its item, `resource`, `text`. */
const [longText, longTextLevels] = [1_000, 4];
/** Copy of a value without its long texts, whose bytes `found` hears; the value itself where it has none. */
function withoutLongTexts(value: unknown, levels: number, found: (bytes: number) => void): unknown {
  if (typeof value === 'string' && value.length >= longText) {
    found(jsonTextBytes(value));
    return '';
  }
  // A value that decides how it is written (`toJSON`) is written.
  if (levels === 0 || typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  const all = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(all)) {
    const rest = withoutLongTexts(all[key], levels - 1, found);
    if (rest === all[key]) continue;
    copy ??= (Array.isArray(value) ? [...(value as readonly unknown[])] : { ...all }) as typeof copy & object;
    copy[key] = rest;
  }
  return copy ?? value;
}

/** Bytes of a value as JSON; Infinity where it cannot be written as JSON, or has more than so many levels. */
export function jsonBytes(value: unknown, levels = mostLevels): number {
  let long = 0;
  const text = jsonOf(() => withoutLongTexts(value, longTextLevels, (bytes) => (long += bytes)));
  // No ring gets further than this: that a walk over the value ends is known here.
  if (text === undefined || upperBound(value, Infinity, levels) === Infinity) return Infinity;
  return long + utf8Bytes(text);
}

function jsonOf(made: () => unknown): string | undefined {
  try {
    return JSON.stringify(made()) ?? '';
  } catch {
    return undefined;
  }
}

/**
 * Bytes of a value as JSON when that is more than the limit, else undefined. Small values, nearly all of them,
 * are judged by an upper bound and never turned into text. What cannot be written as JSON is Infinity, and so is what
 * has more than `mostLevels`, however small it is. `exact` measures the others: a function that remembers what it has
 * measured saves the caller from measuring a large value again.
 */
export function excessBytes(value: unknown, limitBytes: number, exact = jsonBytes): number | undefined {
  const bound = upperBound(value, limitBytes);
  if (bound <= limitBytes) return undefined;
  const bytes = bound === Infinity ? Infinity : exact(value);
  return bytes > limitBytes ? bytes : undefined;
}
