/**
 * The URIs of windows and documents, taken apart by hand: `scheme://host/path?query`. What a platform's own parser makes of
 * a scheme that it does not know differs from platform to platform, and this room has none.
 */
export interface UriParts {
  /** In lower case. */
  readonly scheme: string;
  /** As written; may be empty. */
  readonly host: string;
  /** As written: empty, or from its first `/` on. */
  readonly path: string;
  /** As written, without its `?`; may be empty. See `valueIn`. */
  readonly query: string;
}

const uriPattern = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i;

/** Undefined: it is no `scheme://…`. What stands behind a `#` says nothing about what is meant and is left out. */
export function splitUri(raw: string): UriParts | undefined {
  const found = uriPattern.exec(raw);
  if (!found) return undefined;
  const [, scheme = '', host = '', path = '', query = ''] = found;
  return { scheme: scheme.toLowerCase(), host, path, query };
}

/** `+` is a blank, as forms write it: no value that we know has a plus sign. */
const formDecoded = (text: string): string => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return decodePart(spaced) ?? spaced;
};

/**
 * The first value of a key in a query, decoded; empty where the key has none, undefined where it is not there. A broken
 * escape stays as it is written.
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

/** What a host may have beside letters and digits: `h:80` and `[::1]` stay readable. */
const inHosts = /%(?:2[146-9A-C]|3[ABD]|40|5[BD])/g;

/** Without regard to case, so in lower case. */
export const encodeHost = (host: string): string | undefined =>
  encodePart(host.toLowerCase())?.replace(inHosts, decodeURIComponent);

export const decodeHost = (written: string): string | undefined => decodePart(written)?.toLowerCase();

// ── numbers ───────────────────────────────────────────────────────────────────────────────────────────
/** A whole number of at least 0 as text, blanks around it allowed: no sign, no fraction, none that JavaScript would round. */
export function wholeNumberIn(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^\d+$/.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** A whole number with both its limits included. */
export const isWithin = (value: number, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && value >= least && value <= most;
