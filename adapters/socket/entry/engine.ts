import type { Socket } from 'socket.io';

/** A connection of Engine.IO, below the namespaces of Socket.IO. */
export type EngineConnection = Socket['conn'];
/** What its types hide. */
interface Transport {
  readonly socket?: { readonly bufferedAmount?: number; terminate?(): void };
}
/** What every request of a connection carries as `sid`. */
export const idOf = (conn: EngineConnection): string => (conn as unknown as { readonly id: string }).id;
/** Web socket of a connection; one that polls has none. */
export const webSocketOf = (conn: EngineConnection): Transport['socket'] =>
  (conn.transport as unknown as Transport).socket;
/** Ends it without a goodbye, which its peer would not read. */
export function cutOff(conn: EngineConnection): void {
  const socket = webSocketOf(conn);
  conn.close(true);
  socket?.terminate?.();
}
