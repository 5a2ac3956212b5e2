import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import { errorOf, type Envelope } from './envelope.ts';
import type { Notice } from './transport.ts';

/** Hears the one answer; undefined: nobody will answer any more. */
export type Settle = (answer: Envelope | undefined) => void;

/** The SDK counts its ids from 0 and sends a handful per session; ours start where it never gets. */
const firstId = 1_000_000;

/**
 * The SDK's client and our questions on one transport. The client keeps what it is good at (handshake,
 * notifications, requests of the server); a question goes past it, because the client's own way costs a timer,
 * an abort signal, two schema checks and two promises per call, and takes the id "7" for 7.
 * It is itself the `Transport` that the client sees.
 */
export class Questions implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  protocolVersion = '';
  readonly #inner: Transport;
  readonly #notice: (notice: Notice) => void;
  readonly #asked = new Map<unknown, Settle>();
  /** Requests of the client itself. */
  readonly #clients = new Set<unknown>();
  #nextId = firstId;

  constructor(inner: Transport, notice: (notice: Notice) => void) {
    this.#inner = inner;
    this.#notice = notice;
  }

  /** Throws what `JSON.stringify` throws; rejects in the promise only when nothing was sent. */
  ask(
    method: string,
    params: unknown,
    settle: Settle,
  ): { readonly id: number; readonly sent: Promise<void> } {
    const id = this.#nextId++;
    const request = { jsonrpc: '2.0', id, method, params } as JSONRPCMessage;
    this.#asked.set(id, settle);
    try {
      return { id, sent: this.#inner.send(request) };
    } catch (error) {
      this.#asked.delete(id);
      throw error;
    }
  }

  /** The server is told, once, unless it has answered. Its late answer is dropped. */
  withdraw(id: number): void {
    if (!this.#asked.delete(id)) return;
    const params = { requestId: id, reason: 'withdrawn by the caller' };
    this.#inner.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {
      // The stream is gone, and with it the call.
    });
  }

  /** Nothing was sent, or nobody is there to hear the answer. */
  forget(id: number): boolean {
    return this.#asked.delete(id);
  }
  /** Nobody wants an answer any more: the server is told of each, before its input ends. */
  withdrawAll(): void {
    for (const id of [...this.#asked.keys()]) this.withdraw(id as number);
  }
  /** Nobody will answer. One who hears that may ask to forget the others. */
  lose(): void {
    for (const [id, settle] of this.#asked) {
      this.#asked.delete(id);
      settle(undefined);
    }
  }

  start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message) => this.#take(message);
    return this.#inner.start();
  }
  send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message && 'id' in message) this.#clients.add(message.id);
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
    if (envelope.method !== undefined) return this.onmessage?.(message);
    const settle = this.#asked.get(envelope.id);
    if (settle) {
      this.#asked.delete(envelope.id);
      settle(envelope);
    } else if (this.#clients.delete(envelope.id)) this.onmessage?.(readable(message));
    else this.#notice({ kind: 'unknownId', text: JSON.stringify(envelope.id) ?? 'none', bytes: 0 });
  }
}

/** The client passes over a response of foreign shape, and its caller would wait for ever. */
function readable(message: JSONRPCMessage): JSONRPCMessage {
  if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) return message;
  const { id }: Envelope = message;
  const error = errorOf(message) ?? { code: -32603, message: 'the answer is not what JSON-RPC asks for' };
  return { jsonrpc: '2.0', id: id as number, error: { ...error } };
}
