import type { RequestFact, Emit, LinkInput } from '../../machines/kernel/ports.ts';
import { events, type EventName } from '../../machines/protocol/events.ts';
import { type Failure } from '../../machines/protocol/failure.ts';
import { excessBytes } from '../../machines/protocol/size.ts';
import type { ClientToServer } from '../../machines/protocol/messages/socket-events.ts';
import { bodyLimitBytes, tooLarge } from './agent-requests.ts';

export interface LinkRequest {
  readonly id: string;
  /** The wire event. */
  readonly method: string;
  /** The wire payload. */
  readonly params?: unknown;
}
interface Asked extends LinkRequest {
  readonly emit: Emit<RequestFact>;
}
export type WireEmit = <E extends EventName>(event: E, ...args: Parameters<ClientToServer[E]>) => void;

const offline: Failure = { code: 'LinkLost', message: 'There is no connection to the office' };
const dropped: Failure = {
  code: 'LinkLost',
  message: 'The connection to the office was lost before an answer',
};
const nothing = (): void => {};

/** One question that surely never reached anyone. */
export function refuseUnsent(id: string, emit: Emit<RequestFact>, failure: Failure = offline): () => void {
  emit({ type: 'ask.refused', id, failure, sent: false });
  return nothing;
}

/**
 * Questions on their way out of one connection. Each is answered by the raw first argument of the ack, refused when
 * the connection ends, or withdrawn; what comes later is dropped. A withdrawn tool call is cancelled, once.
 */
export class LinkRequests {
  readonly #send: WireEmit;
  readonly #agent: string;
  readonly #asked = new Map<number, Asked>();
  #last = 0;

  constructor(emit: WireEmit, input: LinkInput) {
    this.#send = emit;
    this.#agent = input.name;
  }

  request(request: LinkRequest, emit: Emit<RequestFact>): () => void {
    const { id, method, params } = request;
    const bytes = excessBytes(params, bodyLimitBytes);
    if (bytes !== undefined) return refuseUnsent(id, emit, tooLarge(bytes));
    const n = ++this.#last;
    this.#asked.set(n, { id, method, params, emit });
    const onAck = (result: unknown): void => {
      if (this.#asked.delete(n)) emit({ type: 'ask.answered', id, result });
    };
    // A question is data by now: the machine that made it knows its event, this door does not.
    this.#send(method as EventName, ...([params, onAck] as Parameters<ClientToServer[EventName]>));
    return () => this.#cancel(n);
  }

  /** The connection ended: they went out, and nobody will answer. */
  lose(): void {
    const lost = [...this.#asked.values()];
    this.#asked.clear();
    for (const { id, emit } of lost)
      emit({ type: 'ask.refused', id, failure: dropped, sent: true, lost: true });
  }

  #cancel(n: number): void {
    const asked = this.#asked.get(n);
    if (!this.#asked.delete(n) || asked?.method !== events.toolCall) return;
    const reqId = (asked.params as { readonly req_id?: unknown } | undefined)?.req_id;
    if (typeof reqId === 'string') this.#send(events.cancelToolCall, { agent: this.#agent, req_id: reqId });
  }
}
