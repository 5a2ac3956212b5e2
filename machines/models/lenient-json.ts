/** As models write it. Missing parts are never invented: truncated text is broken and gives undefined. */
export function readLenientJson(text: string): unknown {
  try {
    const strict = unfenced(text).replace(token, asStrict);
    return JSON.parse(strict.replace(lastComma, (whole, before?: string) => before ?? whole)) as unknown;
  } catch {
    return undefined;
  }
}

const fence = '```';
/** By its first and last line; a pattern over the whole text could take quadratic time. */
function unfenced(text: string): string {
  const whole = text.trim();
  const start = whole.indexOf('\n');
  const end = whole.lastIndexOf(fence);
  const isFenced = start >= 0 && end > start && end + fence.length === whole.length;
  return isFenced && /^```\w*\s*$/.test(whole.slice(0, start)) ? whole.slice(start, end) : text;
}

const words: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' };
const escapes: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }),
  // Drops a backslash before another kind of quote, or at the end of a line.
  ...['"', '\\', '/', "'", '`', '\n', '\r'].map((char): [string, string] => [char, char]),
]);
/** Also without its end, so that no text takes quadratic time. */
const quoted = (mark: string): string =>
  String.raw`${mark}([^${mark}\\]*(?:\\[^]?[^${mark}\\]*)*)(${mark}|$)`;
/** A text, a comment, a number, a key without quotes, or another word. */
const token = new RegExp(
  String.raw`${quoted('"')}|${quoted("'")}|//[^\n]*|/\*[^]*?(?:\*/|$)|[-.\d][\w.+-]*|([A-Za-z_$][\w$-]*)(?=\s*:)|[A-Za-z_$][\w$-]*`,
  'g',
);
/** A text with or without its end; each sign of it can be read in one way only. */
const anyText = String.raw`"[^"\\]*(?:\\(?:[^]|$)[^"\\]*)*(?:"|$)`;
const lastComma = new RegExp(String.raw`(${anyText}|[\w\]}])\s*,(?=\s*[}\]])|${anyText}`, 'g');

function asStrict(
  whole: string,
  ...[double, end, single, singleEnd, key]: readonly (string | undefined)[]
): string {
  if (key !== undefined) return JSON.stringify(key);
  const body = double ?? single;
  if (body !== undefined) return (end ?? singleEnd) === '' ? whole : JSON.stringify(unescaped(body));
  if (/^\/[/*]/.test(whole)) return whole.startsWith('/*') && !whole.endsWith('*/') ? whole : ' ';
  return words[whole] ?? whole;
}
/** The model forgot to double a backslash, for example in a pattern or a path. */
const unescaped = (body: string): string =>
  body.replaceAll(/\\(?:u([\da-fA-F]{4})|([^]))/g, (all, unit: string | undefined, char: string) =>
    unit === undefined ? (escapes.get(char) ?? all) : String.fromCharCode(Number.parseInt(unit, 16)),
  );
