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
 * Over polling Engine.IO refuses a message over the limit and keeps the connection, so whoever waits for the answer in
 * it would wait on: the connection is closed here, as it is over a web socket.
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
    // A web socket has no response of its own.
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
 * Ends a connection whose peer does not read: what waits for it lies in our memory. There is no use in telling it why.
 */
export function cutUnread(socket: PeerSocket, gate: OfficeGate): void {
  const most = gate.limits.unreadBytes;
  if (most === 0) return;
  const { conn } = socket;
  /** Handed to Engine.IO, and not yet to its transport. */
  let waiting = 0;
  conn.on('flush', () => (waiting = 0));
  conn.on('packetCreate', ({ data }: { readonly data?: unknown }) => {
    waiting += sizeOf(data);
    if (waiting + (webSocketOf(conn)?.bufferedAmount ?? 0) <= most) return;
    waiting = 0;
    gate.refused('unreadBytes');
    // Not in the midst of what is being sent to others.
    queueMicrotask(() => cutOff(conn));
  });
}
