import type { ClientRequest, RequestOptions } from 'node:http';
import type { Address } from '../../machines/kernel/effects.ts';
import type { SessionLost, Waits } from '../../machines/kernel/ports.ts';
import type { Transport } from '@modelcontextprotocol/client';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { Failure } from '../../machines/protocol/failure.ts';
import { sizes } from '../../machines/protocol/protocol.ts';
import type { Timers } from '../clock.ts';
import type { Guard } from '../guard.ts';

/**
 * Revision of MCP that `initialize` asks for. Written here and not taken from the SDK, which a session needs for nothing else and
 * which takes longer to load than a short command to run.
 */
export const latestSessionRevision = '2025-11-25';
/** Revisions of MCP with sessions that we speak. */
export const sessionRevisions: readonly string[] = [
  latestSessionRevision,
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/**
 * Largest answer to one request in bytes, 10 MiB, the same limit as for any message. An office takes less, so
 * a computer cuts the results that it passes on (`sizes` in `machines/protocol/protocol.ts`).
 */
export const resultBytes: number = sizes.stdioMessageBytes;

/**
 * Event on the wire that no caller receives otherwise, for logs and counters. `text` is raw output of a server
 * and may hold secrets.
 */
export interface Notice {
  readonly kind: 'garbage' | 'overlong' | 'unknownId' | 'lateAnswer' | 'lateProgress' | 'protocol';
  readonly text: string;
  readonly bytes: number;
}

/** Error with which `send` rejects when not one byte of the message has left. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}
/** Error with which `send` rejects when one message was refused; the connection may live on. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly failure: Failure;
  /** False when the server surely has not worked on the message; true when it may have. */
  readonly sent: boolean;
  /** True when the message went out and it is unknown whether the server has worked on it. */
  readonly isLost: boolean;

  constructor(failure: Failure, how: 'unsent' | 'answered' | 'lost') {
    super(failure.message);
    this.failure = failure;
    this.sent = how !== 'unsent';
    this.isLost = how === 'lost';
  }
}

/**
 * One connection to a server, over any kind of transport. `start` and `send` return undefined when they are
 * done at once, so that a stream in virtual time needs no promise. `send` of a request rejects when that
 * request alone will not be answered; `onclose` says that no request will be answered any more. `close` is
 * final: it calls `onclose` at once, and `closed` resolves within a bounded time when nothing is under way.
 */
export interface McpTransport extends Omit<Transport, 'start' | 'send'> {
  start(): Promise<void> | undefined;
  send(message: JSONRPCMessage): Promise<void> | undefined;
  /** Reason why the connection ended; undefined while the connection lives, and after `close`. */
  readonly lost: SessionLost | undefined;
  /** Protocol revision on the wire, where it differs from the version that the handshake agreed on. */
  readonly revision?: string | undefined;
  /**
   * Step that the first request waits for, and its start in ms of `Date.now`. When missing, the request waits
   * for its answer since it began.
   */
  readonly step?: { readonly for: Waits['for']; readonly since: number } | undefined;
  /** Number of bytes received of a line that is not complete yet. */
  readonly heldBytes?: number;
  closed?(): Promise<void>;
}

/** Opens an HTTP request, as `request` of `node:http` and `node:https` does. */
export type OpenRequest = (url: URL, options: RequestOptions) => ClientRequest;

/** Settings that every transport receives beside the data of its server. */
export interface Around {
  /**
   * Memory for this server with this launch config: whether its last session used the MCP revision without
   * sessions, and whether it was asked for that revision while it was silent. Written by the transport that finds out.
   */
  readonly era: { isStateless: boolean; wasAsked?: boolean };
  readonly resultBytes: number;
  readonly messageBytes: number;
  /** Guards the callbacks of streams: an error of one ends this session. `timers` are guarded by it, too. */
  readonly guard: Guard;
  readonly timers: Timers;
  /** Clock in ms since 1970. */
  readonly now: () => number;
  /** Value of the `User-Agent` header of HTTP requests. */
  readonly userAgent: string;
  /** Opens HTTP requests; by default those of Node do. */
  readonly openRequest?: OpenRequest | undefined;
  readonly notice: (notice: Notice) => void;
  /** Hides secrets in text of a server; applied before the text is cut, because a cut could leave part of a secret. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Hides the id or a cookie of the session, which the server gave, in all later output. */
  readonly hideSession?: ((secret: string) => void) | undefined;
  /** Callback for each JSON-RPC message of the session. `by`: the actor of the host whose request it belongs to. */
  readonly frame: (dir: 'in' | 'out', message: unknown, by?: Address) => void;
}
