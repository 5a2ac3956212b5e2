/** Parts, escapes and numbers of any URI. */
import type { Failure } from '../protocol/failure.ts';

/** Parsed by hand, because platforms treat unknown schemes differently in their own parsers. */
export interface UriParts {
  /** In lower case. */
  readonly scheme: string;
  /** As written; may be empty. */
  readonly host: string;
  /** As written: empty, or starting with `/`. */
  readonly path: string;
  /** As written, without the `?`; may be empty. Values are read with `valueIn`. */
  readonly query: string;
}

const uriPattern = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i;

/** Undefined when it does not have the form `scheme://…`. A fragment after `#` is ignored. */
export function splitUri(raw: string): UriParts | undefined {
  const found = uriPattern.exec(raw);
  if (!found) return undefined;
  const [, scheme = '', host = '', path = '', query = ''] = found;
  return { scheme: scheme.toLowerCase(), host, path, query };
}

/** `+` means a blank, as in forms; no known value contains a plus sign. */
const formDecoded = (text: string): string => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return decodePart(spaced) ?? spaced;
};

/** The first value; empty for a key without a value. An invalid escape stays as written. */
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

/** RFC 3986. Undefined for an unpaired surrogate, for which the platform throws a `URIError`. */
export function encodePart(text: string): string | undefined {
  try {
    return encodeURIComponent(text).replace(/[!'()*]/g, escaped);
  } catch {
    return undefined;
  }
}

/** The five reserved characters that `encodeURIComponent` leaves out. */
const escaped = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

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

export const encodeHost = (host: string): string | undefined =>
  encodePart(host.toLowerCase())?.replace(inHosts, decodeURIComponent);

export const decodeHost = (written: string): string | undefined => decodePart(written)?.toLowerCase();

/** Blanks around it are allowed; undefined for a sign, a fraction, or a number too large to be exact. */
export function wholeNumberIn(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^\d+$/.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Limits are inclusive. */
export const isWithin = (value: number, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && value >= least && value <= most;

/** An unknown part of what is built. */
export const strange = (
  { failure: { message, ...failure } }: { readonly failure: Failure },
  key: string,
): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure: { ...failure, message: `${message.split(':')[0]}: it has no part '${key.slice(0, 40)}'` },
});
