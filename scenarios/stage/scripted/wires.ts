import { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { ListKind } from '../../../machines/ports/session.ts';

/** JSON-RPC message as a server reads it. */
export interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

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

/** Data written to one end is read at the other in the same turn. */
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
  write(line: string): void {
    this.#out.emit('data', Buffer.from(`${line}\n`));
  }
  end(): void {
    this.#out.emit('end');
  }
  /** Later writes fail. */
  break(): void {
    this.#in.emit('error', Object.assign(new Error('broken pipe'), { code: 'EPIPE' }));
  }
}
