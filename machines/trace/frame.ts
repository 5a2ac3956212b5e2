import type { Address } from '../kernel/address.ts';

/**
 * One message on the wire, as it was seen by somebody who looked: JSON-RPC of an MCP session, or an event of a seat.
 * Stands beside what happened: neither a replay nor a hash needs it.
 */
export interface Frame {
  readonly k: 'frame';
  /** The session or the link: `computer/client:fs#3/session#1`. */
  readonly a: Address;
  readonly via: 'mcp' | 'socket';
  /** `in`: it came to this host. */
  readonly dir: 'in' | 'out';
  /** Of the method or the event, when it has one. */
  readonly name?: string;
  /** What an answer has in common with its request. */
  readonly req?: string;
  readonly json?: unknown;
  /** In the place of `json`, when it was none, or was too long. */
  readonly text?: string;
  /** So many characters are missing at the end of `text`. */
  readonly cut?: number;
}
