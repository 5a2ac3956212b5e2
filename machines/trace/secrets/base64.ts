const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const valueOf = new Map(`${letters}-_`.split('').map((letter, at) => [letter, at < 64 ? at : at - 2]));

/** Returns the UTF-8 bytes of a text; an empty list for a text with an unpaired surrogate. */
function bytesOf(text: string): readonly number[] {
  try {
    return [...encodeURIComponent(text).matchAll(/%(..)|[^%]/g)].map(([all, code]) =>
      code === undefined ? all.charCodeAt(0) : Number.parseInt(code, 16),
    );
  } catch {
    return [];
  }
}
/** Decodes base64 or base64url into text; undefined when the bytes are no printable UTF-8 text. */
export function textInBase64(base64: string): string | undefined {
  let [code, held, bits] = ['', 0, 0];
  for (const letter of base64.replace(/={1,2}$/, '')) {
    const value = valueOf.get(letter);
    if (value === undefined) return undefined;
    held = ((held << 6) | value) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    code += `%${((held >> bits) & 0xff).toString(16).padStart(2, '0')}`;
  }
  try {
    const text = decodeURIComponent(code);
    // Random bytes that only look like base64 are mostly invalid UTF-8 or contain control characters.
    return text === '' || /(?![\t\r\n])\p{Cc}/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
/**
 * Returns the letters that the base64 of any text containing this one must include: one variant for each
 * position in a group of three bytes, each also in base64url.
 */
export function coresInBase64(text: string): readonly string[] {
  const bytes = bytesOf(text);
  const cores = [0, 1, 2].map((before) => {
    const all = [...Array.from({ length: before }, () => 0), ...bytes];
    let core = '';
    // The first base64 letters depend on the bytes before the text and the last one on those after, so both
    // ends are left out.
    for (let at = Math.ceil((before * 8) / 6); (at + 1) * 6 <= all.length * 8; at++) {
      const bit = at * 6;
      const pair = ((all[bit >> 3] ?? 0) << 8) | (all[(bit >> 3) + 1] ?? 0);
      core += letters[(pair >> (10 - (bit & 7))) & 63];
    }
    return core;
  });
  return [...new Set(cores.flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_')]))];
}
