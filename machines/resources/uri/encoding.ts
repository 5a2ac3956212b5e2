/**
 * Percent-encoding of one part of a URI (RFC 3986), there and back without loss. Undefined instead of the platform's
 * `URIError`: a text with half a surrogate pair has no UTF-8, and not every escape is some.
 */
export function encodePart(text: string): string | undefined {
  try {
    return encodeURIComponent(text).replace(/[!'()*]/g, escaped);
  } catch {
    return undefined;
  }
}

/** These five are reserved too, and the platform leaves them. */
const escaped = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

/** Half a surrogate pair. */
const half = /\p{Surrogate}/u;

export function decodePart(text: string): string | undefined {
  if (half.test(text)) return undefined;
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** What a host may have beside letters and digits: `h:80` and `[::1]` stay readable. */
const inHosts = /%(?:2[146-9A-C]|3[ABD]|40|5[BD])/g;

/** Without regard to case, so in lower case. */
export const encodeHost = (host: string): string | undefined =>
  encodePart(host.toLowerCase())?.replace(inHosts, decodeURIComponent);

export const decodeHost = (written: string): string | undefined => decodePart(written)?.toLowerCase();
