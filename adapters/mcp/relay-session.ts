import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { Emit, RequestFact } from '../../machines/kernel/ports.ts';
import type { ServerInfo, SessionFact, SessionInput } from '../../machines/ports/session.ts';
import type { PortRequest } from '../../machines/kernel/effects.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import { isAnswer, isNotification, readInitialize } from './lenient.ts';
import { notAllowed } from './messages/pending-requests.ts';
import type { Envelope } from './messages/envelope.ts';
import { handshakeFailure, unsentRequest } from './messages/refusal.ts';
import type { Relay, RelayConnection } from './relay.ts';
import type { Around, McpTransport } from './transport.ts';
import { transportOf, unspoken, type TransportOptions } from './transports.ts';

const nothing = (): void => {};
const unknown: ServerInfo = {
  name: '',
  version: '',
  protocolVersion: '',
  capabilities: { tools: null, resources: null, prompts: null } as ServerInfo['capabilities'],
};

export type OpenRelay = (
  options: TransportOptions,
  input: SessionInput,
  around: Around,
  emit: Emit<SessionFact>,
) => RelaySession;
/** States: connecting → open (answered once) → lost, or connecting → lost; `close` ends each without a report. */
export class RelaySession implements RelayConnection {
  #state: 'connecting' | 'open' | 'lost' | 'closed' = 'connecting';
  readonly #relay: Relay;
  readonly #emit: Emit<SessionFact>;
  readonly #around: Around;
  readonly #transport: McpTransport | undefined;
  /** Id of our own `initialize`, which no client of MCP uses. */
  #ownId: string | undefined;

  constructor(relay: Relay, ...[options, input, around, emit]: Parameters<OpenRelay>) {
    this.#relay = relay;
    this.#emit = emit;
    this.#around = around;
    const made = transportOf(options, input, around, unspoken);
    if ('failure' in made) {
      around.timers.setTimeout(() => this.#fail(made.failure), 0);
      return;
    }
    const { transport } = made;
    this.#transport = transport;
    const { guard } = around;
    transport.onclose = guard(() => this.#lose());
    transport.onerror = ({ message: text }) => around.notice({ kind: 'protocol', text, bytes: 0 });
    transport.onmessage = guard((message: JSONRPCMessage) => {
      around.frame('in', message);
      this.#take(message);
    });
    const failed = guard((error: unknown) => this.#fail(handshakeFailure(error, transport.lost?.reason)));
    // Handles the start only after the port has returned, because an earlier fact would reach no machine.
    void Promise.resolve(transport.start()).then(
      guard(() => this.#state === 'connecting' && relay.connected(this)),
      failed,
    );
  }
  send(message: JSONRPCMessage): Promise<void> | undefined {
    this.#around.frame('out', message);
    return this.#transport?.send(message);
  }
  greetAgain(params: unknown): void {
    this.#ownId = 'a2c-initialize';
    const greeting = { jsonrpc: '2.0', id: this.#ownId, method: 'initialize', params } as JSONRPCMessage;
    this.send(greeting)?.catch((error: unknown) => this.#fail(handshakeFailure(error, undefined)));
  }
  /** Refuses a request of the machine, because only the client of the relay speaks to the server. */
  request({ id, method }: PortRequest, emit: Emit<RequestFact>): () => void {
    emit(unsentRequest(id, notAllowed(method)));
    return nothing;
  }
  announceRoots(): void {}

  #take(envelope: Envelope): void {
    if (isNotification(envelope)) return this.#relay.deliver(envelope);
    if (!isAnswer(envelope)) return this.#relay.asked(envelope);
    if (this.#ownId !== undefined && envelope.id === this.#ownId) return this.#resume(envelope);
    const request = this.#relay.answered(envelope);
    if (!request) {
      const text = JSON.stringify(envelope.id) ?? 'none';
      return this.#around.notice({ kind: 'lateAnswer', text, bytes: 0 });
    }
    // Counts the connection as open only without an error, because a client may try one revision of MCP after the other.
    if (envelope.error === undefined)
      this.#open(request.method === 'initialize' ? envelope.result : undefined);
    this.#relay.deliver({ ...envelope, id: request.id });
  }
  #resume(answer: Envelope): void {
    this.#ownId = undefined;
    const failure = this.#relay.resumed(answer);
    if (failure) this.#fail(failure);
    else this.#open(answer.result);
  }
  #open(result: unknown): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'open';
    const tell = (text: string): void => this.#around.notice({ kind: 'protocol', text, bytes: 0 });
    const read = result === undefined ? undefined : readInitialize(result, tell);
    const { info = unknown, protocolVersion = '' } = read && !('problem' in read) ? read : {};
    if (protocolVersion !== '') this.#transport?.setProtocolVersion?.(protocolVersion);
    this.#emit({ type: 'session.opened', info: { ...info, protocolVersion } });
  }

  close(): void {
    this.#state = 'closed';
    this.#relay.disconnected(this);
    this.#transport?.close().catch(nothing);
  }
  async closed(): Promise<void> {
    await this.#transport?.closed?.();
  }
  #fail(failure: Failure): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'lost';
    this.#relay.disconnected(this);
    this.#transport?.close().catch(nothing);
    this.#emit({ type: 'session.failed', failure });
  }
  fault(reason: string): void {
    this.#transport?.close().catch(nothing);
    this.#lose({ reason });
  }
  #lose(lost = this.#transport?.lost ?? { reason: 'the connection ended' }): void {
    if (this.#state === 'connecting') return this.#fail(handshakeFailure(undefined, lost.reason));
    if (this.#state !== 'open') return;
    this.#state = 'lost';
    this.#relay.disconnected(this);
    this.#emit({ type: 'session.lost', ...lost });
  }
}
