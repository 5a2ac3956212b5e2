import type { SessionLost } from '../../machines/ports/session.ts';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { Readable, Writable } from 'node:stream';
import { NotSent, type Around, type McpTransport } from './transport.ts';
import { createFramer, type Framer, Inbox } from './messages/framing.ts';

/** Time in ms for which the output of a process is still read after its input broke, because answers may still lie in the pipe. */
const brokenInputMs = 50;

export interface Streams {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/** `close` ends the use of the streams, and not the process, which is owned elsewhere. */
export class StreamTransport implements McpTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: McpTransport['onmessage'];
  lost: SessionLost | undefined;
  readonly #options: Streams;
  readonly #framer: Framer;
  readonly #onData: (chunk: Buffer) => void;
  readonly #onEnd: () => void;
  #isOver = false;
  readonly #timers: Around['timers'];
  #brokenInput: unknown;

  constructor(
    options: Streams,
    around: Pick<Around, 'resultBytes' | 'messageBytes' | 'notice' | 'timers' | 'guard'>,
  ) {
    this.#options = options;
    this.#timers = around.timers;
    this.#onData = around.guard((chunk: Buffer) => this.#framer.push(chunk));
    this.#onEnd = around.guard(() => this.#finish());
    const { resultBytes } = around;
    const notice: Around['notice'] = (seen) => this.#isOver || around.notice(seen);
    const inbox = new Inbox({ resultBytes, notice }, (message) => this.#isOver || this.onmessage?.(message));
    this.#framer = createFramer(inbox, around.messageBytes);
  }

  get heldBytes(): number {
    return this.#framer.held();
  }
  /** Rejects when the process has already closed its output. */
  start(): Promise<void> | undefined {
    const { stdin, stdout } = this.#options;
    if (!stdout.readable) {
      this.#isOver = true;
      const reason = 'the server had already ended';
      this.lost = { reason };
      return Promise.reject(new NotSent(reason));
    }
    stdin.on('error', this.#onInputError);
    stdout.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onEnd);
    return undefined;
  }

  /** Rejects with `NotSent` when the pipe of the process is closed. */
  send(message: JSONRPCMessage): Promise<void> | undefined {
    const { stdin } = this.#options;
    if (this.#isOver || !stdin.writable) return Promise.reject(new NotSent('the server takes no more input'));
    this.#gather();
    stdin.write(`${JSON.stringify(message)}\n`);
    return undefined;
  }

  /** One write for all messages of a turn of the event loop, because each write would wake the server. */
  #gather(): void {
    const { stdin } = this.#options;
    if (stdin.writableCorked > 0) return;
    stdin.cork();
    process.nextTick(() => stdin.uncork());
  }
  close(): Promise<void> {
    if (!this.#isOver) this.#end();
    return Promise.resolve();
  }

  #end(): void {
    const { stdin, stdout } = this.#options;
    this.#isOver = true;
    this.#timers.clearTimeout(this.#brokenInput);
    stdin.off('error', this.#onInputError);
    stdout.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd);
    // Drops the output, because a server that is stuck in a full pipe would never see that its input ended.
    stdout.resume();
    this.onclose?.();
  }
  #lose(reason: string): void {
    if (this.#isOver) return;
    this.lost = { reason };
    this.#end();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#framer.end();
    this.#lose('the server closed its output');
  }
  readonly #onInputError = (error: Error): void => {
    const reason = `the server closed its input (${'code' in error ? String(error.code) : error.message})`;
    this.#brokenInput ??= this.#timers.setTimeout(() => this.#lose(reason), brokenInputMs);
  };
}
