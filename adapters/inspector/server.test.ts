import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { attachPath, subprotocol, tokenSubprotocol, type FromPage } from '../../machines/inspection.ts';
import { openInspectorServer, type AttachedPage, type InspectorServer } from './server.ts';

const opened: InspectorServer[] = [];
const heard: FromPage[] = [];
const pages = new Set<AttachedPage>();
let left: (() => void) | undefined;

async function open(port = 0): Promise<InspectorServer & { port: number; token: string; origin: string }> {
  const server = await openInspectorServer({
    port,
    attached: (page) => {
      pages.add(page);
      return {
        heard: (message) => heard.push(message),
        left: () => {
          pages.delete(page);
          left?.();
        },
      };
    },
  });
  opened.push(server);
  const { hash, origin, port: own } = new URL(server.url);
  return { ...server, port: Number(own), token: hash.replace('#token=', ''), origin };
}
afterEach(async () => {
  heard.length = 0;
  left = undefined;
  for (const server of opened.splice(0)) await server.close();
  expect(pages.size).toBe(0);
});

interface Got {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}
async function get(
  port: number,
  options: { path?: string; method?: string; headers?: object } = {},
): Promise<Got> {
  const { path = '/', method = 'GET', headers = {} } = options;
  const asked = request({ host: '127.0.0.1', port, path, method, headers: { ...headers } });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, headers: response.headers, text };
}
interface Trying {
  readonly token?: string;
  readonly protocols?: string[];
  readonly headers?: Record<string, string>;
  readonly path?: string;
}
/** Connects to the inspector and resolves with the open connection, or with the HTTP status of the refusal. */
function attach(
  port: number,
  { token = '', protocols, headers = {}, path = attachPath }: Trying,
): Promise<WebSocket | number> {
  const offered = protocols ?? [subprotocol, tokenSubprotocol(token)];
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, offered, { headers });
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(socket));
    socket.on('unexpected-response', (_request, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    socket.on('error', reject);
  });
}
const attached = async (port: number, trying: Trying): Promise<WebSocket> => {
  const socket = await attach(port, trying);
  if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
  return socket;
};

describe('the server of the inspector', () => {
  it('listens on loopback only', async () => {
    const { port } = await open();
    const others = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4');
    for (const { address } of others) {
      const socket = connect(port, address);
      const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
      expect(error.code).toBe('ECONNREFUSED');
    }
    expect((await get(port)).status).toBe(200);
  });

  it('has a new token of 256 bits in the fragment of its address, each time', async () => {
    const tokens = [(await open()).token, (await open()).token];
    for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(tokens).size).toBe(2);
  });

  it('lets the page load from nowhere else, and be framed and sniffed by nobody', async () => {
    const { port } = await open();
    const { headers } = await get(port);
    const policy = headers['content-security-policy'] as string;
    expect(policy).toContain(`default-src 'none'`);
    expect(policy).toContain(`script-src 'self';`);
    expect(policy).toContain(`frame-ancestors 'none'`);
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toContain('https:');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  const origins = ['http://evil.example', 'null', 'https://127.0.0.1', 'http://127.0.0.1:1', 'file://'];
  it.each<[what: string, headers: Record<string, string>]>([
    ['for a name that leads here by DNS rebinding', { host: 'evil.example' }],
    ['for another port', { host: '127.0.0.1:1' }],
    ['for a name without a port', { host: '127.0.0.1' }],
    ...origins.map((origin): [string, Record<string, string>] => [
      `of a page of the origin ${origin}`,
      { origin },
    ]),
  ])('refuses a request %s, also to attach, even of one that knows the token', async (_, headers) => {
    const { port, token } = await open();
    expect((await get(port, { headers })).status).toBe(403);
    expect(await attach(port, { token, headers })).toBe(403);
    expect(pages.size).toBe(0);
  });

  it('takes its own page, under both names of loopback', async () => {
    const { port, token, origin } = await open();
    for (const headers of [{ origin }, { origin: `http://localhost:${port}`, host: `localhost:${port}` }]) {
      const socket = await attached(port, { token, headers });
      // The server answers with its own protocol name only, and does not repeat the token.
      expect(socket.protocol).toBe(subprotocol);
      socket.close();
      await once(socket, 'close');
    }
  });

  it.each([
    ['no token', [subprotocol]],
    ['an empty one', [subprotocol, 'token.']],
    ['a wrong one', [subprotocol, tokenSubprotocol('0'.repeat(64))]],
    ['none of its protocols', ['chat']],
  ])('refuses a program with %s', async (_, protocols) => {
    const { port } = await open();
    expect(await attach(port, { protocols })).toBe(401);
  });

  it('takes no token out of a URL, where it would stand in histories and logs', async () => {
    const { port, token } = await open();
    expect(await attach(port, { protocols: [subprotocol], path: `${attachPath}?token=${token}` })).toBe(404);
  });

  // CVE-2025-49596: any site could make the proxy of MCP Inspector start a program by a GET without a token.
  it('runs, opens and forwards nothing whatever is asked over HTTP', async () => {
    const { port, token } = await open();
    const run = '/sse?transportType=stdio&command=touch&args=/tmp/owned';
    for (const path of [run, `/stdio?command=touch&token=${token}`, '/mcp', '/message', '/api/control'])
      for (const method of ['GET', 'HEAD']) expect((await get(port, { path, method })).status).toBe(404);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      expect((await get(port, { method, path: run })).status).toBe(405);
    expect(heard).toEqual([]);
  });

  it.each([
    '/../package.json',
    '/..%2fpackage.json',
    '/%2e%2e/package.json',
    '//etc/passwd',
    '/assets/../../server.js',
  ])('gives out its own files and no others: %s', async (path) => {
    const { port } = await open();
    expect((await get(port, { path })).status).toBe(404);
  });

  it('hands on what its protocol has, and closes on anything else', async () => {
    const { port, token } = await open();
    const socket = await attached(port, { token });
    const gone = once(socket, 'close');
    socket.send(JSON.stringify({ type: 'ask', id: 1, what: 'stderr', server: 's' }));
    // CVE-2025-58444: shown text could become a command. Our inspector has no message that runs or opens anything.
    socket.send(JSON.stringify({ type: 'control', id: 2, verb: 'run', target: 'touch /tmp/owned' }));
    expect((await gone)[0]).toBe(1008);
    expect(heard).toEqual([{ type: 'ask', id: 1, what: 'stderr', server: 's' }]);
  });

  it.each([
    ['no JSON', 'GET / HTTP/1.1', 1008],
    ['a binary frame', Buffer.from('{}'), 1008],
    ['a message beyond 64 KiB', 'x'.repeat(64 * 1024 + 1), 1009],
  ])('closes on %s', async (_, data, code) => {
    const { port, token } = await open();
    const socket = await attached(port, { token });
    socket.on('error', () => {});
    socket.send(data);
    expect((await once(socket, 'close'))[0]).toBe(code);
  });

  it('is looked at by eight pages at most, and by another one when one has left', async () => {
    const { port, token } = await open();
    const sockets = await Promise.all(Array.from({ length: 8 }, () => attached(port, { token })));
    expect(await attach(port, { token })).toBe(503);
    const gone = new Promise<void>((resolve) => (left = resolve));
    sockets[0]?.close();
    await gone;
    expect(await attach(port, { token })).toBeInstanceOf(WebSocket);
  });

  it('gives its port back when it closes, no matter who still holds a connection', async () => {
    const server = await open();
    const { port, token } = server;
    const idle = connect(port, '127.0.0.1');
    idle.on('error', () => {});
    await once(idle, 'connect');
    const socket = await attached(port, { token });
    // This client never answers the closing handshake.
    socket.pause();
    await server.close();
    await server.close();
    expect((await open(port)).port).toBe(port);
    socket.terminate();
  });
});
