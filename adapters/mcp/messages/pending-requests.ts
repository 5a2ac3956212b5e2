import { TransientMap } from '../../../machines/kernel/objects.ts';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { isAnswer, isNotification } from '../lenient.ts';
import { Refused, type McpTransport, type Around } from '../transport.ts';
import type { Envelope } from './envelope.ts';
import { mayProgress } from './methods.ts';
import type { Progress } from '../../../machines/protocol/messages/messages.ts';
import { progressOf } from './notifications.ts';

/** Whoever asked: hears of progress any number of times, then the one answer; undefined: nobody will answer. */
export interface Asker {
  settle(answer: Envelope | undefined): void;
  progress(progress: Progress): void;
}

/** The first question is `initialize`, which nobody may cancel (MCP, lifecycle). */
const greetingId = 0;

/**
 * Our questions on one transport, and what the server asks and says by itself. An answer goes to who asked with its id;
 * requests and notifications are passed on at once, in the order in which they came.
 */
export class PendingRequests {
  onclose: () => void = () => {};
  onrequest: (request: Envelope) => void = () => {};
  /** Notifications but progress, which goes to who asked. */
  onnotification: (method: string, params: unknown) => void = () => {};
  protocolVersion = '';
  readonly #inner: McpTransport;
  readonly #notice: Around['notice'];
  readonly #frame: Around['frame'];
  /** By id, which is the token of its progress, too. */
  readonly #asked = new TransientMap<unknown, Asker>();
  #nextId = 0;

  constructor(inner: McpTransport, { notice, frame }: Pick<Around, 'notice' | 'frame'>) {
    this.#inner = inner;
    this.#notice = notice;
    this.#frame = frame;
  }

  /** Throws what `JSON.stringify` throws; rejects in the promise when it will not be answered. */
  request(
    method: string,
    params: unknown,
    asker: Asker,
  ): { readonly id: number; readonly sent: Promise<void> | undefined } {
    const id = this.#nextId++;
    const said = mayProgress[method] ? withToken(params, id) : params;
    const request = { jsonrpc: '2.0', id, method, params: said } as JSONRPCMessage;
    this.#asked.set(id, asker);
    try {
      return { id, sent: this.send(request) };
    } catch (error) {
      this.#asked.delete(id);
      throw error;
    }
  }

  /** Rejects when it cannot go out. */
  notify(method: string, params?: Readonly<Record<string, unknown>>): Promise<void> | undefined {
    return this.send({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  /** The server is told, once, unless it has answered. Its late answer is dropped. */
  cancel(id: number): void {
    if (!this.#asked.delete(id) || id === greetingId) return;
    const params = { requestId: id, reason: 'withdrawn by the caller' };
    this.notify('notifications/cancelled', params)?.catch(() => {
      // The stream is gone, and with it the call.
    });
  }

  /** Nothing was sent, or nobody is there to hear the answer. */
  forget(id: number): boolean {
    return this.#asked.delete(id);
  }
  /** Nobody wants an answer any more: the server is told of each, before its input ends. */
  withdrawAll(): void {
    for (const id of [...this.#asked.keys()]) this.cancel(id as number);
  }
  /** Nobody will answer. One who hears that may ask to forget the others. */
  lose(): void {
    for (const [id, asker] of this.#asked) {
      this.#asked.delete(id);
      asker.settle(undefined);
    }
  }

  start(): Promise<void> | undefined {
    this.#inner.onclose = () => this.onclose();
    this.#inner.onerror = ({ message: text }) => this.#notice({ kind: 'protocol', text, bytes: 0 });
    this.#inner.onmessage = (message) => {
      this.#frame('in', message);
      this.#take(message);
    };
    return this.#inner.start();
  }
  send(message: JSONRPCMessage): Promise<void> | undefined {
    this.#frame('out', message);
    const sent = this.#inner.send(message);
    if (!('method' in message) || message.method !== 'notifications/initialized') return sent;
    return sent?.catch((error: unknown) => {
      if (!isMere(error)) throw error;
      this.#notice({ kind: 'protocol', text: `notifications/initialized: ${error.message}`, bytes: 0 });
    });
  }
  setProtocolVersion(version: string): void {
    this.protocolVersion = version;
    this.#inner.setProtocolVersion?.(version);
  }

  #take(envelope: Envelope): void {
    const { id, method, params } = envelope;
    if (isNotification(envelope)) return this.#hear(String(method), params);
    if (!isAnswer(envelope)) return this.onrequest(envelope);
    const asker = this.#asked.get(id);
    if (asker) {
      this.#asked.delete(id);
      return asker.settle(envelope);
    }
    // One of our questions, which is over.
    const wasAsked = Number.isInteger(id) && Number(id) >= 0 && Number(id) < this.#nextId;
    const text = JSON.stringify(id) ?? 'none';
    this.#notice({ kind: wasAsked ? 'lateAnswer' : 'unknownId', text, bytes: 0 });
  }
  #hear(method: string, params: unknown): void {
    if (method === 'notifications/progress') return this.#progress(params);
    this.onnotification(method, params);
  }
  /** Nobody asked with this token, or it is answered already: dropped, and counted. */
  #progress(params: unknown): void {
    const { token, progress } = progressOf(params);
    const asker = this.#asked.get(token);
    const text = JSON.stringify(token) ?? 'none';
    if (!asker) this.#notice({ kind: 'lateProgress', text, bytes: 0 });
    else if (progress) asker.progress(progress);
    else this.#notice({ kind: 'protocol', text: `progress without a number for ${text}`, bytes: 0 });
  }
}

/** The params with our token; what else the caller put beside it stays. */
function withToken(params: unknown, progressToken: number): object {
  const said = params as { readonly _meta?: object } | undefined;
  // Nothing is spread first and grows then: such an object gets a hidden class of its own each time.
  if (!said || !('_meta' in said)) return { _meta: { progressToken }, ...said };
  return { ...said, _meta: { ...said._meta, progressToken } };
}

/** A notification has no answer, and a server that refuses one by its status works all the same, unless it wants a login. */
function isMere(error: unknown): error is Refused {
  const status = error instanceof Refused ? Number(error.failure.details?.['http_status'] ?? 0) : 0;
  return status >= 400 && status !== 401;
}
