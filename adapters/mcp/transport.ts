import type { SessionLost, Waits } from '../../machines/kernel/ports.ts';
import type { Transport } from '@modelcontextprotocol/client';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { Failure } from '../../machines/protocol/failure.ts';
import { sizes } from '../../machines/protocol/protocol.ts';
import type { Timers } from '../clock.ts';

/**
 * The answer to one request may have this many bytes, 10 MiB: as many as any message. An office takes less; a computer cuts
 * what it passes on to less than that (`sizes` in `machines/protocol/protocol.ts`).
 */
export const resultBytes: number = sizes.stdioMessageBytes;

/** Something on the wire that no caller will hear of otherwise. `text` is what a server wrote: not for strangers. */
export interface Notice {
  readonly kind: 'garbage' | 'overlong' | 'unknownId' | 'lateAnswer' | 'lateProgress' | 'protocol';
  readonly text: string;
  readonly bytes: number;
}

/** Rejects `send`: not one byte of the message has left. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}
/** Rejects `send`: what became of this one message; the connection may live on. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly failure: Failure;
  /** False: the server surely has not worked on it. */
  readonly sent: boolean;
  /** It went out, and nobody can say whether the server has worked on it. */
  readonly isLost: boolean;

  constructor(failure: Failure, how: 'unsent' | 'answered' | 'lost') {
    super(failure.message);
    this.failure = failure;
    this.sent = how !== 'unsent';
    this.isLost = how === 'lost';
  }
}

/**
 * One connection, whatever carries its messages. `start` and `send` give undefined when they are done at once, so that a
 * stream in virtual time needs no promise. `send` of a request rejects when it will not be answered for
 * reasons of its own; `onclose` says that nothing will be answered any more. `close` is final: it calls `onclose`
 * at once, and `closed` resolves when nothing is under way, which takes a bounded time.
 */
export interface McpTransport extends Omit<Transport, 'start' | 'send'> {
  start(): Promise<void> | undefined;
  send(message: JSONRPCMessage): Promise<void> | undefined;
  /** Why the connection ended; undefined while it lives, and after `close`. */
  readonly lost: SessionLost | undefined;
  /** What is spoken on the wire, where that is not what the handshake has agreed on. */
  readonly revision?: string | undefined;
  /** What its first request waits for, and since when (ms of `Date.now`). Without it: for the answer, since it began. */
  readonly step?: { readonly for: Waits['for']; readonly since: number } | undefined;
  /** Of a line that has no end yet. */
  readonly heldBytes?: number;
  closed?(): Promise<void>;
}

/** What every transport is given beside the facts of its server. */
export interface Around {
  /** Of this server with this launch config: it spoke the revision without sessions the last time. Written by who finds out. */
  readonly era: { isStateless: boolean };
  readonly resultBytes: number;
  readonly messageBytes: number;
  readonly timers: Timers;
  /** Time as people know it, in ms since 1970. */
  readonly now: () => number;
  /** Who we say we are to whom it is not MCP that is spoken. */
  readonly userAgent: string;
  readonly notice: (notice: Notice) => void;
  /** Hides what nobody may see of what a server wrote; before it is cut, which could leave a part of that. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Hears each JSON-RPC message of the session. */
  readonly frame: (dir: 'in' | 'out', message: unknown) => void;
}
