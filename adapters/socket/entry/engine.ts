import type { Socket } from 'socket.io';
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws';

/** Connection of Engine.IO, the layer below the namespaces of Socket.IO. */
export type EngineConnection = Socket['conn'];
/** Properties of a transport that the types of Engine.IO hide. */
interface Transport {
  readonly socket?: { readonly bufferedAmount?: number; terminate?(): void };
}
/** Returns the id of a connection, which each of its requests carries as `sid`. */
export const idOf = (conn: EngineConnection): string => (conn as unknown as { readonly id: string }).id;
/** Returns the web socket of a connection; undefined for a polling connection. */
export const webSocketOf = (conn: EngineConnection): Transport['socket'] =>
  (conn.transport as unknown as Transport).socket;
/** Ends a connection without a goodbye, which an unresponsive peer would not read. */
export function cutOff(conn: EngineConnection): void {
  const socket = webSocketOf(conn);
  conn.close(true);
  socket?.terminate?.();
}

/** Number of characters from which a message is sent as bytes; for a shorter one, text costs as little. */
const longText = 4_096;
/**
 * Web socket that encodes a long message before it is sent. Node takes three bytes of memory outside the heap for each
 * character of a text that it writes, which starts a full garbage collection after every few large messages.
 */
class TextAsBytes extends WebSocket {
  override send(data: unknown, ...rest: readonly unknown[]): void {
    const send = super.send.bind(this) as (...all: unknown[]) => void;
    if (typeof data !== 'string' || data.length < longText) return send(data, ...rest);
    const done = rest.find((each) => typeof each === 'function');
    send(Buffer.from(data), { binary: false }, done);
  }
}
/** Server of web sockets for Engine.IO, which creates it with its own options. */
export class WebSockets extends WebSocketServer<typeof TextAsBytes> {
  constructor(options: ServerOptions<typeof TextAsBytes>) {
    super({ ...options, WebSocket: TextAsBytes });
  }
}
