import { ServerResponse } from 'node:http';
import { oversized } from '../../machines/office/rooms/pending.ts';
import { NAMESPACE } from '../../machines/protocol/protocol.ts';
import type { OfficeConnections } from '../connections/office-connections.ts';
import type { OfficeServer, PeerSocket } from './entry/entrants.ts';
import { cutOff, idOf, webSocketOf } from './entry/engine.ts';
import type { OfficeGate } from './gate.ts';
import type { EngineRequest } from './handshake.ts';

const payloadTooLarge = 413;
/**
 * Closes a polling connection that sent a message over the limit, as happens over a web socket. Engine.IO only
 * refuses such a message, so its sender would wait for an answer without end.
 */
export function cutOversized(io: OfficeServer, officeConnections: OfficeConnections): void {
  const cut = (id: string): void => {
    for (const socket of io.of(NAMESPACE).sockets.values())
      if (idOf(socket.conn) === id) {
        officeConnections.closed(socket.id, oversized);
        socket.conn.close(true);
      }
  };
  io.engine.use((request: EngineRequest, response: unknown, next: () => void) => {
    // A request over a web socket has no response object, and needs no check here.
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
/**
 * Cuts a connection whose peer reads too slowly, because unsent messages are kept in memory. No reason is
 * sent, because the peer would not read it.
 */
export function cutUnread(socket: PeerSocket, gate: OfficeGate): void {
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
    // The connection is cut one microtask later, so that sending to other peers is not interrupted.
    queueMicrotask(() => cutOff(conn));
  });
}
