import type { Address } from '../kernel/address.ts';

/**
 * One message on the wire: JSON-RPC of an MCP session, or a Socket.IO event of a seat. Frames are recorded
 * only for inspection; a replay does not need them.
 */
export interface Frame {
  readonly k: 'frame';
  /** Address of the session or link that carried the message: `computer/client:fs#3/session#1`. */
  readonly a: Address;
  readonly via: 'mcp' | 'socket';
  /** Direction: `in` for a message received by this host, `out` for one it sent. */
  readonly dir: 'in' | 'out';
  /** Complete message. Its name, its id and any truncation are added when the frame is written. */
  readonly json: unknown;
}
