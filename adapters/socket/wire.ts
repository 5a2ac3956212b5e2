import { keyOf } from '../../machines/kernel/address.ts';
import type { NoticeName, RelayedName } from '../../machines/protocol/events.ts';
import { NAMESPACE } from '../../machines/protocol/protocol.ts';
import type { ServerToClient } from '../../machines/protocol/messages/socket-events.ts';
import type { OfficeWire } from '../connections/office-wire.ts';
import { cutOff } from './entry/engine.ts';
import { partWith, type OfficeServer, type PeerSocket } from './entry/entrants.ts';
import { heard, type SocketFrame } from './frames.ts';

/** What the office relays and tells was read by the schema of its event, or made by us. */
type RelayedArgs = Parameters<ServerToClient[RelayedName]>;
type NoticeArgs = Parameters<ServerToClient[NoticeName]>;
/** Hears what passes the socket at this address. */
type Heard = (at: string, dir: 'in' | 'out', message: object) => void;
/** Who hears now what passes this socket. */
export type FrameOf = (socket: string) => SocketFrame | undefined;
export const framesAt =
  (at: string, watched: (() => Heard | undefined) | undefined): FrameOf =>
  (socket) => {
    const frame = watched?.();
    if (!frame) return undefined;
    return (dir, message) =>
      frame(`${at.slice(0, at.indexOf('#'))}/seat:${keyOf(socket)}/socket`, dir, message);
  };
/** How an office reaches its sockets. */
export function wireOf(io: OfficeServer, frameOf: FrameOf): OfficeWire {
  const office = io.of(NAMESPACE);
  const socketOf = (socket: string): PeerSocket | undefined => office.sockets.get(socket);
  return {
    send: (socket, event, body, onAck) =>
      void socketOf(socket)?.emit(
        event as RelayedName,
        ...(heard(frameOf(socket), 'out', event, [body, onAck]) as RelayedArgs),
      ),
    deliver: (sockets, event, body) => {
      // Nobody would be everybody.
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
      // The types have no way to ask now, and not in 25 s.
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
