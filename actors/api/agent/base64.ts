/** The text that this is the base64 of, also as URLs have it; undefined where it is that of no text. */
export function textInBase64(base64: string): string | undefined {
  const text = Buffer.from(base64, 'base64').toString('utf8');
  // Most of what only looks like it is no UTF-8, or has such characters.
  return text === '' || /(?![\t\r\n])[\p{Cc}\uFFFD]/u.test(text) ? undefined : text;
}
