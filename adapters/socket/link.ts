/** Socket.IO client of a computer or an agent, with its credential and TLS. */
import { randomUUID } from 'node:crypto';
import { io, type Socket } from 'socket.io-client';
import type { Emit, PortInstance, RequestPort } from '../../machines/kernel/ports.ts';
import type { LinkFact, OpenLink } from '../../machines/link/questions.ts';
import type { LinkCommand, LinkInput } from '../../machines/ports/link.ts';
import {
  readDenial,
  type Refusal,
  LinkRegistry,
  type LinkConnection,
} from '../connections/link-connection.ts';
import type { Parts } from '../connections/link-requests.ts';
import { noOffice, socketPathOf } from '../../machines/office/rooms/loopback.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import type { Tracing } from '../../machines/kernel/tracing.ts';
import { NAMESPACE, OUR_CLIENT } from '../../machines/protocol/protocol.ts';
import type { ClientToServer, ServerToClient } from '../../machines/protocol/messages/socket-events.ts';
import { observed, type SocketFrame } from './frames.ts';
import { systemTimers } from '../clock.ts';
import { guardOf, type Guard } from '../guard.ts';

const mostText = 400;
const textOfThrown = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type OfficeSocket = Socket<ServerToClient, ClientToServer>;

export interface Links {
  readonly open: OpenLink;
  /** Sends requests of `client:*` and `server:list_room`: the method is the event on the wire, the result its raw answer. */
  readonly request: RequestPort;
  has(key: string): boolean;
  partOf(ticket: string): Uint8Array | undefined;
  holdPart(ticket: string, bytes: Uint8Array): void;
}
/** Data for `auth` of the Socket.IO handshake; a text is a token, sent as `{ token }`. */
export type PeerAuth = string | Readonly<Record<string, unknown>>;
/** Credential that a peer shows to an office; never passed to a machine or written to a trace. */
export interface PeerCredential {
  /** Data for `auth` of the handshake; a function is called for each connection. */
  readonly auth?: PeerAuth | (() => PeerAuth | Promise<PeerAuth>) | undefined;
  /** HTTP headers that each request carries. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** TLS settings for an office that is reached by `https`. */
  readonly tls?: PeerTls | undefined;
}
/**
 * TLS settings of a peer, with the options of the TLS client of Node. Default: the authorities of Node (and
 * `NODE_EXTRA_CA_CERTS`), no certificate.
 */
export interface PeerTls {
  /** Certificates in PEM of authorities that may have signed the certificate of the office. */
  readonly ca?: string | readonly string[] | undefined;
  /** Certificate of the peer in PEM, for an office that demands one. */
  readonly cert?: string | undefined;
  /** Private key of the certificate, in PEM. */
  readonly key?: string | undefined;
}
export interface LinksOptions {
  readonly frame?: (at: string, dir: 'in' | 'out', message: object) => void;
  readonly tracing?: Tracing | undefined;
  readonly parts?: Parts | undefined;
  readonly credential?: (url: string) => PeerCredential | undefined;
}

/** Engine.IO hides the cause one or two levels down: an HTTP status, or the error event of a web socket. */
interface ConnectError extends Error {
  readonly type?: unknown;
  readonly description?: unknown;
  readonly context?: { readonly responseText?: string; readonly statusText?: unknown };
}
/** Returns the text of a TLS error, which Engine.IO writes where the HTTP status text would be when no connection was made. */
function tlsProblem(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { code } = cause as NodeJS.ErrnoException;
  return /CERT|SSL|TLS|SIGNATURE/.test(code ?? '')
    ? `no secure connection: ${cause.message.slice(0, mostText)}`
    : undefined;
}
const isPassing = (code: unknown): boolean => code === wireCodes.tooMany || code === wireCodes.unavailable;
function refusalOf(error: ConnectError, address: string): Refusal {
  const { message, description: cause, context } = error;
  // Socket.IO refuses a namespace in this form, which our office and the Python one use.
  if (error.type !== 'TransportError' && 'data' in error) {
    const reason = message.slice(0, mostText);
    const { code } = (error.data ?? {}) as { readonly code?: unknown };
    return isPassing(code) ? { reason } : { reason, refusal: 'credential' };
  }
  if (cause === 0) {
    const { code } = (context?.statusText ?? {}) as { readonly code?: unknown };
    const why = typeof code === 'string' ? ` (${code.slice(0, mostText)})` : '';
    return { reason: tlsProblem(context?.statusText) ?? `nobody answers at ${address}${why}` };
  }
  if (typeof cause === 'number') return readDenial(cause, context?.responseText ?? '', address);
  // Reports another kind of server when Engine.IO could not read an answer with HTTP 200.
  if ((error as { readonly code?: unknown }).code === 'parser error')
    return { reason: `${noOffice} ${address}: a web page or another service answers there` };
  const event = cause as { message?: unknown; error?: { code?: unknown } } | undefined;
  const detail = event?.message || event?.error?.code;
  return { reason: typeof detail === 'string' ? detail : message };
}

/** Returns the TLS options for Socket.IO, whose types demand a mutable list for `ca`. */
const tlsOf = ({ ca, ...own }: PeerTls): object => ({ ...own, ...(ca !== undefined && { ca: [ca].flat() }) });

/** Without reconnecting and buffering, because the machines decide when to connect again. */
function connect(url: URL, version: string, { headers = {}, tls = {} }: PeerCredential): OfficeSocket {
  url.searchParams.set('a2c_version', version);
  // Marks our own client, because other clients of the same protocol version support less.
  url.searchParams.set('a2c_client', OUR_CLIENT);
  return io(`${url.origin}${NAMESPACE}${url.search}`, {
    path: socketPathOf(url.pathname),
    autoConnect: false,
    forceNew: true,
    multiplex: false,
    reconnection: false,
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
    extraHeaders: { ...headers },
    ...tlsOf(tls),
  });
}

function listenTo(
  socket: OfficeSocket,
  connection: LinkConnection,
  address: string,
  guard: Guard,
  frame?: SocketFrame,
): void {
  let payloadBytes: number | undefined;
  socket.io.on('open', () => {
    // Reads the payload limit of the office from a property of Engine.IO that its types hide.
    const { _maxPayload: said } = socket.io.engine as unknown as { readonly _maxPayload?: unknown };
    if (typeof said === 'number' && said > 0) payloadBytes = said;
  });
  socket.on(
    'connect',
    guard(() => connection.up(payloadBytes)),
  );
  socket.on(
    'connect_error',
    guard((error: Error) => connection.refused(refusalOf(error, address))),
  );
  socket.on(
    'disconnect',
    guard((reason: string) => connection.down(reason)),
  );
  socket.onAny(
    guard((event: unknown, ...args: unknown[]) =>
      connection.received(String(event), observed(frame, 'in', String(event), args)),
    ),
  );
}

/** A port instance is one connection: after `link.refused` or `link.down` it reports nothing more. */
export function createLinks(options: LinksOptions = {}): Links {
  const newId = (): string => randomUUID().replaceAll('-', '');
  const registry = new LinkRegistry(systemTimers, { newId, parts: options.parts }, options.tracing);
  const open = (at: string, input: LinkInput, emit: Emit<LinkFact>): PortInstance<LinkCommand> => {
    const shown = options.credential?.(input.url) ?? {};
    const { auth } = shown;
    const url = new URL(input.url);
    const socket = connect(url, input.version, shown);
    let isClosed = false;
    const frame: SocketFrame | undefined =
      options.frame && ((dir, message) => options.frame?.(at, dir, message));
    const guard = guardOf((why) => {
      connection.fault(why);
      socket.disconnect();
    });
    const guarded = <T>(arg: T): T =>
      typeof arg === 'function' ? (guard(arg as () => void) as unknown as T) : arg;
    const connection: LinkConnection = registry.open(at, input, emit, {
      emit: (event, ...args) =>
        void socket.emit(event, ...observed(frame, 'out', event, args.map(guarded) as typeof args)),
      close: () => {
        isClosed = true;
        socket.disconnect();
      },
    });
    listenTo(socket, connection, `${url.origin}${url.pathname}`, guard, frame);
    const start = (shown: PeerAuth | undefined): void => {
      if (isClosed) return;
      if (shown !== undefined) socket.auth = typeof shown === 'string' ? { token: shown } : { ...shown };
      socket.connect();
    };
    if (typeof auth === 'function')
      Promise.resolve()
        .then(auth)
        .then(start, (error: unknown) => {
          const reason = `its credential could not be had: ${textOfThrown(error)}`;
          if (!isClosed) connection.refused({ reason, refusal: 'credential' });
        });
    else start(auth);
    return connection;
  };
  return {
    open,
    request: registry.request,
    has: (key) => registry.has(key),
    partOf: (ticket) => registry.partOf(ticket),
    holdPart: (ticket, bytes) => registry.holdPart(ticket, bytes),
  };
}
