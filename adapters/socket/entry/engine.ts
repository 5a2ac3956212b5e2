import type { Socket } from 'socket.io';

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
