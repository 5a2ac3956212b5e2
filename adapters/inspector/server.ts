import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import {
  attachPath,
  mostPageBytes,
  subprotocol,
  fromPageSchema,
  type FromPage,
  type ToPage,
} from '../../machines/inspection.ts';
import { jsonIn } from '../../machines/protocol/json.ts';
import { Neighbours } from './registry.ts';
import { pageFiles, type PageFile } from './page-files.ts';

export interface AttachedPage {
  send(message: ToPage): void;
  readonly waiting: number;
}
export interface PageListener {
  heard(message: FromPage): void;
  left(): void;
}
export interface InspectorServerOptions {
  /** 0 takes any free one. */
  readonly port: number;
  /** `host` is undefined for the only host, or for the page as a whole. Returns undefined for an unknown host. */
  readonly attached: (page: AttachedPage, host: number | undefined) => PageListener | undefined;
}
export interface InspectorServer {
  /** Address of the page; the token is in its fragment, which no browser sends over the network. */
  readonly url: string;
  close(): Promise<void>;
}

const loopback = '127.0.0.1';
const mostPages = 8;
/** Wait in ms after which a page that does not answer the closing handshake is disconnected. */
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
    return say(404, 'The page was built again: start the host again');
  }
  response.writeHead(200, { ...headers, 'content-type': file.type, 'content-length': bytes.length });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}
const upgradeRefused = (socket: Socket, status: string, text: string): void =>
  void socket.end(
    `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  );

const messageIn = (data: RawData): FromPage | undefined =>
  fromPageSchema.safeParse(jsonIn((data as Buffer).toString('utf8'))).data;
/** Returns the index of the host in a path; undefined when the path names none, `null` when it is another path. */
function hostIn(path: string | undefined): number | undefined | null {
  if (path === attachPath) return undefined;
  const index = /^\/attach\/(\d{1,6})$/.exec(path ?? '')?.[1];
  return index === undefined ? null : Number(index);
}
function attach(
  socket: WebSocket,
  attached: InspectorServerOptions['attached'],
  host: number | undefined,
): void {
  const page: AttachedPage = {
    send: (message) => {
      if (socket.readyState !== socket.OPEN) return;
      // Sends the lines unchanged, because encoding them as JSON again would cost about as much as recording them.
      if (message.type === 'records') socket.send(Buffer.from(message.lines));
      else socket.send(JSON.stringify(message));
    },
    get waiting() {
      return socket.bufferedAmount;
    },
  };
  const listener = attached(page, host);
  if (!listener) return socket.close(closing.unreadable, 'there is no such host');
  socket.on('message', (data, isBinary) => {
    const message = isBinary ? undefined : messageIn(data);
    if (message) listener.heard(message);
    else socket.close(closing.unreadable, 'no message of this protocol');
  });
  // Ignores errors of the socket, such as a too large message, because the library ws closes the connection itself.
  socket.on('error', () => {});
  socket.on('close', () => listener.left());
}

/** Rejects when the port cannot be opened, and with `OwnFileMissing` without the files of the page. */
export async function openInspectorServer({
  port: wanted,
  attached,
}: InspectorServerOptions): Promise<InspectorServer> {
  const files = pageFiles();
  const token = randomBytes(32).toString('hex');
  const http = createServer();
  http.listen(wanted, loopback);
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const neighbours = new Neighbours(port, token);
  const answering = { neighbours, files, headers: headersOf(port) };
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: mostPageBytes,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  });
  const pages = new Map<number | undefined, number>();
  http.on('request', (request, response) => answer(request, response, answering));
  http.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => {});
    const refusal = neighbours.refusal(request.headers);
    if (refusal !== undefined) return upgradeRefused(socket, '403 Forbidden', refusal);
    const host = hostIn(request.url);
    if (host === null) return upgradeRefused(socket, '404 Not Found', `Attach at ${attachPath}`);
    if (!neighbours.knows(request.headers['sec-websocket-protocol']))
      return upgradeRefused(
        socket,
        '401 Unauthorized',
        'The token is wrong: open the address that the host printed',
      );
    const looking = pages.get(host) ?? 0;
    if (looking >= mostPages)
      return upgradeRefused(socket, '503 Service Unavailable', `At most ${mostPages} pages look at one host`);
    sockets.handleUpgrade(request, socket, head, (page) => {
      pages.set(host, (pages.get(host) ?? 0) + 1);
      page.on('close', () => pages.set(host, (pages.get(host) ?? 1) - 1));
      attach(page, attached, host);
    });
  });
  return {
    url: `http://${loopback}:${port}/#token=${token}`,
    close: () => shut(http, sockets),
  };
}
async function shut(http: Server, sockets: WebSocketServer): Promise<void> {
  if (!http.listening) return;
  const freed = once(http, 'close');
  http.close();
  http.closeIdleConnections();
  const parted = [...sockets.clients].map((socket) => {
    const gone = once(socket, 'close');
    socket.close(closing.normal);
    return gone;
  });
  const timer = setTimeout(() => {
    http.closeAllConnections();
    for (const socket of sockets.clients) socket.terminate();
  }, partingMs);
  await Promise.all([freed, ...parted]);
  clearTimeout(timer);
}
