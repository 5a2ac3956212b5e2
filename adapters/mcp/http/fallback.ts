import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { ofOtherTransport } from '../refused-request.ts';
import { Refused, type McpTransport } from '../transport.ts';

/**
 * Transport for a URL without a given type: the first transport sends `initialize`; when the server
 * refuses it in a way that may concern the transport, the second sends it, once. When the second fails as
 * well, the first refusal is reported, unless the second asks for a login.
 */
export class FallbackTransport implements McpTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: McpTransport['onmessage'];
  readonly #makeSecond: () => McpTransport;
  readonly #settled: (isSecond: boolean) => void;
  readonly #first: McpTransport;
  #transport: McpTransport;
  #isFirst = true;
  #isClosed = false;

  constructor(first: McpTransport, makeSecond: () => McpTransport, settled: (isSecond: boolean) => void) {
    this.#first = first;
    this.#transport = first;
    this.#makeSecond = makeSecond;
    this.#settled = settled;
  }
  get lost(): McpTransport['lost'] {
    return this.#transport.lost;
  }
  get step(): McpTransport['step'] {
    return this.#transport.step;
  }
  get revision(): string | undefined {
    return this.#transport.revision;
  }
  start(): Promise<void> | undefined {
    return this.#begin();
  }
  setProtocolVersion(version: string): void {
    this.#transport.setProtocolVersion?.(version);
    this.#settled(this.#transport !== this.#first);
  }
  send(message: JSONRPCMessage): Promise<void> | undefined {
    const sent = this.#transport.send(message);
    // Another request comes first from a client that tries a newer revision: its refusal says nothing of the transport.
    if (!this.#isFirst || !('method' in message) || message.method !== 'initialize') return sent;
    this.#isFirst = false;
    return sent?.catch((error: unknown) => {
      if (!isOther(error) || this.#isClosed) throw error;
      return this.#fallBack(message).catch((second: unknown) =>
        Promise.reject(statusOf(second) === 401 ? second : error),
      );
    });
  }
  async #fallBack(message: JSONRPCMessage): Promise<void> {
    const first = this.#first;
    // The callback is removed, because the end of the first transport must not end the session.
    delete first.onclose;
    await first.close();
    this.#transport = this.#makeSecond();
    await this.#begin();
    await this.#transport.send(message);
  }
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#transport.close();
  }
  async closed(): Promise<void> {
    await Promise.all([this.#first.closed?.(), this.#transport.closed?.()]);
  }
  #begin(): Promise<void> | undefined {
    const transport = this.#transport;
    transport.onclose = () => this.onclose?.();
    transport.onerror = (error) => this.onerror?.(error);
    transport.onmessage = (message, extra) => this.onmessage?.(message, extra);
    return transport.start();
  }
}

const statusOf = (error: unknown): unknown =>
  error instanceof Refused ? error.failure.details?.['http_status'] : undefined;
const isOther = (error: unknown): boolean => ofOtherTransport.includes(Number(statusOf(error)));
