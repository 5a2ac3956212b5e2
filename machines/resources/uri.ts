/**
 * Parts of a window or document URI, `scheme://host/path?query`. They are parsed by hand, because platforms
 * treat unknown schemes differently in their own parsers and this code must not depend on one.
 */
export interface UriParts {
  /** Scheme in lower case. */
  readonly scheme: string;
  /** Host as written; may be empty. */
  readonly host: string;
  /** Path as written: empty, or starting with `/`. */
  readonly path: string;
  /** Query as written, without the `?`; may be empty. Values are read with `valueIn`. */
  readonly query: string;
}

const uriPattern = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i;

/**
 * Splits a URI into its parts; undefined when it does not have the form `scheme://…`. A fragment after `#` is
 * ignored.
 */
export function splitUri(raw: string): UriParts | undefined {
  const found = uriPattern.exec(raw);
  if (!found) return undefined;
  const [, scheme = '', host = '', path = '', query = ''] = found;
  return { scheme: scheme.toLowerCase(), host, path, query };
}

/** Decodes a query text in which `+` means a blank, as in forms; no known value contains a plus sign. */
const formDecoded = (text: string): string => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return decodePart(spaced) ?? spaced;
};

/**
 * Returns the first value of a key in a query, decoded; an empty text for a key without a value, undefined
 * without the key. An invalid escape stays as written.
 */
export function valueIn(query: string, key: string): string | undefined {
  for (let from = 0; from < query.length;) {
    const and = query.indexOf('&', from);
    const end = and < 0 ? query.length : and;
    const equals = query.indexOf('=', from);
    const at = equals < 0 || equals > end ? end : equals;
    if (formDecoded(query.slice(from, at)) === key) return formDecoded(query.slice(at + 1, end));
    from = end + 1;
  }
  return undefined;
}

// ── percent-encoding ──────────────────────────────────────────────────────────────────────────────────
/**
 * Percent-encodes one part of a URI (RFC 3986) without loss. Undefined for a text with an unpaired surrogate,
 * for which the platform throws a `URIError`; decoding an invalid escape gives undefined too.
 */
export function encodePart(text: string): string | undefined {
  try {
    return encodeURIComponent(text).replace(/[!'()*]/g, escaped);
  } catch {
    return undefined;
  }
}

/** Encodes the five reserved characters that `encodeURIComponent` leaves out. */
const escaped = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

/** Matches an unpaired surrogate. */
const loneSurrogate = /\p{Surrogate}/u;

export function decodePart(text: string): string | undefined {
  if (loneSurrogate.test(text)) return undefined;
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Escapes of characters that a host may contain unencoded, so that `h:80` and `[::1]` stay readable. */
const inHosts = /%(?:2[146-9A-C]|3[ABD]|40|5[BD])/g;

/** Encodes a host in lower case, because case does not matter. */
export const encodeHost = (host: string): string | undefined =>
  encodePart(host.toLowerCase())?.replace(inHosts, decodeURIComponent);

export const decodeHost = (written: string): string | undefined => decodePart(written)?.toLowerCase();

// ── numbers ───────────────────────────────────────────────────────────────────────────────────────────
/**
 * Parses a whole number from 0, with blanks around it allowed; undefined for a sign, a fraction, or a number
 * too large to be exact.
 */
export function wholeNumberIn(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^\d+$/.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Tells whether a value is a whole number within these limits, inclusive. */
export const isWithin = (value: number, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && value >= least && value <= most;
