import type { Timers } from '../../clock.ts';
import { listenedTo, type Answer, type Request } from './revision.ts';
import type { Fields } from '../../../machines/protocol/json.ts';

const againMs = 1_000;
const mostTries = 5;

interface Around {
  readonly timers: Timers;
  /** Rejects when the stream ended without an answer. */
  readonly send: (request: Request, take: (answer: Answer) => void) => Promise<void> | undefined;
  readonly cancel: (requestId: string) => void;
  readonly note: (text: string) => void;
}

/**
 * The one subscription of a session with a server of MCP 2026-07-28: to changes of its lists, and to resources. It is opened again
 * when it ends, or when another resource is followed. `close` ends its timer; the stream ends with the transport.
 */
export class Listening {
  readonly #around: Around;
  readonly #resources = new Set<string>();
  #capabilities: Fields = {};
  #id: string | undefined;
  #numbers = 0;
  #tries = 0;
  #timer: unknown;
  #isOpen = false;
  #isClosed = false;

  constructor(around: Around) {
    this.#around = around;
  }
  open(capabilities: Fields): void {
    this.#capabilities = capabilities;
    this.#isOpen = true;
    this.#listen();
  }
  follow(uri: string, isWanted: boolean): void {
    if (this.#resources.has(uri) === isWanted) return;
    if (isWanted) this.#resources.add(uri);
    else this.#resources.delete(uri);
    this.#soon(0);
  }
  acknowledged(): void {
    this.#tries = 0;
  }
  close(): void {
    this.#isClosed = true;
    this.#around.timers.clearTimeout(this.#timer);
  }
  /** Those that are followed in one turn are one subscription. */
  #soon(ms: number): void {
    const { timers } = this.#around;
    timers.clearTimeout(this.#timer);
    if (!this.#isClosed && this.#isOpen) this.#timer = timers.setTimeout(() => this.#listen(), ms);
  }
  #listen(): void {
    const { send, cancel } = this.#around;
    const before = this.#id;
    this.#id = undefined;
    const notifications = listenedTo(this.#capabilities, this.#resources);
    if (notifications && !this.#isClosed) {
      const id = `listen:${(this.#numbers += 1)}`;
      this.#id = id;
      const request = {
        jsonrpc: '2.0',
        id,
        method: 'subscriptions/listen',
        params: { notifications },
      } as const;
      send(request, ({ error }) => this.#ended(id, error?.message))?.catch(() => this.#ended(id, undefined));
    }
    // Not before: nothing that changes in between is missed.
    if (before !== undefined) cancel(before);
  }
  #ended(id: string, why: string | undefined): void {
    if (this.#id !== id || this.#isClosed) return;
    this.#id = undefined;
    this.#tries += 1;
    if (why === undefined && this.#tries <= mostTries) return this.#soon(againMs);
    this.#around.note(`the server does not tell of changes: ${why ?? 'its stream ends again and again'}`);
  }
}
