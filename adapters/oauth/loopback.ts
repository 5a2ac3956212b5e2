import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

const path = '/callback';
const page = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><title>a2c</title><p>${text}</p>`;
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'",
  connection: 'close',
} as const;

/**
 * Where the browser of a person who logged in is sent back to: this machine alone, at a port that was free. Only a
 * redirect that carries our own state counts, and only the first; whatever else comes is told no and changes nothing.
 */
export class Loopback {
  readonly redirectUri: string;
  /** The address that the browser was sent to, query and all. Never rejects. */
  readonly redirected: Promise<URL>;
  readonly #server: Server;
  #state: string | undefined;

  private constructor(server: Server) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.redirectUri = `http://127.0.0.1:${port}${path}`;
    this.redirected = new Promise((resolve) => {
      server.on('request', (request, response) => {
        const url = new URL(request.url ?? '/', this.redirectUri);
        // Another name for this machine is somebody else's page.
        const isOurs = request.headers.host === `127.0.0.1:${port}` && request.method === 'GET';
        if (!isOurs || url.pathname !== path || this.#state === undefined) {
          response.writeHead(404, headers).end(page('Nothing is here.'));
          return;
        }
        if (url.searchParams.get('state') !== this.#state) {
          response.writeHead(400, headers).end(page('This is not the login that a2c waits for.'));
          return;
        }
        this.#state = undefined;
        const isRefused = url.searchParams.has('error');
        const said = isRefused ? 'The login was refused.' : 'a2c has what it needs.';
        response.writeHead(200, headers).end(page(`${said} You can close this page.`));
        resolve(url);
      });
    });
  }
  /** At this port, or at another where that is taken. */
  static async open(port = 0): Promise<Loopback> {
    const server = createServer();
    const listening = once(server, 'listening');
    server.listen({ port, host: '127.0.0.1' });
    try {
      await listening;
    } catch (error) {
      if (port === 0) throw error;
      return Loopback.open();
    }
    return new Loopback(server);
  }
  /** From now on the redirect with this state is waited for. */
  expect(state: string): void {
    this.#state = state;
  }
  close(): void {
    this.#server.close();
    this.#server.closeIdleConnections();
  }
}
