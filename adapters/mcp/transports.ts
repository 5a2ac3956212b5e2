import type { SessionInput } from '../../machines/ports/session.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';
import type { Ledger } from '../process/reaper/ledger.ts';
import type { LinkedTransport } from './http/linked.ts';
import type { InMemorySpec, OwnSpec, RemoteSpec } from './http/remote.ts';
import type { Reopen } from './http/reopening.ts';
import type { Speak } from './http/streamable.ts';
import type { webTransport } from './http/web-transports.ts';
import { notConnected, notStartable } from './messages/refusal.ts';
import { headersOf, keys } from './stateless/revision.ts';
import { StatelessTransport } from './stateless/stateless.ts';
import { StreamTransport } from './stream-transport.ts';
import { during } from '../clock.ts';
import type { Around, McpTransport } from './transport.ts';
import { WrappingTransport } from './wrapping.ts';

export interface TransportOptions {
  readonly ledger: Pick<Ledger, 'streamsOf'>;
  readonly remoteOf?: (server: string, spec: number) => RemoteSpec | undefined;
  readonly settledKind?: (server: string, spec: number, kind: 'streamable' | 'sse') => void;
  /** Limits for opening a broken event stream again: 5 times by default, the first after 1 s. */
  readonly reopen?: Reopen;
}

type Web = { readonly webTransport: typeof webTransport };
let web: Web | undefined;
/** Transports to URLs, loaded with the first of them. */
export const loadWeb = async (): Promise<Web> => (web ??= await during(import('./http/web-transports.ts')));

/** Transport whose module is loaded when it starts. */
class LaterTransport extends WrappingTransport {
  readonly #open: () => Promise<McpTransport>;
  #isClosed = false;

  constructor(open: () => Promise<McpTransport>) {
    super();
    this.#open = open;
  }
  async start(): Promise<void> {
    const transport = await this.#open();
    if (this.#isClosed) return transport.close();
    await this.begin(transport);
  }
  override close(): Promise<void> {
    this.#isClosed = true;
    if (!this.inner) this.onclose?.();
    return super.close();
  }
}

let Linked: typeof LinkedTransport | undefined;
/** Loads connections inside of the host with the first of them. */
const linkedTo = (spec: InMemorySpec | OwnSpec, around: Around): McpTransport =>
  Linked
    ? new Linked(spec, around)
    : new LaterTransport(async () => {
        Linked ??= (await during(import('./http/linked.ts'))).LinkedTransport;
        return new Linked(spec, around);
      });

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
  if ('url' in spec && !isUsable(spec.url))
    return {
      failure: notStartable('its URL is not one of http:// or https://', 'fix the URL of this server'),
    };
  const settled = (kind: 'streamable' | 'sse'): void => options.settledKind?.(server, number, kind);
  if (spec.kind === 'inmemory' || spec.kind === 'own') return { transport: linkedTo(spec, around) };
  const making = { reopen: options.reopen, settled, speak };
  if (web) return { transport: web.webTransport(spec, around, making) };
  return {
    transport: new LaterTransport(async () => (await loadWeb()).webTransport(spec, around, making)),
  };
}

const isUsable = (url: unknown): boolean =>
  typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
