import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { Refused, type Carrier } from '../carrier.ts';

/**
 * A URL of which nobody said what it speaks: the first carrier gets the first request; when the server refuses that
 * with a 4xx other than 401 and 403, the second gets it, once. When that fails, too, the first refusal stands.
 */
export class FallbackTransport implements Carrier {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Carrier['onmessage'];
  readonly #makeSecond: () => Carrier;
  readonly #settled: (isSecond: boolean) => void;
  readonly #first: Carrier;
  #carrier: Carrier;
  #isFirst = true;
  #isClosed = false;

  constructor(first: Carrier, makeSecond: () => Carrier, settled: (isSecond: boolean) => void) {
    this.#first = first;
    this.#carrier = first;
    this.#makeSecond = makeSecond;
    this.#settled = settled;
  }
  get lostBecause(): string | undefined {
    return this.#carrier.lostBecause;
  }
  get isExpired(): boolean {
    return this.#carrier.isExpired === true;
  }
  get step(): Carrier['step'] {
    return this.#carrier.step;
  }
  start(): Promise<void> {
    return this.#begin();
  }
  setProtocolVersion(version: string): void {
    this.#carrier.setProtocolVersion?.(version);
    this.#settled(this.#carrier !== this.#first);
  }
  send(message: JSONRPCMessage): Promise<void> {
    const sent = this.#carrier.send(message);
    if (!this.#isFirst) return sent;
    this.#isFirst = false;
    return sent.catch((error: unknown) => {
      if (!isOther(error) || this.#isClosed) throw error;
      return this.#fallBack(message).catch(() => Promise.reject(error));
    });
  }
  async #fallBack(message: JSONRPCMessage): Promise<void> {
    const first = this.#first;
    // Its end is not ours.
    delete first.onclose;
    await first.close();
    this.#carrier = this.#makeSecond();
    await this.#begin();
    await this.#carrier.send(message);
  }
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#carrier.close();
  }
  async closed(): Promise<void> {
    await Promise.all([this.#first.closed?.(), this.#carrier.closed?.()]);
  }
  #begin(): Promise<void> {
    const carrier = this.#carrier;
    carrier.onclose = () => this.onclose?.();
    carrier.onerror = (error) => this.onerror?.(error);
    carrier.onmessage = (message, extra) => this.onmessage?.(message, extra);
    return carrier.start();
  }
}

function isOther(error: unknown): boolean {
  const status = error instanceof Refused ? error.failure.details?.['http_status'] : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 && status !== 401 && status !== 403;
}
