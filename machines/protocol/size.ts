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

function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // A surrogate pair is two units of two bytes each; every other unit from 0x800 on takes three.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/**
 * Bytes of a value as JSON when that is more than the limit, else undefined. Small values, nearly all of them,
 * are judged by an upper bound and never turned into text. What cannot be written as JSON is Infinity, and so is what
 * has more than `mostLevels`, however small it is.
 */
export function excessBytes(value: unknown, limitBytes: number): number | undefined {
  const bound = upperBound(value, limitBytes);
  if (bound <= limitBytes) return undefined;
  if (bound === Infinity) return Infinity;
  try {
    const bytes = utf8Bytes(JSON.stringify(value) ?? '');
    // It was looked at as far as the limit only. No ring gets here: that this ends is known by now.
    if (upperBound(value, Infinity) === Infinity) return Infinity;
    return bytes > limitBytes ? bytes : undefined;
  } catch {
    return Infinity;
  }
}
