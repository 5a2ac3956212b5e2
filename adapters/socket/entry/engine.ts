import type { Socket } from 'socket.io';
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws';

export type EngineConnection = Socket['conn'];
/** Properties of a transport that the types of Engine.IO hide. */
interface Transport {
  readonly socket?: { readonly bufferedAmount?: number; terminate?(): void };
}
export const idOf = (conn: EngineConnection): string => (conn as unknown as { readonly id: string }).id;
export const webSocketOf = (conn: EngineConnection): Transport['socket'] =>
  (conn.transport as unknown as Transport).socket;
/** Without a goodbye, which an unresponsive peer would not read. */
export function cutOff(conn: EngineConnection): void {
  const socket = webSocketOf(conn);
  conn.close(true);
  socket?.terminate?.();
}

/** Number of characters from which a message is sent as bytes; for a shorter one, text costs as little. */
const longText = 4_096;
/** Node takes three bytes outside the heap per character of a text, which starts full garbage collections. */
class TextAsBytes extends WebSocket {
  override send(data: unknown, ...rest: readonly unknown[]): void {
    const send = super.send.bind(this) as (...all: unknown[]) => void;
    if (typeof data !== 'string' || data.length < longText) return send(data, ...rest);
    const done = rest.find((each) => typeof each === 'function');
    send(Buffer.from(data), { binary: false }, done);
  }
}
export class WebSockets extends WebSocketServer<typeof TextAsBytes> {
  constructor(options: ServerOptions<typeof TextAsBytes>) {
    super({ ...options, WebSocket: TextAsBytes });
  }
}
