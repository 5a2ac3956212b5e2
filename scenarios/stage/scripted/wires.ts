import { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Around, McpTransport, Refused } from '../../../adapters/mcp/index.ts';
import { Inbox } from '../../../adapters/mcp/messages/inbox.ts';
import type { ListKind, SessionLost } from '../../../machines/kernel/ports.ts';

/** JSON-RPC message as a server reads it. */
export interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Notification of a server. */
export interface News {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: object;
}
export const listChanged = (list: ListKind): News => ({
  jsonrpc: '2.0',
  method: `notifications/${list}/list_changed`,
});
export const resourceUpdated = (uri: string): News => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri },
});

/** Pipes of a scripted process: data written to one end is read at the other in the same turn. */
export class Pipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly #in: EventEmitter;
  readonly #out: EventEmitter;

  constructor(read: (message: Message) => void) {
    this.#in = Object.assign(new EventEmitter(), {
      writable: true,
      // Constant 1, because each message is a write of its own.
      writableCorked: 1,
      write: (line: string) => read(JSON.parse(line) as Message),
    });
    this.#out = Object.assign(new EventEmitter(), { readable: true, resume: () => {} });
    this.stdin = this.#in as Writable;
    this.stdout = this.#out as Readable;
  }
  /** Writes one line of the process's output. */
  write(line: string): void {
    this.#out.emit('data', Buffer.from(`${line}\n`));
  }
  /** Ends the output of the process. */
  end(): void {
    this.#out.emit('end');
  }
  /** Breaks the input of the process: later writes fail. */
  break(): void {
    this.#in.emit('error', Object.assign(new Error('broken pipe'), { code: 'EPIPE' }));
  }
}

/** Outcome of sending one message, reported synchronously: a promise would report only after the turn. */
export class Posting {
  #heard: ((refused: Refused) => void) | undefined;

  refuse(refused: Refused): void {
    this.#heard?.(refused);
  }
  catch(heard: (refused: Refused) => void): void {
    this.#heard = heard;
  }
}

/** Server side of a session without a process. */
export interface RemoteEnd {
  begin(): void;
  /** Reads a message; `posting` comes with a request. */
  read(message: Message, posting?: Posting): void;
  leave(): void;
}
/** Transport to a scripted server without a process, instead of HTTP. */
export class ScriptedCarrier implements McpTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: McpTransport['onmessage'];
  lost: SessionLost | undefined;
  readonly step: NonNullable<McpTransport['step']>;
  readonly #end: RemoteEnd;
  readonly #inbox: Inbox;
  #isOver = false;

  constructor(end: RemoteEnd, around: Around) {
    this.#end = end;
    this.#inbox = new Inbox(around, (message) => this.onmessage?.(message));
    this.step = { for: 'headers', since: around.now() };
  }
  start(): undefined {
    this.#end.begin();
  }
  send(message: object): Promise<void> | undefined {
    const copy = JSON.parse(JSON.stringify(message)) as Message;
    if (copy.id === undefined) {
      this.#end.read(copy);
      return undefined;
    }
    const posting = new Posting();
    this.#end.read(copy, posting);
    return posting as unknown as Promise<void>;
  }
  deliver(message: object): void {
    if (this.#isOver) return;
    const text = JSON.stringify(message);
    this.#inbox.text(text, Buffer.byteLength(text));
  }
  lose(lost: SessionLost): void {
    if (this.#isOver) return;
    this.lost = lost;
    void this.close();
  }
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end.leave();
    this.onclose?.();
  }
}
