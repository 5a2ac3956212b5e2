/** Bytes that a UTF-16 unit takes in JSON at most: `\u0000`. */
const worstBytesPerUnit = 6;
/** A number, a literal, or the punctuation around a value. */
const smallBytes = 26;

/**
 * Levels of lists and objects within each other that a message may have. Who writes JSON, or looks for bytes in it, goes
 * down by calling itself: at some thousands the stack is full, and how many depends on who has called before.
 */
export const mostLevels = 1_000;

/** No fewer than its bytes; more than the limit as soon as that is sure, and Infinity where it is too deep. */
function upperBound(value: unknown, limitBytes: number): number {
  let bytes = 0;
  let level: unknown[] = [value];
  for (let above = 0; level.length > 0; above += 1) {
    const below: unknown[] = [];
    for (const next of level) {
      bytes += smallBytes;
      if (typeof next === 'string') bytes += next.length * worstBytesPerUnit;
      else if (typeof next === 'object' && next !== null) {
        if (above === mostLevels) return Infinity;
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

/** Bytes of a value as JSON; Infinity where it cannot be written as JSON, or has more than `mostLevels`. */
export function jsonBytes(value: unknown): number {
  const text = jsonOf(value);
  // No ring gets further than this: that a walk over the value ends is known here.
  if (text === undefined || upperBound(value, Infinity) === Infinity) return Infinity;
  return utf8Bytes(text);
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) ?? '';
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
