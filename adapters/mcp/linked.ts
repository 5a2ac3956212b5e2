import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { NotSent, Refused, type Around, type Carrier } from './carrier.ts';
import { notStartable } from './http-failures.ts';
import { Inbox } from './inbox.ts';
import type { InMemorySpec } from './remote.ts';

const nothing = (): void => {};

/**
 * A server in our own process, over our end of a linked pair. What goes through is written and read as JSON, as on
 * any other wire: neither side ever holds an object of the other, and sizes are counted.
 */
export class LinkedTransport implements Carrier {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Carrier['onmessage'];
  lostBecause: string | undefined;
  readonly #connect: InMemorySpec['connect'];
  readonly #inbox: Inbox;
  #end: Transport | undefined;
  #isOver = false;

  constructor({ connect }: InMemorySpec, around: Around) {
    this.#connect = connect;
    this.#inbox = new Inbox(around, (message) => this.#isOver || this.onmessage?.(message));
  }
  async start(): Promise<void> {
    const end = await this.#made();
    // Closed while the server was being made.
    if (this.#isOver) return end.close();
    this.#end = end;
    end.onclose = () => this.#lose('the server closed the connection');
    end.onerror = (error) => this.onerror?.(error);
    // Later, so that nobody is answered while he is still asking.
    end.onmessage = (message) => queueMicrotask(() => this.#receive(message));
    return end.start();
  }
  send(message: JSONRPCMessage): Promise<void> {
    const copy = JSON.parse(JSON.stringify(message)) as JSONRPCMessage;
    if (this.#isOver || !this.#end) return Promise.reject(new NotSent('the server is gone'));
    return this.#end.send(copy).catch((error: unknown) => {
      throw new NotSent(String(error));
    });
  }
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.onclose?.();
    await this.#end?.close();
  }

  async #made(): Promise<Transport> {
    try {
      return await this.#connect();
    } catch {
      const failure = notStartable(
        'the server inside this host could not be made',
        'look at what the host connects under this name',
      );
      throw new Refused(failure, 'unsent');
    }
  }
  #receive(message: JSONRPCMessage): void {
    if (this.#isOver) return;
    let text: string | undefined;
    try {
      text = JSON.stringify(message);
    } catch {
      // Told below: a message that no JSON can hold.
    }
    if (text === undefined) this.#inbox.garbage('a message that is not JSON', 0);
    else this.#inbox.text(text, Buffer.byteLength(text));
  }
  #lose(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.lostBecause = reason;
    this.onclose?.();
    this.#end?.close().catch(nothing);
  }
}
