import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { randomUUID, timingSafeEqual, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { Readable, PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { Library, type LibraryOptions } from './library.ts';
import { addResources, type Shared, share } from './sharing.ts';
import { addListFiles, addOpen, addReadFile, addSearchFiles, addSearch } from './tools.ts';

/**
 * Creates one session of this project's MCP server for documents: the files of folders as `dpe://` documents with pages and
 * elements, some `window://` windows, and tools. The server only reads. An unanswerable request is refused with a sentence that
 * names no path outside of the folders.
 */
export const createDocumentsServer = (shared: Shared): McpServer => {
  const server = new McpServer(
    { name: 'documents', title: 'Documents', version: '0.1.0' },
    {
      instructions:
        'Read-only access to the files of some folders. Documents are resources: dpe://HOST/DOC_REF, its pages, its ' +
        'elements; search finds them. list_files, search_files and read_file work on text files, whatever their format; ' +
        'their paths are relative, with / between names.',
    },
  );
  const { folders } = shared.library;
  addListFiles(server, folders);
  addReadFile(server, folders);
  addSearchFiles(server, folders);
  addSearch(server, shared);
  addOpen(server, shared);
  addResources(server, shared);
  return server;
};

export interface HttpOptions {
  /** Port to listen on; 0 takes any free one. */
  readonly port: number;
  /** Token that clients must send; undefined needs none. */
  readonly token: string | undefined;
}
export interface HttpServing {
  readonly url: string;
  close(): Promise<void>;
}
interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly close: () => Promise<void>;
}
const mostSessions = 100;
const loopback = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/**
 * Serves Streamable HTTP on the loopback address. A web page can reach that address through a host name of its own, so the Host
 * header must be a loopback name, and the Origin header, which browsers send, as well.
 */
export async function serveHttp(shared: Shared, { port, token }: HttpOptions): Promise<HttpServing> {
  const sessions = new Map<string, Session>();
  const server = createServer((request, response) => {
    void answer(request, response, shared, sessions, token).catch(() => {
      if (!response.headersSent) refuse(response, 500, 'the request could not be answered');
      else response.destroy();
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}/mcp`,
    close: async () => {
      await Promise.all([...sessions.values()].map((session) => session.close()));
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } });
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
const isLoopback = (origin: string): boolean => {
  try {
    return loopback.test(new URL(origin).host);
  } catch {
    return false;
  }
};
function isKnown(request: IncomingMessage, token: string | undefined): boolean {
  if (token === undefined) return true;
  const [given, wanted] = [Buffer.from(request.headers.authorization ?? ''), Buffer.from(`Bearer ${token}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  shared: Shared,
  sessions: Map<string, Session>,
  token: string | undefined,
): Promise<void> {
  const { host = '', origin } = request.headers;
  if (!loopback.test(host)) return refuse(response, 403, 'the Host header must be a loopback name');
  if (origin !== undefined && !isLoopback(origin)) return refuse(response, 403, 'this Origin may not ask');
  if (!isKnown(request, token)) {
    response.setHeader('www-authenticate', 'Bearer');
    return refuse(response, 401, 'the header "Authorization: Bearer TOKEN" is missing or wrong');
  }
  if (new URL(request.url ?? '/', 'http://localhost').pathname !== '/mcp')
    return refuse(response, 404, 'the path is /mcp');
  const id = request.headers['mcp-session-id'];
  const known = typeof id === 'string' ? sessions.get(id) : undefined;
  if (id !== undefined && !known) return refuse(response, 404, 'there is no such session; begin a new one');
  const session = known ?? (await openSession(shared, sessions));
  await write(response, await session.transport.handleRequest(webRequest(request)));
  // Closes a session whose first request was not `initialize`: the request got an error, and no client knows the session.
  if (session.transport.sessionId === undefined) await session.close();
}

/** Converts a request of Node to a web `Request`, which the MCP SDK takes. */
function webRequest(request: IncomingMessage): Request {
  const { method = 'GET', url = '/', headers } = request;
  const isWithBody = method !== 'GET' && method !== 'HEAD';
  const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
  return new Request(new URL(url, 'http://localhost'), {
    method,
    headers: pairs,
    ...(isWithBody && { body: Readable.toWeb(request) as BodyInit, duplex: 'half' }),
  });
}
/** Streams an answer of the MCP SDK to the client; stops when the client disconnects. */
async function write(response: ServerResponse, { status, headers, body }: Response): Promise<void> {
  response.writeHead(status, Object.fromEntries(headers)).flushHeaders();
  if (body) await pipeline(Readable.fromWeb(body as ReadableStream), response).catch(() => {});
  else response.end();
}

async function openSession(shared: Shared, sessions: Map<string, Session>): Promise<Session> {
  const server = createDocumentsServer(shared);
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
  const session: Session = { transport, close: () => server.close() };
  transport.onclose = () => {
    if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
  };
  await server.connect(transport);
  return session;
}

export interface ServeOptions {
  /** Host part of the document URIs, `documents` by default. */
  readonly host?: string;
  /** Port for Streamable HTTP on the loopback address; without it the server uses stdio. */
  readonly port?: number;
  /** Token that clients must send over HTTP, by default a random one; false needs none. */
  readonly token?: string | false;
  readonly isWatching?: boolean;
  /** Called with a sentence about each problem that does not stop the server. */
  readonly notice: (text: string) => void;
  /** Called once with the URL and the token when the server listens on HTTP. */
  readonly listening?: (where: { readonly url: string; readonly token: string | undefined }) => void;
  /** Signal that ends the server. */
  readonly signal: AbortSignal;
}
/** Error with the reason why the documents server cannot start, for the person who started it. */
export class CannotServe extends Error {}
const defaultHost = 'documents';
/** Time in ms for writing pending answers after stdin has ended; shorter than the host's `stdinGraceMs`. */
const lastWordsMs = 300;

export async function openDocuments(
  paths: readonly string[],
  host: string,
  options: LibraryOptions,
): Promise<Shared> {
  if (!/^[a-z\d][a-z\d.-]{0,62}$/.test(host))
    throw new CannotServe(
      `"${host}" cannot be the host of URIs: lower-case letters, digits, dots and dashes`,
    );
  for (const path of paths) {
    const facts = await stat(path).catch(() => undefined);
    if (!facts?.isDirectory()) throw new CannotServe(`${path} is not a folder`);
  }
  return share(await Library.open(paths, options), host);
}

/** Serves folders until stdin ends or the signal aborts. Rejects with `CannotServe` when the server cannot start. */
export async function serve(paths: readonly string[], options: ServeOptions): Promise<void> {
  const { host = defaultHost, port, notice, signal, isWatching = true } = options;
  const shared = await openDocuments(paths, host, { isWatching, notice });
  try {
    if (port === undefined) await overStdio(shared, signal);
    else {
      const token =
        options.token === false ? undefined : (options.token ?? randomBytes(24).toString('base64url'));
      const serving = await serveHttp(shared, { port, token }).catch((error: unknown) => {
        const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
        throw new CannotServe(
          `port ${port} of 127.0.0.1 cannot be had (${code}); --port 0 takes any free one`,
        );
      });
      options.listening?.({ url: serving.url, token });
      await ended(signal);
      await serving.close();
    }
  } finally {
    await shared.close();
  }
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });

async function overStdio(shared: Shared, signal: AbortSignal): Promise<void> {
  const server = createDocumentsServer(shared);
  const inputEnded = new Promise<void>((done) => {
    process.stdin.once('end', () => setTimeout(done, lastWordsMs));
    // Ends the server when stdout fails, because its reader is gone.
    process.stdout.on('error', () => done());
  });
  // Keeps the input of the transport open after stdin ends, because the transport would close before the last answers.
  const input = process.stdin.pipe(new PassThrough(), { end: false });
  await server.connect(new StdioServerTransport(input, process.stdout));
  await Promise.race([inputEnded, ended(signal)]);
  await server.close();
}
