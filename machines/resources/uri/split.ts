import { decodePart } from './encoding.ts';

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

const whole = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i;

/** Undefined: it is no `scheme://…`. What stands behind a `#` says nothing about what is meant and is left out. */
export function splitUri(raw: string): UriParts | undefined {
  const found = whole.exec(raw);
  if (!found) return undefined;
  const [, scheme = '', host = '', path = '', query = ''] = found;
  return { scheme: scheme.toLowerCase(), host, path, query };
}

/** `+` is a blank, as forms write it: no value that we know has a plus sign. */
const plain = (text: string): string => {
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
    if (plain(query.slice(from, at)) === key) return plain(query.slice(at + 1, end));
    from = end + 1;
  }
  return undefined;
}
