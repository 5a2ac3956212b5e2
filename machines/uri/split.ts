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
  /** The first value of a key, decoded; empty where the key has none. A broken escape stays as it is written. */
  readonly query: (key: string) => string | undefined;
}

const whole = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i;

const empty = (): undefined => undefined;

/** Undefined: it is no `scheme://…`. What stands behind a `#` says nothing about what is meant and is left out. */
export function splitUri(raw: string): UriParts | undefined {
  const found = whole.exec(raw);
  if (!found) return undefined;
  const [, scheme = '', host = '', path = '', query] = found;
  return { scheme: scheme.toLowerCase(), host, path, query: query ? queryOf(query) : empty };
}

/** `+` is a blank, as forms write it: no value that we know has a plus sign. */
const plain = (text: string): string => {
  const spaced = text.replaceAll('+', ' ');
  return decodePart(spaced) ?? spaced;
};

function queryOf(query: string): UriParts['query'] {
  const values = new Map<string, string>();
  for (const pair of query.split('&')) {
    const at = pair.indexOf('=');
    const key = plain(at < 0 ? pair : pair.slice(0, at));
    if (!values.has(key)) values.set(key, at < 0 ? '' : plain(pair.slice(at + 1)));
  }
  return (key) => values.get(key);
}
