import type { Address } from '../kernel/address.ts';

export type FrameVia = 'mcp' | 'socket' | 'relay';
/**
 * One message on the wire: JSON-RPC of an MCP session, a Socket.IO event of a seat, or a call that an office relays, told
 * in short. Frames are recorded only for inspection; a replay does not need them.
 */
export interface Frame {
  readonly k: 'frame';
  /** Address of the session, link or office that carried the message: `computer/client:fs#3/session#1`. */
  readonly a: Address;
  readonly via: FrameVia;
  /** Address of the actor that made the request to which the message belongs; absent when no actor did. */
  readonly by?: Address;
  /** Direction: `in` for a message received by this host, `out` for one it sent. */
  readonly dir: 'in' | 'out';
  /** Complete message. Its name, its id and any truncation are added when the frame is written. */
  readonly json: unknown;
  /** Other fields of a message that was read from a trace. */
  readonly read?: Readonly<Record<string, unknown>>;
}
