/** Questions of our own over one connection to an office, with the bytes of their answers. */
import { systemClock } from '../clock.ts';
import { TransientMap } from '../../machines/kernel/objects.ts';
import type { RequestFact, Emit } from '../../machines/kernel/ports.ts';
import type { LinkInput } from '../../machines/ports/link.ts';
import { timing } from '../../machines/kernel/timing.ts';
import type { Timers } from '../../machines/office/rooms/pending.ts';
import { events, type EventName } from '../../machines/protocol/protocol.ts';
import { type Failure, wireCodes } from '../../machines/protocol/failure.ts';
import { errorAck } from '../../machines/protocol/messages/answers.ts';
import { progressOf, toolCallProgress } from '../../machines/protocol/messages/messages.ts';
import { blobSizes } from '../../machines/protocol/messages/blobs.ts';
import { isObject, excessBytes } from '../../machines/protocol/json.ts';
import type { ClientToServer } from '../../machines/protocol/messages/socket-events.ts';
import { bodyLimitBytes, tooLarge } from './agent-requests.ts';
import { fillHandles, hasHandles, type AskChunk } from './blob-fetch.ts';

export interface LinkRequest {
  readonly id: string;
  readonly method: string;
  readonly params?: unknown;
}
interface Asked extends LinkRequest {
  readonly emit: Emit<RequestFact>;
  /** Time since when the limit of the call stands still. */
  heldAt?: number;
  /** True when the office was told to cancel the call; only its answer is still awaited. */
  isTakenBack?: true;
  /** Callback for the next part of an image; present while the images of an answer that already came are being fetched. */
  chunk?: (ack: unknown) => void;
}
/** Machines and traces see only the key of each part. */
export type Parts = Map<string, Uint8Array>;
export type WireEmit = <E extends EventName>(event: E, ...args: Parameters<ClientToServer[E]>) => void;

const offline: Failure = { code: 'LinkLost', message: 'There is no connection to the office' };
const dropped: Failure = {
  code: 'LinkLost',
  message: 'The connection to the office was lost before an answer',
};
/** Limit in ms for a part of an image; longer than the limit of our office, which reports a time-out itself. */
const chunkMs = timing.queryMs + timing.agentMarginMs;
const noChunk: Failure = {
  code: wireCodes.noAnswer,
  message: `the computer sent no part of it within ${chunkMs / 1_000} s`,
};
const nothing = (): void => {};
const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
const reqIdIn = (params: unknown): string | undefined => {
  const reqId = (params as { readonly req_id?: unknown } | undefined)?.req_id;
  return typeof reqId === 'string' ? reqId : undefined;
};
const callOf = ({ method, params }: Pick<LinkRequest, 'method' | 'params'>): string | undefined =>
  method === events.toolCall ? reqIdIn(params) : undefined;

export function refuseUnsent(id: string, emit: Emit<RequestFact>, failure: Failure = offline): () => void {
  emit({ type: 'ask.refused', id, failure, sent: false });
  return nothing;
}

/** An ack answers and the end of the connection refuses a request; later answers are dropped. */
export class LinkRequests {
  readonly #send: WireEmit;
  readonly #timers: Timers;
  readonly #agent: string;
  readonly #asked = new TransientMap<number, Asked>();
  readonly #calls = new TransientMap<string, number>();
  readonly #parts: Parts;
  #last = 0;
  #isLost = false;
  /** For one request; the office closes a connection that sends more. */
  limitBytes = bodyLimitBytes;

  constructor(emit: WireEmit, input: LinkInput, timers: Timers, parts: Parts = new Map()) {
    this.#parts = parts;
    this.#send = emit;
    this.#timers = timers;
    this.#agent = input.name;
  }

  request(request: LinkRequest, emit: Emit<RequestFact>): () => void {
    const { id, method } = request;
    const { blob_key: key, ...plain } = (request.params ?? {}) as { readonly blob_key?: unknown };
    const isPart = typeof key === 'string';
    const params = isPart ? this.#partParams(method, plain, key) : request.params;
    if (method === events.cancelToolCall) return this.#takeBack(request, emit);
    const bytes = excessBytes(params, this.limitBytes);
    if (bytes !== undefined) return refuseUnsent(id, emit, tooLarge(bytes, this.limitBytes));
    const n = ++this.#last;
    // Without the bytes of a part, which are not needed once they are sent.
    this.#asked.set(n, { id, method, params: request.params, emit });
    const reqId = callOf(request);
    if (reqId !== undefined) this.#calls.set(reqId, n);
    const answer = (result: unknown): void => {
      if (!this.#taken(n)) return;
      const held = isPart && method === events.getBlob ? this.#withoutBytes(result, key) : result;
      emit({ type: 'ask.answered', id, result: held });
    };
    const onAck = (result: unknown): void => {
      if (method !== events.toolCall || !hasHandles(result)) return answer(result);
      const { computer } = request.params as { readonly computer: string };
      const ask: AskChunk = (handle, at, onChunk) => this.#askChunk(n, computer, handle, at, onChunk);
      fillHandles(result, ask, answer, true);
    };
    // The method is plain text here; the machine that made the request knows its type.
    this.#send(method as EventName, ...([params, onAck] as Parameters<ClientToServer[EventName]>));
    return () => this.#cancel(n);
  }

  /** To send a part, its bytes replace their key; to get one, the wanted size is added. */
  #partParams(method: string, part: object, key: string): unknown {
    if (method === events.getBlob) return { ...part, max_chunk_bytes: blobSizes.askedBytes };
    const bytes = this.#parts.get(key) ?? new Uint8Array();
    return { ...part, blob: asBuffer(bytes).toString('base64') };
  }
  #withoutBytes(result: unknown, key: string): unknown {
    if (!isObject(result) || typeof result['blob'] !== 'string') return result;
    const bytes = Buffer.from(result['blob'], 'base64');
    this.#parts.set(key, bytes);
    return { ...result, blob: bytes.length };
  }
  /** A result that has already come is delivered without its missing images. */
  lose(): void {
    this.#isLost = true;
    for (const { chunk } of [...this.#asked.values()]) chunk?.(errorAck(dropped));
    const lost = [...this.#asked.values()];
    this.#asked.clear();
    this.#calls.clear();
    for (const { id, emit } of lost)
      emit({ type: 'ask.refused', id, failure: dropped, sent: true, lost: true });
  }

  /** Ignored when it comes from another computer than that of the call. */
  progressed(payload: unknown): void {
    const read = toolCallProgress.safeParse(payload);
    if (!read.success || read.data.agent !== this.#agent) return;
    const asked = this.#asked.get(this.#calls.get(read.data.req_id) ?? 0);
    const { computer } = (asked?.params ?? {}) as { readonly computer?: string };
    if (!asked || computer !== read.data.computer) return;
    const { held, progress } = read.data;
    if (held === true) {
      asked.heldAt ??= systemClock.now();
      asked.emit({ type: 'ask.held', id: asked.id, method: 'confirm' });
    } else if (held === false && asked.heldAt !== undefined) {
      const ms = Math.round(systemClock.now() - asked.heldAt);
      delete asked.heldAt;
      asked.emit({ type: 'ask.freed', id: asked.id, ms });
    }
    if (held === undefined || progress > 0)
      asked.emit({ type: 'ask.progress', id: asked.id, ...progressOf(read.data) });
  }
  #taken(n: number): Asked | undefined {
    const asked = this.#asked.get(n);
    if (!asked) return undefined;
    this.#asked.delete(n);
    const reqId = callOf(asked);
    if (reqId !== undefined && this.#calls.get(reqId) === n) this.#calls.delete(reqId);
    return asked;
  }

  #askChunk(
    n: number,
    computer: string,
    handle: string,
    offset: number,
    onChunk: (ack: unknown) => void,
  ): void {
    const asked = this.#asked.get(n);
    if (!asked) return;
    if (this.#isLost) return onChunk(errorAck(dropped));
    const timer = this.#timers.setTimer(() => asked.chunk?.(errorAck(noChunk)), chunkMs);
    const take = (ack: unknown): void => {
      if (asked.chunk !== take) return;
      delete asked.chunk;
      this.#timers.clearTimer(timer);
      // Drops the part when the request was withdrawn meanwhile.
      if (this.#asked.has(n)) onChunk(ack);
    };
    asked.chunk = take;
    const question = { agent: this.#agent, req_id: `chunk-${n}-${offset}`, computer };
    this.#send(events.getBlob, { ...question, blob_handle: handle, chunk_offset: offset }, take);
  }

  /** The office answers the call itself and not the cancellation. */
  #takeBack({ id, params }: LinkRequest, emit: Emit<RequestFact>): () => void {
    const asked = this.#asked.get(this.#calls.get(reqIdIn(params) ?? '') ?? 0);
    if (asked) this.#sendCancel(asked);
    emit({ type: 'ask.answered', id, result: {} });
    return nothing;
  }
  #sendCancel(asked: Asked): void {
    const reqId = callOf(asked);
    if (reqId === undefined || asked.isTakenBack) return;
    asked.isTakenBack = true;
    this.#send(events.cancelToolCall, { agent: this.#agent, req_id: reqId });
  }
  #cancel(n: number): void {
    const asked = this.#taken(n);
    if (asked?.method !== events.toolCall) return;
    // Ends only the fetching of images, because the answer itself has already come.
    if (asked.chunk) return asked.chunk(undefined);
    this.#sendCancel(asked);
  }
}
