import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Readable, Writable } from 'node:stream';
import { isResponse, tooLargeError, type Envelope } from './envelope.ts';
import { sizes } from '../../machines/wire/protocol.ts';
import { createFramer, messageBytes, type Framer } from './framing.ts';
import { responseIdOf } from './overlong-id.ts';

/** The answer to one request may have this many bytes. Below what an office takes, and that below `messageBytes`. */
export const resultBytes: number = sizes.resultBytes;
/** Input broken, output not: answers may still lie in the pipe, so the end of the output is awaited this long. */
const brokenInputMs = 50;

/** Rejects `send`: not one byte of the message has left. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
}

/** Something on the stream that no caller will hear of otherwise. `text` is what a server wrote: not for strangers. */
export interface Notice {
  readonly kind: 'garbage' | 'overlong' | 'unknownId' | 'protocol';
  readonly text: string;
  readonly bytes: number;
}
export interface TransportOptions {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly resultBytes?: number | undefined;
  readonly messageBytes?: number | undefined;
  readonly notice?: ((notice: Notice) => void) | undefined;
}

const sent = Promise.resolve();

/**
 * MCP over the streams of a process that somebody else owns: `close` only lets go of them. An answer over the
 * limit reaches its caller as a JSON-RPC error, and the connection lives.
 */
export class StreamTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** Why the stream ended; undefined while it lives, and after `close`. */
  lostBecause: string | undefined;
  readonly #options: TransportOptions;
  readonly #resultBytes: number;
  readonly #framer: Framer;
  #isOver = false;
  #drained: Promise<void> | undefined;
  #release = (): void => {};
  #brokenInput: NodeJS.Timeout | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#resultBytes = options.resultBytes ?? resultBytes;
    this.#framer = createFramer(
      {
        message: (value, bytes) => this.#receive(value, bytes),
        garbage: (text, bytes) => this.#notice({ kind: 'garbage', text, bytes }),
        overlong: (head, tail, bytes) => this.#receiveOverlong(head, tail, bytes),
      },
      options.messageBytes ?? messageBytes,
    );
  }

  /** Rejects when the process has already closed its output. */
  start(): Promise<void> {
    const { stdin, stdout } = this.#options;
    if (!stdout.readable) {
      this.#isOver = true;
      this.lostBecause = 'the server had already ended';
      return Promise.reject(new NotSent(this.lostBecause));
    }
    stdin.on('error', this.#onInputError).on('drain', this.#onDrain);
    stdout.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onEnd);
    return sent;
  }

  /** Resolves when the pipe takes more; rejects with `NotSent` when it takes nothing any more. */
  send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#options;
    if (this.#isOver || !stdin.writable) return Promise.reject(new NotSent('the server takes no more input'));
    if (stdin.write(`${JSON.stringify(message)}\n`)) return sent;
    this.#drained ??= new Promise((resolve) => {
      this.#release = resolve;
    });
    return this.#drained;
  }

  close(): Promise<void> {
    if (!this.#isOver) this.#end();
    return sent;
  }

  #end(): void {
    const { stdin, stdout } = this.#options;
    this.#isOver = true;
    clearTimeout(this.#brokenInput);
    stdin.off('error', this.#onInputError).off('drain', this.#onDrain);
    stdout.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd);
    // A server that still writes must not get stuck in a full pipe: it would never see that its input ended.
    stdout.resume();
    this.#release();
    this.onclose?.();
  }
  #lose(reason: string): void {
    if (this.#isOver) return;
    this.lostBecause = reason;
    this.#end();
  }

  readonly #onData = (chunk: Buffer): void => this.#framer.push(chunk);
  readonly #onEnd = (): void => {
    if (this.#isOver) return;
    this.#framer.end();
    this.#lose('the server closed its output');
  };
  readonly #onInputError = (error: Error): void => {
    const reason = `the server closed its input (${'code' in error ? String(error.code) : error.message})`;
    this.#brokenInput ??= setTimeout(() => this.#lose(reason), brokenInputMs);
  };
  readonly #onDrain = (): void => {
    this.#drained = undefined;
    this.#release();
  };

  #receive(value: object, bytes: number): void {
    if (this.#isOver) return;
    // Batches were part of MCP 2025-03-26.
    if (Array.isArray(value)) {
      for (const one of value) if (typeof one === 'object' && one !== null) this.#receive(one, bytes);
      return;
    }
    const message: Envelope = value;
    if (bytes > this.#resultBytes && isResponse(message)) this.#refuse(message.id as RequestId, bytes);
    else this.onmessage?.(value as JSONRPCMessage);
  }
  #receiveOverlong(head: string, tail: string, bytes: number): void {
    const id = responseIdOf(head, tail);
    if (id === undefined) this.#notice({ kind: 'overlong', text: head.slice(0, 200), bytes });
    else if (!this.#isOver) this.#refuse(id, bytes);
  }
  #refuse(id: RequestId, bytes: number): void {
    const error = tooLargeError(bytes, this.#resultBytes);
    this.onmessage?.({ jsonrpc: '2.0', id, error: { ...error } });
  }
  #notice(notice: Notice): void {
    if (!this.#isOver) this.#options.notice?.(notice);
  }
}
