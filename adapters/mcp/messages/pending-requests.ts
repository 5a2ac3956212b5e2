import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import type { McpTransport, Around } from '../transport.ts';
import { errorOf, type Envelope } from './envelope.ts';
import { mayProgress } from './methods.ts';
import type { Progress } from '../../../machines/protocol/messages/progress.ts';
import { progressOf } from './notifications.ts';

/** Whoever asked: hears of progress any number of times, then the one answer; undefined: nobody will answer. */
export interface Asker {
  settle(answer: Envelope | undefined): void;
  progress(progress: Progress): void;
}

/** The SDK counts its ids from 0 and sends a handful per session; ours start where it never gets. */
const firstId = 1_000_000;

/**
 * The SDK's client and our questions on one transport. The client keeps what it is good at (handshake, requests of the
 * server); questions go past it, because the client's own way costs a timer, an abort signal, two schema checks and
 * two promises per call, and takes the id "7" for 7; and so do notifications, which it hands on a moment later, when
 * the answer that followed is long there. It is itself the `Transport` that the client sees.
 */
export class PendingRequests implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** Notifications but progress, and `cancelled`, which is the client's. */
  onnotification?: ((method: string, params: unknown) => void) | undefined;
  protocolVersion = '';
  readonly #inner: McpTransport;
  readonly #notice: Around['notice'];
  readonly #frame: Around['frame'];
  /** By id, which is the token of its progress, too. */
  readonly #asked = new Map<unknown, Asker>();
  /** Requests of the client itself. */
  readonly #clients = new Set<unknown>();
  #nextId = firstId;

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
  ): { readonly id: number; readonly sent: Promise<void> } {
    const id = this.#nextId++;
    const said = mayProgress[method] ? withToken(params, id) : params;
    const request = { jsonrpc: '2.0', id, method, params: said } as JSONRPCMessage;
    this.#asked.set(id, asker);
    try {
      return { id, sent: this.#out(request) };
    } catch (error) {
      this.#asked.delete(id);
      throw error;
    }
  }

  /** The server is told, once, unless it has answered. Its late answer is dropped. */
  cancel(id: number): void {
    if (!this.#asked.delete(id)) return;
    const params = { requestId: id, reason: 'withdrawn by the caller' };
    this.#out({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {
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

  start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message) => {
      this.#frame('in', message);
      this.#take(message);
    };
    return this.#inner.start();
  }
  send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message && 'id' in message) this.#clients.add(message.id);
    return this.#out(message);
  }
  #out(message: JSONRPCMessage): Promise<void> {
    this.#frame('out', message);
    return this.#inner.send(message);
  }
  close(): Promise<void> {
    return this.#inner.close();
  }
  setProtocolVersion(version: string): void {
    this.protocolVersion = version;
    this.#inner.setProtocolVersion?.(version);
  }

  #take(message: JSONRPCMessage): void {
    const envelope: Envelope = message;
    const { id, method, params } = envelope;
    if (typeof method === 'string' && id === undefined) return this.#hear(method, params, message);
    if (method !== undefined) return this.onmessage?.(message);
    const asker = this.#asked.get(id);
    if (asker) {
      this.#asked.delete(id);
      asker.settle(envelope);
    } else if (this.#clients.delete(id)) this.onmessage?.(readable(message));
    else {
      const kind = this.#wasAsked(id) ? 'lateAnswer' : 'unknownId';
      this.#notice({ kind, text: JSON.stringify(id) ?? 'none', bytes: 0 });
    }
  }
  /** One of our questions, which is over. */
  #wasAsked(id: unknown): boolean {
    return typeof id === 'number' && Number.isInteger(id) && id >= firstId && id < this.#nextId;
  }
  #hear(method: string, params: unknown, message: JSONRPCMessage): void {
    if (method === 'notifications/progress') return this.#progress(params);
    if (method === 'notifications/cancelled') return this.onmessage?.(message);
    this.onnotification?.(method, params);
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

/** The client passes over a response of foreign shape, and its caller would wait for ever. */
function readable(message: JSONRPCMessage): JSONRPCMessage {
  if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) return message;
  const { id }: Envelope = message;
  const error = errorOf(message) ?? { code: -32603, message: 'the answer is not what JSON-RPC asks for' };
  return { jsonrpc: '2.0', id: id as number, error: { ...error } };
}
