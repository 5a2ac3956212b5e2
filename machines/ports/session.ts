/** Port `session`: one MCP client, over the streams of a process, over HTTP, or inside this host. */
import type { EventObject } from 'xstate';
import type { Address } from '../kernel/effects.ts';
import { callbackPort, type OpenPort } from '../kernel/ports.ts';
import type { Failure } from '../protocol/failure.ts';

export interface SessionInput {
  readonly server: string;
  readonly generation: number;
  readonly spec: number;
  readonly key: Address;
  /** Its streams carry the session; null when the session needs no process. */
  readonly process: Address | null;
}
/** End of the session with an MCP server, and its reason. */
export interface SessionLost {
  /** Reason in one sentence for a person, without secrets. */
  readonly reason: string;
  /** Tells that the server forgot this session and demands a new handshake. */
  readonly isExpired?: true;
  /** Tells that the server no longer accepts the login (HTTP 401). */
  readonly wantsLogin?: true;
}
/** Facts about the session with an MCP server. */
export type SessionFact =
  /** Reports a session that is connected and initialized. */
  | { readonly type: 'session.opened'; readonly info: ServerInfo }
  | SessionWaits
  | { readonly type: 'session.failed'; readonly failure: Failure }
  /** Reports a broken stream; pending requests are refused before this fact. */
  | ({ readonly type: 'session.lost' } & SessionLost)
  /**
   * Reports a changed list, also from a server that did not declare such notifications; only after `session.opened`.
   */
  | { readonly type: 'list.changed'; readonly list: ListKind }
  | { readonly type: 'resource.updated'; readonly uri: string };
export const sessionPort = callbackPort<SessionInput, EventObject>('session');
export type OpenSession = OpenPort<SessionInput, EventObject, SessionFact>;

/** Lists of an MCP server that can change on their own. Resource templates change together with the resources. */
export type ListKind = 'tools' | 'resources' | 'prompts';

/** Capabilities that a server declared at the handshake. Undeclared ones are never used. */
export interface Capabilities {
  /** Tool support; null when the server has no tools. `listChanged`: the server announces changes of the list. */
  readonly tools: { readonly listChanged: boolean } | null;
  /**
   * Resource support; null when the server has no resources. `subscribe`: the server announces changes of subscribed
   * resources.
   */
  readonly resources: { readonly listChanged: boolean; readonly subscribe: boolean } | null;
  /** Prompt support; null when the server has no prompts. */
  readonly prompts: { readonly listChanged: boolean } | null;
  /** Tells whether the server completes arguments of prompts and resource templates. */
  readonly completions: boolean;
  /** Tells whether the log level of the server can be set. */
  readonly logging: boolean;
}
/** Information that a server gave about itself at the handshake. */
export interface ServerInfo {
  /** Name that the MCP server gives itself. */
  readonly name: string;
  /** Version of the server, in any format. */
  readonly version: string;
  /** Revision of MCP on which client and server agreed, such as `2025-06-18`. */
  readonly protocolVersion: string;
  /** Capabilities that the server declared; undeclared ones are never used. */
  readonly capabilities: Capabilities;
  /** Icon and description (or title) that the server offers for display. */
  readonly shown?: { readonly icons?: string; readonly descriptions?: string };
}

/** Wait of a session that is not open yet, as reported by its port, because a machine has no clock. */
export interface Waits {
  /**
   * Step that the session waits for: the connection to the URL, the response headers, or the answer to `initialize`.
   */
  readonly for: 'connection' | 'headers' | 'initialize';
  /** Start of the wait in ISO 8601, by the clock of the port. */
  readonly since: string;
  /**
   * Text that arrived but is no valid answer: one line, secrets hidden, at most 400 characters; empty when nothing
   * arrived.
   */
  readonly came: string;
}
/**
 * Report of a handshake that takes longer than a second: sent then, and at most once a second when the awaited step
 * changes.
 */
export interface SessionWaits {
  readonly type: 'session.waits';
  /** Step that the session waits for, since when, and what arrived meanwhile. */
  readonly waits: Waits;
}
export interface ClientWaits {
  readonly type: 'client.waits';
  readonly server: string;
  readonly waits: Waits;
}
