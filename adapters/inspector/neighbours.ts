import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { tokenSubprotocol } from '../../machines/inspection/index.ts';

/**
 * Whom a host lets look at it. A page of another site can make a browser send requests here, under a name of its own that
 * leads to this machine too (DNS rebinding), so what the browser says of both is checked; and a program of this machine
 * has to know the token.
 */
export class Neighbours {
  readonly #hosts: ReadonlySet<string>;
  readonly #token: Buffer;

  constructor(port: number, token: string) {
    this.#hosts = new Set(['127.0.0.1', 'localhost'].map((name) => `${name}:${port}`));
    this.#token = digest(tokenSubprotocol(token));
  }
  /** Why a request is refused; undefined: it comes from here. */
  refusal({ host, origin }: IncomingHttpHeaders): string | undefined {
    if (host === undefined || !this.#hosts.has(host)) return 'This inspector has another address';
    if (origin === undefined) return undefined;
    const isOwn = origin === `http://${host}`;
    return isOwn ? undefined : 'Pages of other sites may not look at this host';
  }
  /** Of the subprotocols that a page offers one is the token. Takes as long for a wrong one as for the right one. */
  knows(offered: string | undefined): boolean {
    const all = (offered ?? '').split(',', 8).map((each) => digest(each.trim()));
    return all.filter((each) => timingSafeEqual(each, this.#token)).length > 0;
  }
}
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
