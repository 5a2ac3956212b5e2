import type { IncomingMessage } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import type { Failure } from '../../../machines/protocol/failure.ts';
import type { LimitName } from '../../../machines/office/rooms/limits.ts';
import type { OfficeGate } from '../gate.ts';
import { addressOf } from './address.ts';
import { descriptorsLeft } from './descriptors.ts';
import { idOf, type EngineConnection } from './engine.ts';

/** A TCP connection. It is kept as long as it is there, as a session is: so neither holds a function once it was let in. */
class Connection {
  readonly key: string;
  readonly socket: NetSocket;
  /** Where it comes from; undefined: from behind a proxy that has not said so yet. */
  address: string | undefined;
  isKnown = false;
  /** When it began to wait. */
  since = 0;
  /** What was read of it before the request that counts now. */
  before = 0;
  /** Ends the count of its bytes, as a web socket that nobody has let in yet. */
  uncount: (() => void) | undefined = undefined;
  constructor(socket: NetSocket, address: string | undefined) {
    this.key = keyOf(socket);
    this.socket = socket;
    this.address = address;
  }
}
/** One of Engine.IO over many requests, from the first of them to its end, also where it goes on over a web socket. */
class Session {
  readonly conn: EngineConnection;
  readonly address: string;
  isKnown = false;
  since = 0;
  /** What it has sent in bodies. */
  bytes = 0;
  /** Its web socket; without one it counts as a connection itself. */
  web: Connection | undefined = undefined;
  isCounted = true;
  /** What has carried its requests, as long as nobody has let it in. */
  carriers: Set<Connection> | undefined = undefined;
  constructor(conn: EngineConnection, address: string) {
    this.conn = conn;
    this.address = address;
  }
}
/** Somebody whom nobody has let in yet. */
type Stranger = Connection | Session;
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

/**
 * All that is connected to an office, and how long who was not let in may stay. Each TCP connection counts from its first byte
 * to its last, and each session that polls. Whoever was not let in has `entryMs` and `entryBytes`, and is ended then, without a
 * goodbye; where there is no room any more the oldest of them makes room. `close` ends its timer.
 */
export class Strangers {
  readonly #options: StrangersOptions;
  readonly #connections = new Map<string, Connection>();
  /** By id. One that began on a web socket is the connection of that. */
  readonly #sessions = new Map<string, Stranger>();
  /** By age: all have the same time. */
  readonly #waiting = new Set<Stranger>();
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
    const connection = new Connection(socket, address);
    this.#connections.set(connection.key, connection);
    gate.connected(address);
    socket.on('close', () => this.#gone(connection));
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
    const [id, connection] = [idOf(conn), this.#connectionOf(conn.request)];
    if (connection && conn.transport.name === 'websocket') {
      this.#sessions.set(id, connection);
      return void conn.on('close', () => this.#closed(id, connection));
    }
    const session = new Session(conn, addressOf(conn.request, proxies));
    this.#sessions.set(id, session);
    gate.connected(session.address);
    conn.once('upgrade', () => this.#uncount(session));
    conn.on('close', () => {
      this.#uncount(session);
      this.#waiting.delete(session);
      this.#closed(id, session.web);
    });
    if (connection) this.#carry(session, connection);
    this.#wait(session);
  }
  /** A request of a session that is open. */
  carries(id: string, request: IncomingMessage): void {
    const [session, connection] = [this.#sessions.get(id), this.#connectionOf(request)];
    if (!(session instanceof Session) || !connection) return;
    if (request.headers.upgrade !== undefined) session.web = connection;
    if (session.isKnown) return this.#know(connection);
    this.#carry(session, connection);
    // Whoever reads a request that has no body ends it, which Engine.IO takes for the end of its connection.
    if (request.method !== 'POST') return;
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
    connection.uncount = () => socket.off('data', count);
  }
  /** This session may stay, and all that carries it. */
  letIn(id: string): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    if (session instanceof Session) for (const connection of session.carriers ?? []) this.#know(connection);
    this.#know(session);
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
  #carry(session: Session, connection: Connection): void {
    const carriers = (session.carriers ??= new Set());
    if (carriers.has(connection)) return;
    carriers.add(connection);
    connection.socket.once('close', () => carriers.delete(connection));
  }
  #know(stranger: Stranger): void {
    stranger.isKnown = true;
    this.#waiting.delete(stranger);
    if (stranger instanceof Session) return void (stranger.carriers = undefined);
    stranger.uncount?.();
    stranger.uncount = undefined;
  }
  #gone(connection: Connection): void {
    if (!this.#connections.delete(connection.key)) return;
    this.#waiting.delete(connection);
    this.#options.gate.gone(connection.address);
  }
  #uncount(session: Session): void {
    if (session.isCounted) this.#options.gate.gone(session.address);
    session.isCounted = false;
  }
  #closed(id: string, web: Connection | undefined): void {
    this.#sessions.delete(id);
    // The peer may never answer the goodbye.
    if (web && this.#connections.has(web.key)) this.#wait(web);
  }
  #admit(connection: Connection, limit: LimitName): void {
    if (this.#makeRoom(connection, limit)) return this.#wait(connection);
    this.#options.gate.refused(limit);
    this.#cut(connection);
  }
  /** Ends the oldest other stranger, of this address where its limit is met. */
  #makeRoom(asker: Connection | undefined, limit: LimitName): boolean {
    for (const stranger of this.#waiting) {
      if (stranger === asker) continue;
      if (limit === 'connectionsPerAddress' && stranger.address !== asker?.address) continue;
      this.#end(stranger, limit);
      return true;
    }
    return false;
  }
  #end(stranger: Stranger, limit: LimitName): void {
    this.#waiting.delete(stranger);
    this.#options.gate.refused(limit);
    this.#cut(stranger);
  }
  #cut(stranger: Stranger): void {
    if (stranger instanceof Connection) {
      stranger.socket.destroy();
      return this.#gone(stranger);
    }
    const { conn, carriers = [] } = stranger;
    for (const one of carriers) if (!one.isKnown) this.#cut(one);
    conn.close(true);
    // One that polls has nothing that could close.
    conn.transport.emit('close');
  }

  #wait(stranger: Stranger): void {
    const { entryMs } = this.#options.gate.limits;
    stranger.isKnown = false;
    stranger.since = performance.now();
    this.#waiting.delete(stranger);
    this.#waiting.add(stranger);
    if (entryMs > 0) this.#timer ??= setTimeout(() => this.#sweep(entryMs), entryMs).unref();
  }
  #sweep(entryMs: number): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const stranger of this.#waiting) {
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
