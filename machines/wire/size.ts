/** Bytes that a UTF-16 unit takes in JSON at most: `\u0000`. */
const worstBytesPerUnit = 6;
/** A number, a literal, or the punctuation around a value. */
const smallBytes = 26;

function upperBound(value: unknown, limitBytes: number): number {
  let bytes = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0 && bytes <= limitBytes) {
    const next = rest.pop();
    bytes += smallBytes;
    if (typeof next === 'string') bytes += next.length * worstBytesPerUnit;
    else if (typeof next === 'object' && next !== null)
      for (const [key, child] of Object.entries(next)) {
        bytes += key.length * worstBytesPerUnit;
        rest.push(child);
      }
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
 * are judged by an upper bound and never turned into text. What cannot be written as JSON is Infinity.
 */
export function excessBytes(value: unknown, limitBytes: number): number | undefined {
  if (upperBound(value, limitBytes) <= limitBytes) return undefined;
  try {
    const bytes = utf8Bytes(JSON.stringify(value) ?? '');
    return bytes > limitBytes ? bytes : undefined;
  } catch {
    return Infinity;
  }
}
