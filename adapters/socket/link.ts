import { io, type Socket } from 'socket.io-client';
import type {
  Emit,
  PortInstance,
  LinkCommand,
  LinkFact,
  LinkInput,
  Ports,
} from '../../machines/kernel/ports.ts';
import { readDenial, type Refusal } from '../connections/denial.ts';
import { LinkRegistry, type LinkConnection } from '../connections/link-connection.ts';
import { noOffice, socketPathOf } from '../../machines/office/rooms/loopback.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import type { Tracing } from '../../machines/kernel/tracing.ts';
import { NAMESPACE, OUR_CLIENT } from '../../machines/protocol/protocol.ts';
import type { ClientToServer, ServerToClient } from '../../machines/protocol/messages/socket-events.ts';
import { heard, type SocketFrame } from './frames.ts';
import { systemTimers } from './system-timers.ts';

/** Longer than any sentence that an office says of itself. */
const mostText = 400;
const textOfThrown = (error: unknown): string => (error instanceof Error ? error.message : String(error));

type OfficeSocket = Socket<ServerToClient, ClientToServer>;

export interface Links {
  readonly open: Ports['link'];
  /** Questions of `client:*` and `server:list_room`: the method is the wire event, the result its raw ack. */
  readonly request: Ports['request'];
  /** Is there a link under this key? */
  has(key: string): boolean;
}
/** The `auth` of a Socket.IO handshake; a text is a token, sent as `{ token }`. */
export type PeerAuth = string | Readonly<Record<string, unknown>>;
/** What a peer shows an office. No machine sees it, and no trace holds it. */
export interface PeerCredential {
  /** A function is asked at each connection. */
  readonly auth?: PeerAuth | (() => PeerAuth | Promise<PeerAuth>);
  /** HTTP headers of each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whom it trusts and what it shows where the office is reached by `https`. */
  readonly tls?: PeerTls;
}
/** As Node's own TLS client takes them. Default: the authorities of Node (and `NODE_EXTRA_CA_CERTS`), no certificate. */
export interface PeerTls {
  /** The authorities of which one has signed the certificate of the office, in PEM. */
  readonly ca?: string | readonly string[];
  /** Our certificate, in PEM, for an office that wants one. */
  readonly cert?: string;
  /** Its key, in PEM. */
  readonly key?: string;
}
export interface LinksOptions {
  /** Hears what passes the socket of each link, by its address. */
  readonly frame?: (at: string, dir: 'in' | 'out', message: object) => void;
  /** Makes a span of each call that comes to a computer. */
  readonly tracing?: Tracing | undefined;
  /** What is shown to the office at this address. */
  readonly credential?: (url: string) => PeerCredential | undefined;
}

/** Engine.IO hides the cause one or two levels down: an HTTP status and answer, or the error event of a web socket. */
interface ConnectError extends Error {
  readonly type?: unknown;
  readonly description?: unknown;
  readonly context?: { readonly responseText?: string; readonly statusText?: unknown };
}
/** Where no connection came about, its error stands in the place of a status text. */
function tlsProblem(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { code } = cause as NodeJS.ErrnoException;
  return /CERT|SSL|TLS|SIGNATURE/.test(code ?? '')
    ? `no secure connection: ${cause.message.slice(0, mostText)}`
    : undefined;
}
/** Says nothing of the credential: the office is full, or cannot check it now. */
const isPassing = (code: unknown): boolean => code === wireCodes.tooMany || code === wireCodes.unavailable;
function refusalOf(error: ConnectError, address: string): Refusal {
  const { message, description: cause, context } = error;
  // Socket.IO's own refusal of a namespace, which our office and Python's give to who may not enter.
  if (error.type !== 'TransportError' && 'data' in error) {
    const reason = message.slice(0, mostText);
    const { code } = (error.data ?? {}) as { readonly code?: unknown };
    return isPassing(code) ? { reason } : { reason, refusal: 'credential' };
  }
  if (cause === 0) return { reason: tlsProblem(context?.statusText) ?? 'nobody answers at that address' };
  if (typeof cause === 'number') return readDenial(cause, context?.responseText ?? '', address);
  // Engine.IO could read nothing of an answer with HTTP 200.
  if ((error as { readonly code?: unknown }).code === 'parser error')
    return { reason: `${noOffice} ${address}: a web page or another service answers there` };
  const event = cause as { message?: unknown; error?: { code?: unknown } } | undefined;
  const detail = event?.message || event?.error?.code;
  return { reason: typeof detail === 'string' ? detail : message };
}

/** Its types want a list that can be changed. */
const tlsOf = ({ ca, ...own }: PeerTls): object => ({ ...own, ...(ca !== undefined && { ca: [ca].flat() }) });

/** Machines decide when to connect again: one socket is one connection, and nothing is buffered for a later one. */
function connect(url: URL, version: string, { headers = {}, tls = {} }: PeerCredential): OfficeSocket {
  url.searchParams.set('a2c_version', version);
  // Others of the same version understand less.
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
  frame?: SocketFrame,
): void {
  let payloadBytes: number | undefined;
  socket.io.on('open', () => {
    // Said in the handshake of Engine.IO, which has a name for it that only its types hide.
    const { _maxPayload: said } = socket.io.engine as unknown as { readonly _maxPayload?: unknown };
    if (typeof said === 'number' && said > 0) payloadBytes = said;
  });
  socket.on('connect', () => connection.up(payloadBytes));
  socket.on('connect_error', (error) => connection.refused(refusalOf(error, address)));
  socket.on('disconnect', (reason) => connection.down(reason));
  socket.onAny((event: unknown, ...args: unknown[]) =>
    connection.received(String(event), heard(frame, 'in', String(event), args)),
  );
}

/**
 * The `link` port as a Socket.IO client, for agents and computers, and the questions that go out over it. One port instance
 * is one connection: after `link.refused` or `link.down` it stays silent.
 */
export function createLinks(options: LinksOptions = {}): Links {
  const registry = new LinkRegistry(systemTimers, options.tracing);
  const open = (at: string, input: LinkInput, emit: Emit<LinkFact>): PortInstance<LinkCommand> => {
    if (!URL.canParse(input.url)) {
      const connection = registry.open(at, input, emit, { emit: () => {}, close: () => {} });
      queueMicrotask(() => connection.refused({ reason: `'${input.url}' is no URL` }));
      return connection;
    }
    const shown = options.credential?.(input.url) ?? {};
    const { auth } = shown;
    const url = new URL(input.url);
    const socket = connect(url, input.version, shown);
    let isClosed = false;
    const frame: SocketFrame | undefined =
      options.frame && ((dir, message) => options.frame?.(at, dir, message));
    const connection = registry.open(at, input, emit, {
      emit: (event, ...args) => void socket.emit(event, ...heard(frame, 'out', event, args)),
      close: () => {
        isClosed = true;
        socket.disconnect();
      },
    });
    listenTo(socket, connection, `${url.origin}${url.pathname}`, frame);
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
  return { open, request: registry.request, has: (key) => registry.has(key) };
}
