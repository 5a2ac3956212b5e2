/** Connections that are not let in yet, with limits of time, bytes and number. */
import type { IncomingMessage } from 'node:http';
import type { Socket as NetSocket } from 'node:net';
import { overLimit, type LimitName } from '../../../machines/office/rooms/limits.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import type { OfficeGate } from '../gate.ts';
import { idOf, type EngineConnection } from './engine.ts';
import { addressOf } from './entrants.ts';
import type { Refusing } from './refusing.ts';

/** Holds no callback after the peer was let in, to save memory. */
class Connection {
  readonly key: string;
  readonly socket: NetSocket;
  /** Undefined for a connection from a proxy that has not named the address yet. */
  address: string | undefined;
  isKnown = false;
  since = 0;
  before = 0;
  uncount: (() => void) | undefined = undefined;
  constructor(socket: NetSocket, address: string | undefined) {
    this.key = keyOf(socket);
    this.socket = socket;
    this.address = address;
  }
}
/** From its first polling request to its end, also after it has moved to a web socket. */
class Session {
  readonly conn: EngineConnection;
  readonly address: string;
  isKnown = false;
  since = 0;
  bytes = 0;
  /** Web socket of the session; without one, the session itself counts as a connection. */
  web: Connection | undefined = undefined;
  isCounted = true;
  carriers: Set<Connection> | undefined = undefined;
  constructor(conn: EngineConnection, address: string) {
    this.conn = conn;
    this.address = address;
  }
}
type Stranger = Connection | Session;
export interface StrangersOptions {
  readonly gate: OfficeGate;
  readonly proxies: number;
  readonly refused: Refusing['connection'];
}

/** Number of connections over a limit that are accepted, so that they can be told the reason. */
const tolerated = 64;
/** The same for both layers of TLS, and unique among open connections. */
const keyOf = ({ remoteAddress, remotePort, localAddress }: NetSocket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

/** A peer gets `entryMs` and `entryBytes` to be let in; at a limit, the oldest waiting peer is cut. */
export class Strangers {
  readonly #options: StrangersOptions;
  readonly #connections = new Map<string, Connection>();
  /** Sessions by id; a session that began on a web socket is represented by its connection. */
  readonly #sessions = new Map<string, Stranger>();
  /** Peers that wait to be let in, oldest first; the time limit is the same for all. */
  readonly #waiting = new Set<Stranger>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StrangersOptions) {
    this.#options = options;
  }
  get connections(): Iterable<NetSocket> {
    return [...this.#connections.values()].map(({ socket }) => socket);
  }

  accept(socket: NetSocket): void {
    // Destroys a connection that the peer had reset before it was accepted.
    if (socket.remoteAddress === undefined) return void socket.destroy();
    const { gate, proxies } = this.#options;
    const address = proxies > 0 ? undefined : socket.remoteAddress;
    const connection = new Connection(socket, address);
    this.#connections.set(connection.key, connection);
    gate.connected(address);
    socket.on('close', () => this.#gone(connection));
    const limit = gate.over(address, tolerated);
    if (limit) return this.#admit(connection, limit);
    this.#wait(connection);
  }
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
  carries(id: string, request: IncomingMessage): void {
    const [session, connection] = [this.#sessions.get(id), this.#connectionOf(request)];
    if (!(session instanceof Session) || !connection) return;
    if (request.headers.upgrade !== undefined) session.web = connection;
    if (session.isKnown) return this.#know(connection);
    this.#carry(session, connection);
    // Reading a request without a body would end it, which Engine.IO takes for the end of the connection.
    if (request.method !== 'POST') return;
    request.on('data', ({ length }: Buffer) => {
      session.bytes += length;
      if (!session.isKnown && this.#isTooMuch(session.bytes)) this.#end(session, 'entryBytes');
    });
  }
  /** Behind a proxy the next request on this connection may come from another peer. */
  answered(request: IncomingMessage): void {
    const connection = this.#connectionOf(request);
    if (this.#options.proxies === 0 || !connection || connection.isKnown) return;
    connection.before = connection.socket.bytesRead;
    this.#wait(connection);
  }
  /** Counts the bytes of a connection that became a web socket, because they are buffered until a message is complete. */
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
    // Applies the time limit to the connection again, because the peer may never answer the closing handshake.
    if (web && this.#connections.has(web.key)) this.#wait(web);
  }
  #admit(connection: Connection, limit: LimitName): void {
    if (this.#makeRoom(connection, limit)) return this.#wait(connection);
    this.#refuse(connection, limit);
  }
  /** At the limit for each address, the oldest with the same address. False when there is none. */
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
    // Ends it once, although more of what it sent may be read.
    if (!this.#waiting.delete(stranger)) return;
    // Only counts a connection that was silent for too long, or that made room: nothing was asked in it.
    if (limit === 'entryBytes') return this.#refuse(stranger, limit);
    this.#options.gate.refused(limit);
    this.#cut(stranger);
  }
  #refuse(stranger: Stranger, limit: LimitName): void {
    const { gate, refused } = this.#options;
    gate.refused(limit);
    this.#cut(stranger);
    refused(stranger.address ?? '', overLimit(limit, gate.limits[limit]));
  }
  #cut(stranger: Stranger): void {
    if (stranger instanceof Connection) {
      stranger.socket.destroy();
      return this.#gone(stranger);
    }
    const { conn, carriers = [] } = stranger;
    for (const one of carriers) if (!one.isKnown) this.#cut(one);
    conn.close(true);
    // Emits the event directly, because a session that polls may have no request to close.
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
      // Allows for a timer that fires up to 1 ms early.
      if (left > 1) {
        this.#timer = setTimeout(() => this.#sweep(entryMs), left).unref();
        return;
      }
      this.#end(stranger, 'entryMs');
    }
  }
}
