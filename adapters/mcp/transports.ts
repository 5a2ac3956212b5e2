import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { SessionInput } from '../../machines/ports/session.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';
import type { Ledger } from '../process/reaper/ledger.ts';
import { notStartable } from './http/http-failures.ts';
import { LinkedTransport } from './http/linked.ts';
import type { RemoteSpec } from './http/remote.ts';
import type { Reopen } from './http/reopening.ts';
import { SseTransport } from './http/sse.ts';
import { StreamableTransport } from './http/streamable.ts';
import { notConnected } from './messages/refusal.ts';
import { ofOtherTransport } from './refused-request.ts';
import { headersOf, keys } from './stateless/revision.ts';
import { StatelessTransport } from './stateless/stateless.ts';
import { StreamTransport } from './stream-transport.ts';
import { type Around, type McpTransport, Refused } from './transport.ts';

/** When the second fails as well, the first refusal is reported, unless the second asks for a login. */
class FallbackTransport implements McpTransport {
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
/** A refusal that names versions of MCP does not concern the transport. */
const isOther = (error: unknown): boolean =>
  ofOtherTransport.includes(Number(statusOf(error))) && (error as Refused).failure.code !== 'NotStartable';

export interface TransportOptions {
  readonly ledger: Pick<Ledger, 'streamsOf'>;
  readonly remoteOf?: (server: string, spec: number) => RemoteSpec | undefined;
  readonly settledKind?: (server: string, spec: number, kind: 'streamable' | 'sse') => void;
  /** Limits for opening a broken event stream again: 5 times by default, the first after 1 s. */
  readonly reopen?: Reopen;
}

type Speak = (transport: McpTransport, http?: StreamableTransport) => McpTransport;
/** A foreign client speaks the revision itself; over HTTP only the headers that repeat parts are added. */
export const unspoken: Speak = (transport, http) => {
  if (http)
    http.headersFor = (request) => {
      const version = fieldsOf(request.params?.['_meta'])[keys.version];
      return typeof version === 'string' ? headersOf(request, version) : {};
    };
  return transport;
};

/** `speak` adds the translation between revisions of MCP, which a relay does not have. */
export function transportOf(
  options: TransportOptions,
  input: SessionInput,
  around: Around,
  speak: Speak = (transport, http) => new StatelessTransport(transport, around, http),
): { readonly transport: McpTransport } | { readonly failure: Failure } {
  const { server, spec: number, process } = input;
  if (process !== null) {
    const streams = options.ledger.streamsOf(process);
    if (!streams) return { failure: notConnected };
    return { transport: speak(new StreamTransport(streams, around)) };
  }
  const spec = options.remoteOf?.(server, number);
  if (!spec)
    return {
      failure: notStartable(
        'nothing is known of this server: neither a process, nor a URL, nor one inside this host',
        'give the server a command or a URL, or connect it under its name',
      ),
    };
  if ('url' in spec && isWeb(spec) && !isUsable(spec.url))
    return {
      failure: notStartable('its URL is not one of http:// or https://', 'mend the URL of this server'),
    };
  const settled = (kind: 'streamable' | 'sse'): void => options.settledKind?.(server, number, kind);
  return { transport: made(options, spec, around, { settled, speak }) };
}

const isWeb = ({ kind }: RemoteSpec): boolean => kind === 'streamable' || kind === 'sse';
const isUsable = (url: unknown): boolean =>
  typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

function made(
  { reopen }: TransportOptions,
  spec: RemoteSpec,
  around: Around,
  { settled, speak }: { readonly settled: (kind: 'streamable' | 'sse') => void; readonly speak: Speak },
): McpTransport {
  switch (spec.kind) {
    case 'streamable': {
      const streamable = new StreamableTransport(spec, around, reopen);
      const first = speak(streamable, streamable);
      if (!spec.fallbackToSse) return first;
      const second = (): McpTransport => new SseTransport({ ...spec, kind: 'sse' }, around);
      const remember = (isSecond: boolean): void => settled(isSecond ? 'sse' : 'streamable');
      return new FallbackTransport(first, second, remember);
    }
    case 'sse':
      return new SseTransport(spec, around);
    case 'inmemory':
    case 'own':
      return new LinkedTransport(spec, around);
  }
}
