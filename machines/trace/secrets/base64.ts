const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const valueOf = new Map(`${letters}-_`.split('').map((letter, at) => [letter, at < 64 ? at : at - 2]));

/** The bytes of a text in UTF-8; none of half a character. */
function bytesOf(text: string): readonly number[] {
  try {
    return [...encodeURIComponent(text).matchAll(/%(..)|[^%]/g)].map(([all, code]) =>
      code === undefined ? all.charCodeAt(0) : Number.parseInt(code, 16),
    );
  } catch {
    return [];
  }
}
/** The text that this is the base64 of, also as URLs have it; undefined where it is that of no text. */
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
    // Most of what only looks like it is no UTF-8, or has such characters.
    return text === '' || /(?![\t\r\n])\p{Cc}/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
/**
 * What is the same in the base64 of every text with this one in it, by where in a group of three bytes it begins; also as
 * URLs have it.
 */
export function coresInBase64(text: string): readonly string[] {
  const bytes = bytesOf(text);
  const cores = [0, 1, 2].map((before) => {
    const all = [...Array.from({ length: before }, () => 0), ...bytes];
    let core = '';
    // The first letters also say what comes before, the last one what follows.
    for (let at = Math.ceil((before * 8) / 6); (at + 1) * 6 <= all.length * 8; at++) {
      const bit = at * 6;
      const pair = ((all[bit >> 3] ?? 0) << 8) | (all[(bit >> 3) + 1] ?? 0);
      core += letters[(pair >> (10 - (bit & 7))) & 63];
    }
    return core;
  });
  return [...new Set(cores.flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_')]))];
}
