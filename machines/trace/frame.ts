import type { Address } from '../kernel/address.ts';

/**
 * One message on the wire: JSON-RPC of an MCP session, or an event of a seat, where somebody looks at it.
 * Stands beside what happened: no replay needs it.
 */
export interface Frame {
  readonly k: 'frame';
  /** The session or the link: `computer/client:fs#3/session#1`. */
  readonly a: Address;
  readonly via: 'mcp' | 'socket';
  /** `in`: it came to this host. */
  readonly dir: 'in' | 'out';
  /** The message as it is. Its name, its id and where it is cut are written with it. */
  readonly json: unknown;
}
