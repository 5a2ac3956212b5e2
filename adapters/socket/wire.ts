import { keyOf } from '../../machines/kernel/address.ts';
import type { NoticeName, RelayedName } from '../../machines/protocol/events.ts';
import { NAMESPACE } from '../../machines/protocol/protocol.ts';
import type { ServerToClient } from '../../machines/protocol/messages/socket-events.ts';
import type { OfficeWire } from '../connections/office-wire.ts';
import { cutOff } from './entry/engine.ts';
import { partWith, type OfficeServer, type PeerSocket } from './entry/entrants.ts';
import { heard, type SocketFrame } from './frames.ts';

/** Arguments of events that an office sends, which are checked by the schema of their event or made by this program. */
type RelayedArgs = Parameters<ServerToClient[RelayedName]>;
type NoticeArgs = Parameters<ServerToClient[NoticeName]>;
/** Callback for messages on the socket at this address. */
type Heard = (at: string, dir: 'in' | 'out', message: object) => void;
/** Returns the callback for messages on a socket; undefined when nothing is to be reported. */
export type FrameOf = (socket: string) => SocketFrame | undefined;
export const framesAt =
  (at: string, watched: (() => Heard | undefined) | undefined): FrameOf =>
  (socket) => {
    const frame = watched?.();
    if (!frame) return undefined;
    return (dir, message) =>
      frame(`${at.slice(0, at.indexOf('#'))}/seat:${keyOf(socket)}/socket`, dir, message);
  };
/** Returns the functions by which an office sends to its sockets. */
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
      // An empty list of rooms means all sockets for Socket.IO, so nothing is sent.
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
      // The types hide the method that sends a ping at once instead of after 25 s.
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
