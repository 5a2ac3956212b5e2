/** An office on Socket.IO: the HTTP server, who may enter, the sockets, and its end. */
import { type Server as HttpServer, ServerResponse } from 'node:http';
import { Server } from 'socket.io';
import * as parser from 'socket.io-parser';
import { keyOf } from '../../machines/kernel/effects.ts';
import type { Emit, PortInstance } from '../../machines/kernel/ports.ts';
import type { OfficeCommand, OfficeFact, OfficeInput, OpenOffice } from '../../machines/ports/office.ts';
import { timing } from '../../machines/kernel/timing.ts';
import type { Tracing } from '../../machines/kernel/tracing.ts';
import {
  officeLimits,
  type OfficeLimits,
  type OfficeMeter,
  type OfficeStats,
} from '../../machines/office/rooms/limits.ts';
import {
  isLoopback,
  isNeighbour,
  isSameOrigin,
  listenFailure,
  notLoopback,
  officeUrl,
} from '../../machines/office/rooms/loopback.ts';
import { type Register, registerUnreached } from '../../machines/office/rooms/register.ts';
import { oversized } from '../../machines/office/rooms/pending.ts';
import type { RelayTiming } from '../../machines/office/rooms/relay.ts';
import type { ServerToClient } from '../../machines/protocol/messages/socket-events.ts';
import {
  NAMESPACE,
  OUR_CLIENT,
  missedBy,
  type NoticeName,
  type RelayedName,
} from '../../machines/protocol/protocol.ts';
import { systemTimers } from '../clock.ts';
import { guardOf } from '../guard.ts';
import { unsleepingClock, Cluster } from '../connections/nodes/cluster.ts';
import { OfficeConnections } from '../connections/office-connections.ts';
import {
  answerRead,
  draining,
  type CallTold,
  type OfficeAnswered,
  type OfficeWire,
} from '../connections/office-wire.ts';
import { controlOf, type OfficeControl } from './entry/control.ts';
import { idOf, cutOff, webSocketOf, WebSockets } from './entry/engine.ts';
import {
  checkEntrants,
  partAtExpiry,
  type EntrantsOptions,
  type OfficeServer,
  partWith,
  type PeerSocket,
} from './entry/entrants.ts';
import { refusing, type RefusedPeer } from './entry/refusing.ts';
import { Strangers } from './entry/strangers.ts';
import { LevelDecoder } from './levels.ts';
import { metered, observed, type SocketFrame } from './frames.ts';
import { OfficeGate } from './gate.ts';
import { checkHandshakes, versionOf, type EngineRequest } from './handshake.ts';
import { serve, type OfficeTls } from './http.ts';

const partingMs = 500;

interface Listening {
  readonly input: OfficeInput;
  readonly http: HttpServer;
  readonly cluster: Cluster | undefined;
  /** Tells whether the office may listen: it is on loopback, or has authentication. */
  readonly isAllowed: boolean;
  readonly isSecure: boolean;
  /** Tells whether the office was closed while it was being opened. */
  readonly isOver: () => boolean;
}
function listening(
  { input: { host, port }, http, cluster, isAllowed, isSecure, isOver }: Listening,
  emit: Emit<OfficeFact>,
): Promise<boolean> {
  return new Promise((resolve) => {
    const failed = (message: string): void => {
      resolve(false);
      // Ignores later errors, such as too many open files, because the server continues to listen.
      if (!isOver() && !http.listening) emit({ type: 'office.failed', message });
    };
    http.on('error', (error: NodeJS.ErrnoException) => failed(listenFailure(host, port, error.code)));
    http.once('listening', () => {
      resolve(true);
      const address = http.address();
      const bound = typeof address === 'object' && address ? address.port : port;
      if (!isOver()) emit({ type: 'office.opened', url: officeUrl(host, bound, isSecure), port: bound });
    });
    if (!isAllowed) return queueMicrotask(() => failed(notLoopback(host)));
    if (!cluster) return void http.listen(port, host);
    cluster.start((isReached) => {
      if (isOver()) resolve(false);
      else if (isReached) http.listen(port, host);
      else failed(registerUnreached);
    });
  });
}

/** Closes an office: sends the last answers, then frees the port, including keep-alive connections and dead peers. */
async function shut(io: OfficeServer, http: HttpServer, strangers: Strangers): Promise<void> {
  const freed = new Promise<void>((resolve) => void http.close(() => resolve()));
  // Disconnects peers without a goodbye in the namespace, because python-socketio would not reconnect after one.
  for (const socket of io.of(NAMESPACE).sockets.values()) partWith(socket, draining);
  const cut = (): void => {
    for (const connection of strangers.connections) connection.destroy();
  };
  const timer = setTimeout(cut, partingMs);
  await freed;
  clearTimeout(timer);
  await io.close();
}

export interface Offices {
  readonly open: OpenOffice;
  closed(): Promise<void>;
}
export interface OfficeSettings {
  readonly limits: OfficeLimits;
  /** Number of proxies in front of the office, whose `X-Forwarded-For` names the address of a peer. */
  readonly proxies: number;
  readonly tls?: OfficeTls;
  readonly register?: Register;
  readonly leaseMs?: number;
}
const openly: OfficeSettings = { limits: officeLimits, proxies: 0 };
export interface OfficesOptions extends EntrantsOptions {
  readonly timing?: Partial<RelayTiming>;
  /** Callback for each answer to an event, also when a peer and not the office gave it; may throw. */
  readonly answered?: OfficeAnswered | undefined;
  readonly called?: CallTold | undefined;
  readonly refused?: ((peer: RefusedPeer) => void) | undefined;
  readonly clock?: (() => number) | undefined;
  readonly tracing?: Tracing | undefined;
  readonly settings?: () => Partial<OfficeSettings>;
  readonly watched?: (control: OfficeControl) => void;
  readonly meter?: () => OfficeMeter | undefined;
  readonly frame?: () => ((at: string, dir: 'in' | 'out', message: object) => void) | undefined;
}
const defaultLeaseMs = 10_000;
function listen(http: HttpServer, isLocal: boolean, payloadBytes: number): OfficeServer {
  return new Server(http, {
    serveClient: false,
    parser: { ...parser, Decoder: LevelDecoder },
    // Engine.IO takes the limit 0 as "nothing allowed", so the largest number stands for no limit.
    maxHttpBufferSize: payloadBytes || Number.MAX_SAFE_INTEGER,
    perMessageDeflate: false,
    httpCompression: false,
    wsEngine: WebSockets,
    allowRequest: ({ headers }, decide) => {
      const { host, origin } = headers;
      const given = { ...(host !== undefined && { host }), ...(origin !== undefined && { origin }) };
      const ok = isLocal ? isNeighbour(given) : isSameOrigin(given);
      decide(ok ? null : isLocal ? 'This office talks to programs on its own machine only' : noPages, ok);
    },
  });
}
const noPages = 'This office does not talk to pages of other sites';

interface SeatingParts {
  readonly gate: OfficeGate;
  readonly strangers: Strangers;
  readonly frameOf: FrameOf;
  readonly meter: OfficeMeter | undefined;
}
function seatSockets(
  io: OfficeServer,
  officeConnections: OfficeConnections,
  { gate, strangers, frameOf, meter }: SeatingParts,
): void {
  io.of(NAMESPACE).on('connection', (socket) => {
    const guard = guardOf(() => cutOff(socket.conn));
    socket.onAny((event: unknown, ...args: unknown[]) =>
      officeConnections.received(
        socket.id,
        String(event),
        observed(frameOf(socket.id), 'in', String(event), metered(meter, String(event), args)),
      ),
    );
    socket.on(
      'disconnect',
      guard((reason: string, error?: Error) => {
        const isOversized = error?.message.includes('Max payload size exceeded') ?? false;
        gate.closed(socket.id);
        officeConnections.closed(socket.id, isOversized ? oversized : reason);
      }),
    );
    guard(() => {
      const { query } = socket.handshake;
      strangers.letIn(idOf(socket.conn));
      gate.opened(socket.id, socket.data.address ?? socket.handshake.address);
      cutUnread(socket, gate);
      // The types of Socket.IO hide the decoder of a connection.
      (socket.client as unknown as { readonly decoder: LevelDecoder }).decoder.charge = (weight) =>
        gate.weighed(socket.id, weight);
      const isOurs = query['a2c_client'] === OUR_CLIENT;
      const version = versionOf(query);
      officeConnections.opened(socket.id, version, isOurs, socket.data.grant, missedBy(version, isOurs));
      partAtExpiry(socket);
    })();
  });
  cutOversized(io, officeConnections);
}

/** Calls are relayed here (`machines/office/rooms`). A host that is not loopback needs authentication. */
export function createOffices(options: OfficesOptions = {}): Offices {
  const closings = new Set<Promise<void>>();
  const relayTiming: RelayTiming = { ...timing, ...options.timing };

  const open = (at: string, input: OfficeInput, emit: Emit<OfficeFact>): PortInstance<OfficeCommand> => {
    const { host, requireVersion = false } = input;
    const {
      limits,
      proxies,
      tls,
      register,
      leaseMs = defaultLeaseMs,
    } = { ...openly, ...options.settings?.() };
    let over = false;
    const http = serve(tls, limits.entryMs);
    const isLocal = isLoopback(host);
    const io = listen(http, isLocal, limits.payloadBytes);
    const frameOf = framesAt(at, options.frame);
    const wire = wireOf(io, frameOf);
    const gate = new OfficeGate(limits, (socket, failure) => wire.part(socket, failure));
    const refuse = refusing({ io, http, gate, proxies, refused: options.refused });
    const strangers = new Strangers({ gate, proxies, refused: refuse.connection });
    const officeConnections = new OfficeConnections(wire, systemTimers, emit, relayTiming, {
      answered: options.answered,
      called: options.called,
      refused: refuse.join,
      clock: options.clock,
      tracing: options.tracing,
      gate,
      limits,
      cluster:
        register &&
        ((local) => new Cluster({ register, leaseMs, timers: systemTimers, now: unsleepingClock() }, local)),
    });
    const { cluster } = officeConnections;
    checkHandshakes(io, http, requireVersion, strangers, refuse.request);
    checkEntrants(io, options.auth, refuse.connection, proxies);
    seatSockets(io, officeConnections, { gate, strangers, frameOf, meter: options.meter?.() });
    const stats = (): OfficeStats => ({
      ...officeConnections.counts,
      connections: gate.sizes.connections,
      refusals: Object.fromEntries(gate.refusals),
    });
    const isSecure = tls !== undefined;
    const seatOf = (socket: string) => officeConnections.seatOf(socket);
    options.watched?.(controlOf({ io, http, isSecure, proxies, stats, seatOf, options }));
    const isAllowed = isLocal || options.auth?.() !== undefined;
    const settled = listening({ input, http, cluster, isAllowed, isSecure, isOver: () => over }, emit);

    return {
      tell: (command) => {
        if (command.type === 'office.drain') gate.shut(draining);
        officeConnections.tell(command);
      },
      close() {
        if (over) return;
        over = true;
        officeConnections.close();
        gate.close();
        strangers.close();
        const closing: Promise<void> = settled
          .then(async (isListening) => (isListening ? shut(io, http, strangers) : void (await io.close())))
          .then(() => cluster?.close())
          .finally(() => closings.delete(closing));
        closings.add(closing);
      },
    };
  };
  return { open, closed: async () => void (await Promise.all(closings)) };
}

type RelayedArgs = Parameters<ServerToClient[RelayedName]>;
type NoticeArgs = Parameters<ServerToClient[NoticeName]>;
/** Callback for messages on the socket at this address. */
type Heard = (at: string, dir: 'in' | 'out', message: object) => void;
type FrameOf = (socket: string) => SocketFrame | undefined;
const framesAt =
  (at: string, watched: (() => Heard | undefined) | undefined): FrameOf =>
  (socket) => {
    const frame = watched?.();
    if (!frame) return undefined;
    return (dir, message) =>
      frame(`${at.slice(0, at.indexOf('#'))}/seat:${keyOf(socket)}/socket`, dir, message);
  };
function wireOf(io: OfficeServer, frameOf: FrameOf): OfficeWire {
  const office = io.of(NAMESPACE);
  const socketOf = (socket: string): PeerSocket | undefined => office.sockets.get(socket);
  return {
    send: (socket, event, body, onAck) =>
      void socketOf(socket)?.emit(
        event as RelayedName,
        ...(observed(frameOf(socket), 'out', event, [
          body,
          (...answer: unknown[]) => onAck(...answerRead(event, answer)),
        ]) as RelayedArgs),
      ),
    deliver: (sockets, event, body) => {
      // Sends nothing for an empty list, which means all sockets for Socket.IO.
      if (sockets.length === 0) return;
      for (const socket of sockets) frameOf(socket)?.('out', { event, args: [body] });
      office.to([...sockets]).emit(event, ...([body] as unknown as NoticeArgs));
    },
    part: (socket, failure) => {
      const peer = socketOf(socket);
      if (peer) partWith(peer, failure);
    },
    probe: (socket, onAlive) => {
      const conn = socketOf(socket)?.conn;
      conn?.once('heartbeat', onAlive);
      // Calls a method that the types hide: it sends a ping at once instead of after 25 s.
      (conn as unknown as { sendPacket?(type: 'ping'): void } | undefined)?.sendPacket?.('ping');
    },
    cut: (socket) => {
      const conn = socketOf(socket)?.conn;
      if (conn) cutOff(conn);
    },
    notify: (socket, event, body) =>
      void socketOf(socket)?.emit(
        event,
        ...(observed(frameOf(socket), 'out', event, [body]) as unknown as NoticeArgs),
      ),
  };
}

const payloadTooLarge = 413;
/** Engine.IO only refuses a message over the limit, so its sender would wait without end. */
function cutOversized(io: OfficeServer, officeConnections: OfficeConnections): void {
  const cut = (id: string): void => {
    for (const socket of io.of(NAMESPACE).sockets.values())
      if (idOf(socket.conn) === id) {
        officeConnections.closed(socket.id, oversized);
        socket.conn.close(true);
      }
  };
  io.engine.use((request: EngineRequest, response: unknown, next: () => void) => {
    // Skips a request over a web socket, which has no response object and needs no check here.
    const id = request._query?.sid;
    if (id !== undefined && response instanceof ServerResponse)
      response.once('finish', () => {
        if (response.statusCode === payloadTooLarge) cut(id);
      });
    next();
  });
}

const sizeOf = (data: unknown): number =>
  typeof data === 'string' || Buffer.isBuffer(data) ? data.length : data === undefined ? 0 : 64;
/** Unsent messages are kept in memory. No reason is sent, because the peer would not read it. */
function cutUnread(socket: PeerSocket, gate: OfficeGate): void {
  const most = gate.limits.unreadBytes;
  if (most === 0) return;
  const { conn } = socket;
  /** Number of bytes that Engine.IO has taken and not yet passed to its transport. */
  let waiting = 0;
  conn.on('flush', () => (waiting = 0));
  conn.on('packetCreate', ({ data }: { readonly data?: unknown }) => {
    waiting += sizeOf(data);
    if (waiting + (webSocketOf(conn)?.bufferedAmount ?? 0) <= most) return;
    waiting = 0;
    gate.refused('unreadBytes');
    // Cuts the connection one microtask later, so that sending to other peers is not interrupted.
    queueMicrotask(() => cutOff(conn));
  });
}
