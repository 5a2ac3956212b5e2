import type { ClientRequest, RequestOptions } from 'node:http';
import type { Address } from '../../machines/kernel/effects.ts';
import type { SessionLost, Waits } from '../../machines/ports/session.ts';
import type { Transport } from '@modelcontextprotocol/client';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { Failure } from '../../machines/protocol/failure.ts';
import { sizes } from '../../machines/protocol/sizes.ts';
import type { Timers } from '../clock.ts';
import type { Guard } from '../guard.ts';

/** Not taken from the SDK, which takes longer to load than a short command to run. */
export const latestSessionRevision = '2025-11-25';
export const sessionRevisions: readonly string[] = [
  latestSessionRevision,
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/** In bytes. An office takes less, so a computer cuts results (`sizes` in `machines/protocol/protocol.ts`). */
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
  /** Start in ms of `Date.now`. When missing, the request waits for its answer since it began. */
  readonly step?: { readonly for: Waits['for']; readonly since: number } | undefined;
  readonly heldBytes?: number;
  closed?(): Promise<void>;
}

export type OpenRequest = (url: URL, options: RequestOptions) => ClientRequest;

export interface Around {
  readonly resultBytes: number;
  readonly messageBytes: number;
  /** An error of one callback of a stream ends this session. `timers` are guarded by it, too. */
  readonly guard: Guard;
  readonly timers: Timers;
  readonly now: () => number;
  readonly userAgent: string;
  readonly openRequest?: OpenRequest | undefined;
  readonly notice: (notice: Notice) => void;
  /** Hides secrets in text of a server; applied before the text is cut, because a cut could leave part of a secret. */
  readonly redact?: ((text: string) => string) | undefined;
  readonly hideSession?: ((secret: string) => void) | undefined;
  readonly frame: (dir: 'in' | 'out', message: unknown, by?: Address) => void;
}
