import {
  isLegacyRequest,
  readRequestBody,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { isSecret } from '../../reading.ts';
import { mostBytes } from './stdio.ts';
import type { ClientWire } from './wire.ts';
import { statelessHandler, type StatelessHandler } from './translator.ts';

export interface HttpOptions {
  readonly port: number;
  readonly host?: string | undefined;
  readonly token: string | undefined;
  /** Takes the wire of each client of the revision 2026-07-28, which has no sessions; without it such clients are refused. */
  readonly stateless?: ((wire: ClientWire) => void) | undefined;
}
export interface HttpServing {
  readonly url: string;
  close(): Promise<void>;
}
export type OpenSession = (
  transport: WebStandardStreamableHTTPServerTransport,
) => Promise<() => Promise<void>>;
interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly close: () => Promise<void>;
}
interface Serving extends HttpOptions {
  readonly open: OpenSession;
  readonly sessions: Map<string, Session>;
  readonly handler: StatelessHandler | undefined;
}
const mostSessions = 100;
const loopback = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;
const defaultHost = '127.0.0.1';

/** A web page can reach loopback through a host name of its own, so the headers Host and Origin are checked. */
export async function serveOverHttp(options: HttpOptions, open: OpenSession): Promise<HttpServing> {
  const { port, host = defaultHost } = options;
  const handler = options.stateless && statelessHandler(options.stateless);
  const serving: Serving = { ...options, host, open, sessions: new Map(), handler };
  const server = createServer((request, response) => {
    void answer(request, response, serving).catch(() => {
      if (!response.headersSent) refuse(response, 500, 'the request could not be answered');
      else response.destroy();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/mcp`,
    close: async () => {
      await Promise.all([...serving.sessions.values()].map((session) => session.close()));
      await handler?.close();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function refuse(response: ServerResponse, status: number, message: string, code = -32_000): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } });
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
function isOwn(name: string, { host = defaultHost }: HttpOptions): boolean {
  if (loopback.test(name)) return true;
  const [, own = name] = /^\[?(.*?)\]?(?::\d+)?$/.exec(name) ?? [];
  // An address for all networks is reached by names that nobody can list; there the token decides.
  return !loopback.test(host) && (own === host || host === '0.0.0.0' || host === '::');
}
const hostOf = (origin: string): string => (URL.canParse(origin) ? new URL(origin).host : '');

async function answer(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { host = '', origin, authorization = '' } = request.headers;
  const { sessions, token } = serving;
  if (!isOwn(host, serving)) return refuse(response, 403, 'the Host header must be a loopback name');
  if (origin !== undefined && !isOwn(hostOf(origin), serving))
    return refuse(response, 403, 'this Origin may not ask');
  if (token !== undefined && !isSecret(authorization, `Bearer ${token}`)) {
    response.setHeader('www-authenticate', 'Bearer');
    return refuse(response, 401, 'the header "Authorization: Bearer TOKEN" is missing or wrong');
  }
  if (new URL(request.url ?? '/', 'http://localhost').pathname !== '/mcp')
    return refuse(response, 404, 'the path is /mcp');
  const id = request.headers['mcp-session-id'];
  const known = typeof id === 'string' ? sessions.get(id) : undefined;
  if (id !== undefined && !known) return refuse(response, 404, 'there is no such session; begin a new one');
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const asked = webRequest(request, gone.signal);
  const parsedBody = request.method === 'POST' ? await bodyOf(asked, response) : undefined;
  if (response.headersSent) return undefined;
  if (id === undefined && serving.handler && !(await isLegacyRequest(asked, parsedBody)))
    return write(response, await serving.handler.fetch(asked, parsedBody));
  const session = known ?? (await openSession(serving));
  await write(response, await session.transport.handleRequest(asked, { parsedBody }));
  // Closes a session whose first request was not `initialize`: the request got an error, and no client knows the session.
  if (session.transport.sessionId === undefined) await session.close();
}

/** Answers with an error, and returns undefined, where it cannot be read. */
async function bodyOf(request: Request, response: ServerResponse): Promise<unknown> {
  try {
    const body = await readRequestBody(request, mostBytes);
    if (!body.tooLarge) return JSON.parse(body.text) as unknown;
    refuse(response, 413, `a request has at most ${mostBytes} bytes`);
  } catch {
    refuse(response, 400, 'the body is no JSON', -32_700);
  }
  return undefined;
}
function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const { method = 'GET', url = '/', headers } = request;
  const isWithBody = method !== 'GET' && method !== 'HEAD';
  const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
  return new Request(new URL(url, 'http://localhost'), {
    method,
    headers: pairs,
    signal,
    ...(isWithBody && { body: Readable.toWeb(request) as BodyInit, duplex: 'half' }),
  });
}
async function write(response: ServerResponse, { status, headers, body }: Response): Promise<void> {
  response.writeHead(status, Object.fromEntries(headers)).flushHeaders();
  if (body) await pipeline(Readable.fromWeb(body as ReadableStream), response).catch(() => {});
  else response.end();
}

async function openSession({ open, sessions }: Serving): Promise<Session> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => {
      sessions.set(id, session);
      // Closes the oldest session when there are too many, because clients that vanish do not close theirs.
      const [oldest] = sessions.keys();
      if (sessions.size > mostSessions && oldest !== undefined) {
        const gone = sessions.get(oldest);
        sessions.delete(oldest);
        void gone?.close();
      }
    },
  });
  let close = (): Promise<void> => transport.close();
  const session: Session = { transport, close: () => close() };
  const forget = (): void => {
    if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
  };
  transport.onclose = forget;
  close = await open(transport);
  return session;
}
