/** Transports to a URL, of which a server that has none loads nothing. */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { Reopen } from './reopening.ts';
import type { SseSpec, StreamableSpec } from './remote.ts';
import { SseTransport } from './sse.ts';
import { StreamableTransport, type Speak } from './streamable.ts';
import { ofOtherTransport } from '../refused-request.ts';
import { type Around, type McpTransport, Refused } from '../transport.ts';
import { WrappingTransport } from '../wrapping.ts';

/** When the second fails as well, the first refusal is reported, unless the second asks for a login. */
class FallbackTransport extends WrappingTransport {
  readonly #makeSecond: () => McpTransport;
  readonly #settled: (isSecond: boolean) => void;
  readonly #first: McpTransport;
  #isFirst = true;
  #isClosed = false;

  constructor(first: McpTransport, makeSecond: () => McpTransport, settled: (isSecond: boolean) => void) {
    super();
    this.#first = first;
    this.#makeSecond = makeSecond;
    this.#settled = settled;
  }
  start(): Promise<void> | undefined {
    return this.begin(this.#first);
  }
  override setProtocolVersion(version: string): void {
    super.setProtocolVersion(version);
    this.#settled(this.inner !== this.#first);
  }
  override send(message: JSONRPCMessage): Promise<void> | undefined {
    const sent = super.send(message);
    // Judges only the answer to `initialize`: the refusal of a request of a newer revision says nothing about the transport.
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
    // Removes the callback, because the end of the first transport must not end the session.
    delete first.onclose;
    await first.close();
    await this.begin(this.#makeSecond());
    await super.send(message);
  }
  override close(): Promise<void> {
    this.#isClosed = true;
    return super.close();
  }
  override async closed(): Promise<void> {
    await Promise.all([this.#first.closed?.(), super.closed()]);
  }
}

const statusOf = (error: unknown): unknown =>
  error instanceof Refused ? error.failure.details?.['http_status'] : undefined;
/** A refusal that names versions of MCP does not concern the transport. */
const isOther = (error: unknown): boolean =>
  ofOtherTransport.includes(Number(statusOf(error))) && (error as Refused).failure.code !== 'NotStartable';

interface Making {
  readonly reopen: Reopen | undefined;
  readonly settled: (kind: 'streamable' | 'sse') => void;
  readonly speak: Speak;
}
export function webTransport(
  spec: StreamableSpec | SseSpec,
  around: Around,
  { reopen, settled, speak }: Making,
): McpTransport {
  if (spec.kind === 'sse') return new SseTransport(spec, around);
  const streamable = new StreamableTransport(spec, around, reopen);
  const first = speak(streamable, streamable);
  if (!spec.fallbackToSse) return first;
  const second = (): McpTransport => new SseTransport({ ...spec, kind: 'sse' }, around);
  return new FallbackTransport(first, second, (isSecond) => settled(isSecond ? 'sse' : 'streamable'));
}
