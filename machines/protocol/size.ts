/** Largest number of bytes of one UTF-16 unit in JSON: `\u0000`. */
const worstBytesPerUnit = 6;
/** Largest number of bytes of a number, a literal, or the punctuation around a value. */
const smallBytes = 26;

/**
 * Largest nesting depth of lists and objects in a message. Serializing JSON is recursive, and the stack overflows at a
 * number that depends on the system and the caller: with Node 20 on an empty stack, 4,184 levels of objects on Linux and
 * 996 on Windows. Half of the latter leaves room for the caller.
 */
export const mostLevels = 500;

/**
 * Returns an upper bound of the JSON bytes of a value. Stops as soon as the bound exceeds the limit; Infinity when
 * the value has more than `levels` nesting levels.
 */
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
 * Pattern of non-ASCII runs. A regex search is much faster than a loop. Runs are limited to 1000 characters, because
 * the engine keeps a stack entry per character, and a run of millions could overflow the stack.
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

/** Number of JSON bytes of each ASCII character: 6 for `\u0000`, 2 for `\n`, 1 for `a`. */
const asciiBytes = Uint8Array.from({ length: 0x80 }, (_, unit) =>
  /[\b\t\n\f\r"\\]/.test(String.fromCodePoint(unit)) ? 2 : unit < 0x20 ? worstBytesPerUnit : 1,
);
/** Pattern of characters that take more than one byte in JSON. */
const notPlain = /[^\x20\x21\x23-\x5b\x5d-\x7f]/;
/**
 * Counts the bytes of a text in JSON, without its quotes. Writing the JSON instead would take longer, and twice the
 * memory.
 */
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

/**
 * Length from which a text is counted instead of written, and depth down to which such texts are searched: enough for
 * `content`, its item, `resource`, `text`.
 */
const [longText, longTextLevels] = [1_000, 4];
/**
 * Copies a value without its long texts, and reports their bytes to `found`; returns the value itself when it has
 * none.
 */
function withoutLongTexts(value: unknown, levels: number, found: (bytes: number) => void): unknown {
  if (typeof value === 'string' && value.length >= longText) {
    found(jsonTextBytes(value));
    return '';
  }
  // A value with its own `toJSON` is left to JSON.stringify.
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

/**
 * Returns the bytes of a value as JSON; Infinity when it cannot be written as JSON, or is nested deeper than
 * `levels`.
 */
export function jsonBytes(value: unknown, levels = mostLevels): number {
  let long = 0;
  const text = jsonOf(() => withoutLongTexts(value, longTextLevels, (bytes) => (long += bytes)));
  // JSON.stringify fails on circular values, so the walk by `upperBound` is known to end.
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
 * Returns the bytes of a value as JSON when they exceed the limit, otherwise undefined. Small values, nearly all of
 * them, are accepted by an upper bound without being serialized. A value that cannot be written as JSON, or is nested
 * deeper than `mostLevels`, counts as Infinity. `exact` measures the other values; passing a caching function avoids
 * measuring a large value twice.
 */
export function excessBytes(value: unknown, limitBytes: number, exact = jsonBytes): number | undefined {
  const bound = upperBound(value, limitBytes);
  if (bound <= limitBytes) return undefined;
  const bytes = bound === Infinity ? Infinity : exact(value);
  return bytes > limitBytes ? bytes : undefined;
}
