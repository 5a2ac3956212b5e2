import { io, type Socket } from 'socket.io-client';
import type {
  Emit,
  PortInstance,
  LinkCommand,
  LinkFact,
  LinkInput,
  Ports,
} from '../../machines/kernel/ports.ts';
import { LinkRegistry, type LinkConnection } from '../connections/link-connection.ts';
import { NAMESPACE, PROTOCOL_VERSION } from '../../machines/protocol/protocol.ts';
import type { ClientToServer, ServerToClient } from '../../machines/protocol/messages/socket-events.ts';

type OfficeSocket = Socket<ServerToClient, ClientToServer>;

export interface Links {
  readonly open: Ports['link'];
  /** Questions of `client:*` and `server:list_room`: the method is the wire event, the result its raw ack. */
  readonly request: Ports['request'];
  /** Is there a link under this key? */
  has(key: string): boolean;
}
export interface LinksOptions {
  /** The HTTP path, which is no part of the protocol. */
  readonly path?: string;
}

/** Engine.IO hides the cause one or two levels down: an HTTP status, or the error event of a web socket. */
function reasonOf(error: Error): string {
  const cause = (error as { description?: unknown }).description;
  if (cause === 0) return 'nobody answers at that address';
  if (typeof cause === 'number') return `${error.message} (HTTP ${cause})`;
  const event = cause as { message?: unknown; error?: { code?: unknown } } | undefined;
  const detail = event?.message || event?.error?.code;
  return typeof detail === 'string' ? detail : error.message;
}

/** Machines decide when to connect again: one socket is one connection, and nothing is buffered for a later one. */
function connect(url: URL, path: string, role: LinkInput['role']): OfficeSocket {
  // Whoever says a version has to know handles of large images. Our agent does not: its office fetches them for it.
  if (role === 'computer' && !url.searchParams.has('a2c_version'))
    url.searchParams.set('a2c_version', PROTOCOL_VERSION);
  return io(`${url.origin}${NAMESPACE}${url.search}`, {
    path,
    autoConnect: false,
    forceNew: true,
    multiplex: false,
    reconnection: false,
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
  });
}

function listenTo(socket: OfficeSocket, connection: LinkConnection): void {
  socket.on('connect', () => connection.up());
  socket.on('connect_error', (error) => connection.refused(reasonOf(error)));
  socket.on('disconnect', (reason) => connection.down(reason));
  socket.onAny((event: unknown, ...args: unknown[]) => connection.received(String(event), args));
}

/**
 * The `link` port as a Socket.IO client, for agents and computers, and the questions that go out over it. One port instance
 * is one connection: after `link.refused` or `link.down` it stays silent.
 */
export function createLinks(options: LinksOptions = {}): Links {
  const registry = new LinkRegistry();
  const open = (at: string, input: LinkInput, emit: Emit<LinkFact>): PortInstance<LinkCommand> => {
    if (!URL.canParse(input.url)) {
      const connection = registry.open(at, input, emit, { emit: () => {}, close: () => {} });
      queueMicrotask(() => connection.refused(`'${input.url}' is no URL`));
      return connection;
    }
    const socket = connect(new URL(input.url), options.path ?? '/socket.io', input.role);
    const connection = registry.open(at, input, emit, {
      emit: (event, ...args) => void socket.emit(event, ...args),
      close: () => void socket.disconnect(),
    });
    listenTo(socket, connection);
    socket.connect();
    return connection;
  };
  return { open, request: registry.request, has: (key) => registry.has(key) };
}
