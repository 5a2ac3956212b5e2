import type { Server as HttpServer } from 'node:http';
import { Server } from 'socket.io';
import type {
  Emit,
  PortInstance,
  OfficeCommand,
  OfficeFact,
  OfficeInput,
  Ports,
} from '../../machines/kernel/ports.ts';
import { keyOf } from '../../machines/kernel/address.ts';
import { timing } from '../../machines/kernel/timing.ts';
import type { Tracing } from '../../machines/kernel/tracing.ts';
import { isLoopback, isNeighbour, isSameOrigin } from '../../machines/office/rooms/loopback.ts';
import { unsleepingClock } from '../connections/nodes/unsleeping-clock.ts';
import { Cluster } from '../connections/nodes/cluster.ts';
import { listening, shut } from './listening.ts';
import { OfficeConnections } from '../connections/office-connections.ts';
import { draining, type OfficeAnswered, type OfficeWire } from '../connections/office-wire.ts';
import type { OfficeMeter, OfficeStats } from '../../machines/office/rooms/stats.ts';
import { officeLimits, type OfficeLimits } from '../../machines/office/rooms/limits.ts';
import type { Register } from '../../machines/office/rooms/register.ts';
import { oversized } from '../../machines/office/rooms/pending.ts';
import type { RelayTiming } from '../../machines/office/rooms/relay.ts';
import type { NoticeName, RelayedName } from '../../machines/protocol/events.ts';
import { NAMESPACE, OUR_CLIENT } from '../../machines/protocol/protocol.ts';
import type { ServerToClient } from '../../machines/protocol/messages/socket-events.ts';
import {
  checkEntrants,
  partAtExpiry,
  partWith,
  type EntrantsOptions,
  type OfficeServer,
  type PeerSocket,
} from './entry/entrants.ts';
import { OfficeGate } from './gate.ts';
import { serve, type OfficeTls } from './http.ts';
import { checkHandshakes, versionOf } from './handshake.ts';
import { cutOff, cutOversized, cutUnread } from './overloads.ts';
import { metered } from './metered.ts';
import { heard, type SocketFrame } from './frames.ts';
import { systemTimers } from './system-timers.ts';

export interface Offices {
  readonly open: Ports['office'];
  /** Resolves when every office that was told to close has given back its port. */
  closed(): Promise<void>;
}
/** How much an office takes, and what stands before it. */
export interface OfficeSettings {
  readonly limits: OfficeLimits;
  /** Proxies before it, whose `X-Forwarded-For` says where a peer comes from. */
  readonly proxies: number;
  /** It is reached by `https`. */
  readonly tls?: OfficeTls;
  /** The office is one of several nodes, which agree there on who sits where. It is closed with the office. */
  readonly register?: Register;
  /** So long a node keeps its seats after it was last heard of. */
  readonly leaseMs?: number;
}
const openly: OfficeSettings = { limits: officeLimits, proxies: 0 };
export interface OfficesOptions extends EntrantsOptions {
  readonly timing?: Partial<RelayTiming>;
  /** Hears what is answered to an event, also what others answer; may throw. */
  readonly answered?: OfficeAnswered | undefined;
  /** In ms, for how long that took. */
  readonly clock?: (() => number) | undefined;
  /** Makes a span of each call that is relayed. */
  readonly tracing?: Tracing | undefined;
  /** How much it takes, and what stands before it. */
  readonly settings?: () => Partial<OfficeSettings>;
  /** Hears how to look at an office that was opened. */
  readonly watched?: (stats: () => OfficeStats) => void;
  /** Hears of each event, for counts. */
  readonly meter?: () => OfficeMeter | undefined;
  /** Who hears now what passes each socket, by the address of its seat; undefined: nobody, and it costs nothing. */
  readonly frame?: () => ((at: string, dir: 'in' | 'out', message: object) => void) | undefined;
}
/** What the office relays and tells was read by the schema of its event, or made by us. */
type RelayedArgs = Parameters<ServerToClient[RelayedName]>;
type NoticeArgs = Parameters<ServerToClient[NoticeName]>;

const defaultLeaseMs = 10_000;
/** So long may a connection stay without the namespace of the protocol. */
const joinNamespaceMs = 15_000;
/** Rooms are prefixed: an office id that equals a socket id must not reach that socket's private room. */
const roomOf = (office: string): string => `office:${office}`;

function listen(http: HttpServer, isLocal: boolean, payloadBytes: number): OfficeServer {
  return new Server(http, {
    serveClient: false,
    // Engine.IO takes 0 for nothing at all.
    maxHttpBufferSize: payloadBytes || Number.MAX_SAFE_INTEGER,
    perMessageDeflate: false,
    httpCompression: false,
    // Whoever was refused, or never says what it wants.
    connectTimeout: joinNamespaceMs,
    allowRequest: ({ headers }, decide) => {
      const { host, origin } = headers;
      const given = { ...(host !== undefined && { host }), ...(origin !== undefined && { origin }) };
      const ok = isLocal ? isNeighbour(given) : isSameOrigin(given);
      decide(ok ? null : isLocal ? 'This office talks to programs on its own machine only' : noPages, ok);
    },
  });
}
const noPages = 'This office does not talk to pages of other sites';

type FrameOf = (socket: string) => SocketFrame | undefined;
const framesAt =
  (at: string, watched: OfficesOptions['frame']): FrameOf =>
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
        ...(heard(frameOf(socket), 'out', event, [body, onAck]) as RelayedArgs),
      ),
    enter: (socket, id) => void socketOf(socket)?.join(roomOf(id)),
    exit: (socket, id) => void socketOf(socket)?.leave(roomOf(id)),
    broadcast: (id, except, event, body) => {
      for (const socket of office.adapter.rooms.get(roomOf(id)) ?? [])
        if (socket !== except) frameOf(socket)?.('out', { event, args: [body] });
      office
        .to(roomOf(id))
        .except(except)
        .emit(event, ...([body] as unknown as NoticeArgs));
    },
    part: (socket, failure) => {
      const peer = socketOf(socket);
      if (peer) partWith(peer, failure);
    },
    probe: (socket, onAlive) => {
      const conn = socketOf(socket)?.conn;
      conn?.once('heartbeat', onAlive);
      // Its types have no way to ask now, and not in 25 s.
      (conn as unknown as { sendPacket?(type: 'ping'): void } | undefined)?.sendPacket?.('ping');
    },
    cut: (socket) => {
      const conn = socketOf(socket)?.conn;
      if (conn) cutOff(conn);
    },
    notify: (socket, event, body) =>
      void socketOf(socket)?.emit(
        event,
        ...(heard(frameOf(socket), 'out', event, [body]) as unknown as NoticeArgs),
      ),
  };
}

function seatSockets(
  io: OfficeServer,
  officeConnections: OfficeConnections,
  gate: OfficeGate,
  frameOf: FrameOf,
  meter: OfficeMeter | undefined,
): void {
  // Events in the default namespace would never be answered.
  io.use((_socket, next) => next(new Error(`Use the namespace ${NAMESPACE}`)));
  io.of(NAMESPACE).on('connection', (socket) => {
    socket.onAny((event: unknown, ...args: unknown[]) =>
      officeConnections.received(
        socket.id,
        String(event),
        heard(frameOf(socket.id), 'in', String(event), metered(meter, String(event), args)),
      ),
    );
    socket.on('disconnect', (reason, error?: Error) => {
      const isOversized = error?.message.includes('Max payload size exceeded') ?? false;
      officeConnections.closed(socket.id, isOversized ? oversized : reason);
      gate.closed(socket.id);
    });
    const { query } = socket.handshake;
    gate.opened(socket.id, socket.data.address ?? socket.handshake.address);
    cutUnread(socket, gate);
    const isOurs = query['a2c_client'] === OUR_CLIENT;
    officeConnections.opened(socket.id, versionOf(query), isOurs, socket.data.grant);
    partAtExpiry(socket);
  });
  cutOversized(io, officeConnections);
}

/**
 * The `office` port as a Socket.IO server: on loopback, or anywhere when it asks who may enter. Joins and leaves go through the machine; calls are relayed
 * here (`machines/office/rooms`). Fails as `office.failed`: the port is taken, the host is not loopback and nobody is asked for a token.
 */
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
    const { http, connections } = serve(tls);
    const isLocal = isLoopback(host);
    const io = listen(http, isLocal, limits.payloadBytes);
    const gate = new OfficeGate(limits, (id, failure) => {
      const socket = io.of(NAMESPACE).sockets.get(id);
      if (socket) partWith(socket, failure);
    });
    const frameOf = framesAt(at, options.frame);
    const officeConnections = new OfficeConnections(wireOf(io, frameOf), systemTimers, emit, relayTiming, {
      answered: options.answered,
      clock: options.clock,
      tracing: options.tracing,
      gate,
      limits,
      cluster:
        register &&
        ((local) => new Cluster({ register, leaseMs, timers: systemTimers, now: unsleepingClock() }, local)),
    });
    const { cluster } = officeConnections;
    checkHandshakes(io, { requireVersion, proxies, gate });
    checkEntrants(io, options, proxies);
    seatSockets(io, officeConnections, gate, frameOf, options.meter?.());
    options.watched?.(() => ({
      ...officeConnections.counts,
      connections: gate.sizes.connections,
      refusals: Object.fromEntries(gate.refusals),
    }));

    const isAllowed = isLocal || options.auth?.() !== undefined;
    const settled = listening(
      { input, http, cluster, isAllowed, isSecure: tls !== undefined, isOver: () => over },
      emit,
    );

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
        const closing: Promise<void> = settled
          .then(async (isListening) => (isListening ? shut(io, http, connections) : void (await io.close())))
          .then(() => cluster?.close())
          .finally(() => closings.delete(closing));
        closings.add(closing);
      },
    };
  };
  return { open, closed: async () => void (await Promise.all(closings)) };
}
