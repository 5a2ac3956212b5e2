import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { attachPath, subprotocol } from '../../machines/inspection-wire.ts';
import { fromPageSchema, type FromPage, type ToPage } from '../../machines/inspection.ts';
import { Neighbours } from './registry.ts';
import { pageFiles, type PageFile } from './page-files.ts';

/** A page that is attached. */
export interface AttachedPage {
  send(message: ToPage): void;
  /** Bytes that were sent and have not left yet. */
  readonly waiting: number;
}
/** What a page hears of its host. */
export interface PageListener {
  heard(message: FromPage): void;
  /** It is gone; once. */
  left(): void;
}
export interface InspectorServerOptions {
  /** 0: any free one. */
  readonly port: number;
  readonly attached: (page: AttachedPage) => PageListener;
}
export interface InspectorServer {
  /** With the token in its fragment, which no browser sends anywhere. */
  readonly url: string;
  readonly port: number;
  /** Resolves when the port is free. */
  close(): Promise<void>;
}

const loopback = '127.0.0.1';
/** Whatever a page asks is short. */
const mostBytes = 64 * 1024;
const mostPages = 8;
/** Pages that do not answer the closing handshake are cut off after this. */
const partingMs = 500;
const closing = { normal: 1000, unreadable: 1008 } as const;

const policyOf = (port: number): string =>
  [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `worker-src 'self' blob:`,
    `connect-src 'self' ws://${loopback}:${port} ws://localhost:${port}`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
const headersOf = (port: number): Record<string, string> => ({
  'content-security-policy': policyOf(port),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
});

interface Answering {
  readonly neighbours: Neighbours;
  readonly files: ReadonlyMap<string, PageFile>;
  readonly headers: Record<string, string>;
}
/** Gives out files, and does nothing else whatever is asked. */
function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { neighbours, files, headers }: Answering,
): void {
  const say = (status: number, text: string): void =>
    void response.writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8' }).end(text);
  const refusal = neighbours.refusal(request.headers);
  if (refusal !== undefined) return say(403, refusal);
  if (request.method !== 'GET' && request.method !== 'HEAD') return say(405, 'This inspector is only read');
  const file = files.get((request.url ?? '/').replace(/\?.*$/, ''));
  if (!file) return say(404, 'There is no such file');
  let bytes: Buffer;
  try {
    bytes = file.read();
  } catch {
    return say(404, 'The page was built anew: start the host again');
  }
  response.writeHead(200, { ...headers, 'content-type': file.type, 'content-length': bytes.length });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}
const upgradeRefused = (socket: Socket, status: string, text: string): void =>
  void socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  );

/** What is no message of the protocol: not for us, or of a page that must not go on. */
function messageIn(data: RawData): FromPage | undefined {
  try {
    const read = fromPageSchema.safeParse(JSON.parse((data as Buffer).toString('utf8')));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}
function attach(socket: WebSocket, attached: InspectorServerOptions['attached']): void {
  const page: AttachedPage = {
    send: (message) => {
      if (socket.readyState !== socket.OPEN) return;
      // As they are: written into JSON once more, they would cost about as much as what they tell of.
      if (message.type === 'records') socket.send(Buffer.from(message.lines));
      else socket.send(JSON.stringify(message));
    },
    get waiting() {
      return socket.bufferedAmount;
    },
  };
  const listener = attached(page);
  socket.on('message', (data, isBinary) => {
    const message = isBinary ? undefined : messageIn(data);
    if (message) listener.heard(message);
    else socket.close(closing.unreadable, 'no message of this protocol');
  });
  // Too large a message, a frame that is none: ws closes the connection.
  socket.on('error', () => {});
  socket.on('close', () => listener.left());
}

/**
 * Serves the inspector's page on loopback, and attaches pages that know the token to their host. Rejects when it cannot
 * listen.
 */
export async function openInspectorServer({
  port: wanted,
  attached,
}: InspectorServerOptions): Promise<InspectorServer> {
  const token = randomBytes(32).toString('hex');
  const http = createServer();
  http.listen(wanted, loopback);
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const neighbours = new Neighbours(port, token);
  const answering = { neighbours, files: pageFiles(), headers: headersOf(port) };
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: mostBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  });
  const connections = new Set<Socket>();
  http.on('connection', (connection) => {
    connections.add(connection);
    connection.on('close', () => connections.delete(connection));
  });
  http.on('request', (request, response) => answer(request, response, answering));
  http.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => {});
    const refusal = neighbours.refusal(request.headers);
    if (refusal !== undefined) return upgradeRefused(socket, '403 Forbidden', refusal);
    if (request.url !== attachPath) return upgradeRefused(socket, '404 Not Found', `Attach at ${attachPath}`);
    if (!neighbours.knows(request.headers['sec-websocket-protocol']))
      return upgradeRefused(
        socket,
        '401 Unauthorized',
        'The token is wrong: open the address that the host printed',
      );
    if (sockets.clients.size >= mostPages)
      return upgradeRefused(socket, '503 Service Unavailable', `At most ${mostPages} pages look at one host`);
    sockets.handleUpgrade(request, socket, head, (page) => attach(page, attached));
  });
  return {
    url: `http://${loopback}:${port}/#token=${token}`,
    port,
    close: () => shut(http, sockets, connections),
  };
}
async function shut(http: Server, sockets: WebSocketServer, connections: ReadonlySet<Socket>): Promise<void> {
  if (!http.listening) return;
  const freed = once(http, 'close');
  http.close();
  http.closeIdleConnections();
  const parted = [...sockets.clients].map((socket) => {
    const gone = once(socket, 'close');
    socket.close(closing.normal);
    return gone;
  });
  const timer = setTimeout(() => connections.forEach((connection) => connection.destroy()), partingMs);
  await Promise.all([freed, ...parted]);
  clearTimeout(timer);
}
