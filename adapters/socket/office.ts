import { createServer, type Server as HttpServer } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import { Server, type Socket } from 'socket.io';
import type { Give, Leaf, OfficeCommand, OfficeFact, OfficeInput, Ports } from '../../machines/ports.ts';
import { timing } from '../../machines/timing.ts';
import {
  isLoopback,
  isNeighbour,
  listenFailure,
  notLoopback,
  officeUrl,
} from '../../machines/rooms/loopback.ts';
import { OfficeDesk, type OfficeWire } from '../../machines/rooms/office-desk.ts';
import type { RelayTiming } from '../../machines/rooms/relay.ts';
import { NAMESPACE, sizes } from '../../machines/wire/protocol.ts';
import { systemTimers } from './system-timers.ts';

export interface Offices {
  readonly open: Ports['office'];
  /** Resolves when every office that was told to close has given back its port. */
  closed(): Promise<void>;
}
export interface OfficesOptions {
  readonly timing?: Partial<RelayTiming>;
  /** The HTTP path, which is no part of the protocol. */
  readonly path?: string;
}

/** Peers that do not answer the closing handshake are cut off after this. */
const partingMs = 500;

/** Rooms are prefixed: an office id that equals a socket id must not reach that socket's private room. */
const roomOf = (office: string): string => `office:${office}`;

function listen(http: HttpServer, path: string): Server {
  return new Server(http, {
    path,
    serveClient: false,
    maxHttpBufferSize: sizes.officePayloadBytes,
    perMessageDeflate: false,
    httpCompression: false,
    allowRequest: ({ headers }, decide) => {
      const { host, origin } = headers;
      const ok = isNeighbour({
        ...(host !== undefined && { host }),
        ...(origin !== undefined && { origin }),
      });
      decide(ok ? null : 'This office talks to programs on its own machine only', ok);
    },
  });
}

function wireOf(io: Server): OfficeWire {
  const office = io.of(NAMESPACE);
  const socketOf = (socket: string): Socket | undefined => office.sockets.get(socket);
  return {
    send: (socket, event, body, onAck) => void socketOf(socket)?.emit(event, body, onAck),
    enter: (socket, id) => void socketOf(socket)?.join(roomOf(id)),
    exit: (socket, id) => void socketOf(socket)?.leave(roomOf(id)),
    broadcast: (id, except, event, body) => void office.to(roomOf(id)).except(except).emit(event, body),
  };
}

function seatSockets(io: Server, desk: OfficeDesk): void {
  // Events in the default namespace would never be answered.
  io.use((_socket, next) => next(new Error(`Use the namespace ${NAMESPACE}`)));
  io.of(NAMESPACE).on('connection', (socket) => {
    socket.onAny((event: unknown, ...args: unknown[]) => desk.received(socket.id, String(event), args));
    socket.on('disconnect', (reason) => desk.closed(socket.id, reason));
    desk.opened(socket.id);
  });
}

/** Lets the last answers out, then frees the port, keep-alive connections and dead peers included. */
async function shut(io: Server, http: HttpServer, connections: ReadonlySet<NetSocket>): Promise<void> {
  const freed = new Promise<void>((resolve) => void http.close(() => resolve()));
  io.of(NAMESPACE).disconnectSockets(true);
  const timer = setTimeout(() => connections.forEach((connection) => connection.destroy()), partingMs);
  await freed;
  clearTimeout(timer);
  await io.close();
}

/**
 * The `office` port as a Socket.IO server on loopback. Joins and leaves go through the machine; calls are relayed
 * here (`machines/rooms`). Fails as `office.failed`: the port is taken, the host is not loopback.
 */
export function createOffices(options: OfficesOptions = {}): Offices {
  const closings = new Set<Promise<void>>();
  const limits: RelayTiming = { ...timing, ...options.timing };

  const open = (_at: string, input: OfficeInput, give: Give<OfficeFact>): Leaf<OfficeCommand> => {
    const { host, port } = input;
    let over = false;
    const http = createServer((_request, response) => void response.writeHead(404).end());
    const connections = new Set<NetSocket>();
    http.on('connection', (connection) => {
      connections.add(connection);
      connection.on('close', () => connections.delete(connection));
    });
    const io = listen(http, options.path ?? '/socket.io');
    const desk = new OfficeDesk(wireOf(io), systemTimers, give, limits);
    seatSockets(io, desk);

    const settled = new Promise<boolean>((resolve) => {
      const failed = (message: string): void => {
        resolve(false);
        // What goes wrong later (too many open files) ends no office: the server goes on listening.
        if (!over && !http.listening) give({ type: 'office.failed', message });
      };
      http.on('error', (error: NodeJS.ErrnoException) => failed(listenFailure(host, port, error.code)));
      http.once('listening', () => {
        resolve(true);
        const address = http.address();
        const bound = typeof address === 'object' && address ? address.port : port;
        if (!over) give({ type: 'office.opened', url: officeUrl(host, bound), port: bound });
      });
      if (isLoopback(host)) http.listen(port, host);
      else queueMicrotask(() => failed(notLoopback(host)));
    });

    return {
      tell: (command) => desk.tell(command),
      close() {
        if (over) return;
        over = true;
        desk.close();
        const closing: Promise<void> = settled
          .then(async (listening) => (listening ? shut(io, http, connections) : void (await io.close())))
          .finally(() => closings.delete(closing));
        closings.add(closing);
      },
    };
  };
  return { open, closed: async () => void (await Promise.all(closings)) };
}
