import type { IncomingMessage } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import type { Failure } from '../../../machines/protocol/failure.ts';
import type { LimitName } from '../../../machines/office/rooms/limits.ts';
import type { OfficeGate } from '../gate.ts';
import { addressOf } from './address.ts';
import { descriptorsLeft } from './descriptors.ts';
import { idOf, type EngineConnection } from './engine.ts';

/** Somebody whom nobody has let in yet. */
interface Stranger {
  readonly key: string;
  /** Where it comes from; undefined: from behind a proxy that has not said so yet. */
  address: string | undefined;
  isKnown: boolean;
  since: number;
  end(): void;
}
/** A TCP connection. */
interface Connection extends Stranger {
  readonly socket: NetSocket;
  /** What was read of it before the request that counts now. */
  before: number;
  /** Nobody counts its bytes any more. */
  unwatch(): void;
}
/** One of Engine.IO: on a web socket, or over many requests. */
interface Session extends Stranger {
  readonly connections: Set<Connection>;
  /** What it has sent in bodies. */
  bytes: number;
  /** The connection of its web socket; without one it counts as a connection itself. */
  web: Connection | undefined;
}
export interface StrangersOptions {
  readonly gate: OfficeGate;
  /** Proxies that stand before the office. */
  readonly proxies: number;
  /** Number of connections that the system still lets in, whatever the limits say. */
  readonly left?: () => number;
}

/** Number of connections over a limit that may stay to be told so. */
const tolerated = 64;
/** With so many connections it is looked for the first time how many more the system lets in, and again with twice as many. */
const firstLook = 64;
/** The same for both ends of TLS; of those that are open no other has it. */
const keyOf = ({ remoteAddress, remotePort, localAddress }: NetSocket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;
const nothing = (): void => {};

/**
 * All that is connected to an office, and how long who was not let in may stay. Each TCP connection counts from its first byte
 * to its last, and each session that polls. Whoever was not let in has `entryMs` and `entryBytes`, and is ended then, without a
 * goodbye; where there is no room any more the oldest of them makes room. `close` ends its timer.
 */
export class Strangers {
  readonly #options: StrangersOptions;
  readonly #connections = new Map<string, Connection>();
  readonly #sessions = new Map<string, Session>();
  /** By age: all have the same time. */
  readonly #waiting = new Map<string, Stranger>();
  #timer: NodeJS.Timeout | undefined;
  #nextLook = firstLook;
  #most = Infinity;

  constructor(options: StrangersOptions) {
    this.#options = options;
  }
  /** TCP connections that are open. */
  get connections(): Iterable<NetSocket> {
    return [...this.#connections.values()].map(({ socket }) => socket);
  }

  /** A TCP connection was taken. */
  accept(socket: NetSocket): void {
    // It was reset before anybody looked.
    if (socket.remoteAddress === undefined) return void socket.destroy();
    const { gate, proxies } = this.#options;
    const address = proxies > 0 ? undefined : socket.remoteAddress;
    const end = (): void => {
      socket.destroy();
      this.#gone(connection);
    };
    const start = { isKnown: false, since: 0, before: 0, unwatch: nothing };
    const connection: Connection = { ...start, key: keyOf(socket), address, socket, end };
    this.#connections.set(connection.key, connection);
    gate.connected(address);
    socket.once('close', () => this.#gone(connection));
    const limit = gate.over(address, tolerated);
    if (limit) return this.#admit(connection, limit);
    if (this.#isFull()) return this.#admit(connection, 'connections');
    this.#wait(connection);
  }
  /** A request that wants a session: why it may not have one, or undefined. */
  asks(request: IncomingMessage): Failure | undefined {
    const { gate, proxies } = this.#options;
    const connection = this.#connectionOf(request);
    const address = addressOf(request, proxies);
    if (connection && connection.address !== address) {
      gate.gone(connection.address);
      gate.connected((connection.address = address));
    }
    return gate.connecting(address, (limit) => this.#makeRoom(connection, limit));
  }
  /** A session has opened. */
  opened(conn: EngineConnection): void {
    const { gate, proxies } = this.#options;
    const key = idOf(conn);
    const connection = this.#connectionOf(conn.request);
    const session: Session = {
      key,
      since: 0,
      isKnown: false,
      bytes: 0,
      address: addressOf(conn.request, proxies),
      connections: new Set(connection && [connection]),
      web: conn.transport.name === 'websocket' ? connection : undefined,
      end: () => {
        for (const one of session.connections) if (!one.isKnown) one.end();
        conn.close(true);
        // One that polls has nothing that could close.
        conn.transport.emit('close');
      },
    };
    let isCounted = session.web === undefined;
    const uncount = (): void => {
      if (isCounted) gate.gone(session.address);
      isCounted = false;
    };
    if (isCounted) {
      gate.connected(session.address);
      conn.once('upgrade', uncount);
    }
    conn.once('close', () => {
      uncount();
      this.#sessions.delete(key);
      this.#waiting.delete(key);
      // The peer may never answer the goodbye.
      if (session.web && this.#connections.has(session.web.key)) this.#wait(session.web);
    });
    this.#sessions.set(key, session);
    if (!session.web) this.#wait(session);
  }
  /** A request of a session that is open. */
  carries(id: string, request: IncomingMessage): void {
    const [session, connection] = [this.#sessions.get(id), this.#connectionOf(request)];
    if (!session || !connection) return;
    session.connections.add(connection);
    connection.socket.once('close', () => session.connections.delete(connection));
    if (request.headers.upgrade !== undefined) session.web = connection;
    if (session.isKnown) return this.#know(connection);
    request.on('data', ({ length }: Buffer) => {
      session.bytes += length;
      if (!session.isKnown && this.#isTooMuch(session.bytes)) this.#end(session, 'entryBytes');
    });
  }
  /** A request was answered: behind a proxy another peer may come over the same connection. */
  answered(request: IncomingMessage): void {
    const connection = this.#connectionOf(request);
    if (this.#options.proxies === 0 || !connection || connection.isKnown) return;
    connection.before = connection.socket.bytesRead;
    this.#wait(connection);
  }
  /** A connection has become a web socket: what arrives is kept until a message of it is whole. */
  upgraded({ socket }: IncomingMessage): void {
    const connection = this.#connections.get(keyOf(socket));
    if (!connection || connection.isKnown) return;
    let bytes = connection.socket.bytesRead - connection.before;
    const count = ({ length }: Buffer): void => {
      if (this.#isTooMuch((bytes += length))) this.#end(connection, 'entryBytes');
    };
    socket.prependListener('data', count);
    connection.unwatch = () => socket.off('data', count);
  }
  /** This session may stay, and all that carries it. */
  letIn(id: string): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    session.isKnown = true;
    this.#waiting.delete(id);
    for (const connection of session.connections) this.#know(connection);
  }
  close(): void {
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  /** No more descriptors than these are left to this process. */
  #isFull(): boolean {
    const { size } = this.#connections;
    if (size >= this.#nextLook) {
      this.#most = size + (this.#options.left ?? descriptorsLeft)();
      this.#nextLook = size * 2;
    }
    return size > this.#most;
  }
  #connectionOf({ socket }: IncomingMessage): Connection | undefined {
    return this.#connections.get(keyOf(socket));
  }
  #isTooMuch(bytes: number): boolean {
    const { entryBytes } = this.#options.gate.limits;
    return entryBytes > 0 && bytes > entryBytes;
  }
  #know(connection: Connection): void {
    connection.isKnown = true;
    this.#waiting.delete(connection.key);
    connection.unwatch();
    connection.unwatch = nothing;
  }
  #gone(connection: Connection): void {
    if (!this.#connections.delete(connection.key)) return;
    this.#waiting.delete(connection.key);
    this.#options.gate.gone(connection.address);
  }
  #admit(connection: Connection, limit: LimitName): void {
    if (this.#makeRoom(connection, limit)) return this.#wait(connection);
    this.#options.gate.refused(limit);
    connection.end();
  }
  /** Ends the oldest other stranger, of this address where its limit is met. */
  #makeRoom(asker: Connection | undefined, limit: LimitName): boolean {
    for (const stranger of this.#waiting.values()) {
      if (stranger === asker) continue;
      if (limit === 'connectionsPerAddress' && stranger.address !== asker?.address) continue;
      this.#end(stranger, limit);
      return true;
    }
    return false;
  }
  #end(stranger: Stranger, limit: LimitName): void {
    this.#waiting.delete(stranger.key);
    this.#options.gate.refused(limit);
    stranger.end();
  }

  #wait(stranger: Stranger): void {
    const { entryMs } = this.#options.gate.limits;
    stranger.isKnown = false;
    stranger.since = performance.now();
    this.#waiting.delete(stranger.key);
    this.#waiting.set(stranger.key, stranger);
    if (entryMs > 0) this.#timer ??= setTimeout(() => this.#sweep(entryMs), entryMs).unref();
  }
  #sweep(entryMs: number): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const stranger of this.#waiting.values()) {
      const left = stranger.since + entryMs - now;
      // A timer may fire a moment early.
      if (left > 1) {
        this.#timer = setTimeout(() => this.#sweep(entryMs), left).unref();
        return;
      }
      this.#end(stranger, 'entryMs');
    }
  }
}
