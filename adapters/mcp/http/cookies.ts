import { isIP } from 'node:net';

/** Largest number of cookies of one server, and largest size of one in bytes, name and value (RFC 6265 §6.1). */
const mostCookies = 50;
const mostBytes = 4_096;

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}
const isBelow = (path: string, top: string): boolean =>
  path === top || path.startsWith(top.endsWith('/') ? top : `${top}/`);

/** By cookies a balancer finds the machine of a session. Sent back to the origin that has set them (RFC 6265). */
export class Cookies {
  readonly #now: () => number;
  /** Until the session ends, or the server takes them back. */
  readonly #kept = new Map<string, Cookie>();

  constructor(now: () => number) {
    this.#now = now;
  }
  take(line: string, from: URL): string | undefined {
    const [[name, value], ...attributes] = line.split(';').map(pairIn) as [Pair, ...Pair[]];
    if (name === '' || value === undefined) return undefined;
    const told = new Map(attributes.map(([key, text = '']) => [key.toLowerCase(), text]));
    const given = told.get('path') ?? '';
    const path = given.startsWith('/')
      ? given
      : from.pathname.slice(0, Math.max(1, from.pathname.lastIndexOf('/')));
    const key = `${name};${path}`;
    this.#kept.delete(key);
    const age = told.get('max-age');
    if (age === undefined ? Date.parse(told.get('expires') ?? '') <= this.#now() : Number(age) <= 0)
      return undefined;
    const domain = (told.get('domain') ?? '').replace(/^\./, '').toLowerCase();
    const isOurs =
      (domain === '' || isWithin(from.hostname, domain)) &&
      (!told.has('secure') || from.protocol === 'https:') &&
      name.length + value.length <= mostBytes &&
      !/[^\x20-\x7e\x80-\xff]/.test(name + value);
    if (!isOurs || this.#kept.size >= mostCookies) return undefined;
    this.#kept.set(key, { name, value, path });
    return value;
  }
  /** Undefined without cookies. `given`: the header of the config, whose names win. */
  headerFor({ pathname }: URL, given = ''): string | undefined {
    const names = new Set(given.split(';').map((text) => pairIn(text)[0]));
    const all = [...this.#kept.values()].filter(
      ({ name, path }) => isBelow(pathname, path) && !names.has(name),
    );
    const sorted = all.toSorted((a, b) => b.path.length - a.path.length);
    const texts = [given, ...sorted.map(({ name, value }) => `${name}=${value}`)].filter(Boolean);
    return texts.length === 0 ? undefined : texts.join('; ');
  }
}

type Pair = readonly [name: string, value?: string];
const pairIn = (text: string): Pair => {
  const at = text.indexOf('=');
  return at < 0 ? [text.trim()] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
};
const isWithin = (host: string, domain: string): boolean =>
  host === domain || (host.endsWith(`.${domain}`) && isIP(host) === 0);
