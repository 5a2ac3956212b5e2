/** Requests to a server that wait for an answer, with progress, cancelling and loss. */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { TransientMap } from '../../../machines/kernel/objects.ts';
import { isAnswer, isNotification } from '../lenient.ts';
import { Refused, type McpTransport, type Around } from '../transport.ts';
import type { Envelope } from './envelope.ts';
import { nameOf, textOfKey, type Address } from '../../../machines/kernel/effects.ts';
import type { Progress } from '../../../machines/protocol/messages/messages.ts';
import { progressOf } from './notifications.ts';
import type { Capabilities } from '../../../machines/ports/session.ts';
import { wireCodes, type Failure } from '../../../machines/protocol/failure.ts';

/** Callbacks of a pending request: progress any number of times, then one answer; undefined when no answer will come. */
export interface Asker {
  /** Undefined when the session itself asked. */
  readonly by?: Address | undefined;
  settle(answer: Envelope | undefined): void;
  progress(progress: Progress): void;
}

/** Id of the first request, `initialize`, which must not be cancelled (MCP lifecycle). */
const greetingId = 0;

/** Requests and notifications of the server are passed on at once, in the order in which they came. */
export class PendingRequests {
  onclose: () => void = () => {};
  onrequest: (request: Envelope) => void = () => {};
  /** Callback for all notifications but progress, which goes to the caller of its request. */
  onnotification: (method: string, params: unknown) => void = () => {};
  protocolVersion = '';
  readonly #inner: McpTransport;
  readonly #notice: Around['notice'];
  readonly #frame: Around['frame'];
  readonly #guard: Around['guard'];
  /** Callers by the id of their request, which is also its progress token. */
  readonly #asked = new TransientMap<unknown, Asker>();
  #nextId = 0;

  constructor(inner: McpTransport, { notice, frame, guard }: Pick<Around, 'notice' | 'frame' | 'guard'>) {
    this.#inner = inner;
    this.#notice = notice;
    this.#frame = frame;
    this.#guard = guard;
  }

  /** Throws what `JSON.stringify` throws; `sent` rejects when the request will not be answered. */
  request(
    method: string,
    params: unknown,
    asker: Asker,
  ): { readonly id: number; readonly sent: Promise<void> | undefined } {
    const id = this.#nextId++;
    const said = mayProgress[method]
      ? withToken(params, id, method === 'tools/call' ? asker.by : undefined)
      : params;
    const request = { jsonrpc: '2.0', id, method, params: said } as JSONRPCMessage;
    this.#asked.set(id, asker);
    try {
      return { id, sent: this.send(request, asker.by) };
    } catch (error) {
      this.#asked.delete(id);
      throw error;
    }
  }

  notify(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    by?: Address,
  ): Promise<void> | undefined {
    return this.send({ jsonrpc: '2.0', method, ...(params && { params }) }, by);
  }

  /** Only without an answer yet. Tells the server so; a late answer is dropped. */
  cancel(id: number): void {
    const by = this.#asked.get(id)?.by;
    if (!this.#asked.delete(id) || id === greetingId) return;
    const params = { requestId: id, reason: 'withdrawn by the caller' };
    this.notify('notifications/cancelled', params, by)?.catch(() => {
      // Ignores errors, because the stream is gone, and the request has ended with it.
    });
  }

  forget(id: number): boolean {
    return this.#asked.delete(id);
  }
  /** Tells the server of each, before its input ends. */
  withdrawAll(): void {
    for (const id of [...this.#asked.keys()]) this.cancel(id as number);
  }
  /** Their callers get no answer. A callback may remove other requests meanwhile. */
  lose(): void {
    for (const [id, asker] of this.#asked) {
      this.#asked.delete(id);
      asker.settle(undefined);
    }
  }

  start(): Promise<void> | undefined {
    this.#inner.onclose = this.#guard(() => this.onclose());
    this.#inner.onerror = ({ message: text }) => this.#notice({ kind: 'protocol', text, bytes: 0 });
    this.#inner.onmessage = this.#guard((message: JSONRPCMessage) => {
      this.#frame('in', message, this.#askerOf(message));
      this.#take(message);
    });
    return this.#inner.start();
  }
  send(message: JSONRPCMessage, by?: Address): Promise<void> | undefined {
    this.#frame('out', message, by);
    const sent = this.#inner.send(message);
    if (!('method' in message) || message.method !== 'notifications/initialized') return sent;
    return sent?.catch((error: unknown) => {
      if (!isMere(error)) throw error;
      this.#notice({ kind: 'protocol', text: `notifications/initialized: ${error.message}`, bytes: 0 });
    });
  }
  setProtocolVersion(version: string): void {
    this.protocolVersion = version;
    this.#inner.setProtocolVersion?.(version);
  }

  #askerOf({ id, method, params }: Envelope): Address | undefined {
    if (method === undefined) return this.#asked.get(id)?.by;
    return method === 'notifications/progress' ? this.#asked.get(progressOf(params).token)?.by : undefined;
  }
  #take(envelope: Envelope): void {
    const { id, method, params } = envelope;
    if (isNotification(envelope)) return this.#hear(String(method), params);
    if (!isAnswer(envelope)) return this.onrequest(envelope);
    const asker = this.#asked.get(id);
    if (asker) {
      this.#asked.delete(id);
      return asker.settle(envelope);
    }
    // Counts an answer to an id that was used before as late, because that request is over.
    const wasAsked = Number.isInteger(id) && Number(id) >= 0 && Number(id) < this.#nextId;
    const text = JSON.stringify(id) ?? 'none';
    this.#notice({ kind: wasAsked ? 'lateAnswer' : 'unknownId', text, bytes: 0 });
  }
  #hear(method: string, params: unknown): void {
    if (method === 'notifications/progress') return this.#progress(params);
    this.onnotification(method, params);
  }
  /** Progress with an unknown or finished token is dropped and counted. */
  #progress(params: unknown): void {
    const { token, progress } = progressOf(params);
    const asker = this.#asked.get(token);
    const text = JSON.stringify(token) ?? 'none';
    if (!asker) this.#notice({ kind: 'lateProgress', text, bytes: 0 });
    else if (progress) asker.progress(progress);
    else this.#notice({ kind: 'protocol', text: `progress without a number for ${text}`, bytes: 0 });
  }
}

/** Key in `_meta` of a call for the id that its caller gave it, by which a server may know a repeated call. */
const reqIdKey = 'a2c/req_id';
/** From the address of a call, whose key is `CALLER.REQ_ID`. */
const reqIdOf = (call: Address): string => {
  const key = nameOf(call).slice(nameOf(call).lastIndexOf(':') + 1);
  return textOfKey(key.slice(key.indexOf('.') + 1));
};
function withToken(params: unknown, progressToken: number, call: Address | undefined): object {
  const said = params as { readonly _meta?: object } | undefined;
  if (call !== undefined)
    return { ...said, _meta: { ...said?._meta, progressToken, [reqIdKey]: reqIdOf(call) } };
  // Treats params without `_meta` separately, because V8 makes a hidden class for each object that is extended after an empty spread.
  if (!said || !('_meta' in said)) return { _meta: { progressToken }, ...said };
  return { ...said, _meta: { ...said._meta, progressToken } };
}

/** Servers that refuse notifications by HTTP status work all the same, unless they want a login. */
function isMere(error: unknown): error is Refused {
  const status = error instanceof Refused ? Number(error.failure.details?.['http_status'] ?? 0) : 0;
  return status >= 400 && status !== 401;
}

const declared: Readonly<Record<string, (capabilities: Capabilities) => boolean>> = {
  ping: () => true,
  'tools/list': ({ tools }) => tools !== null,
  'tools/call': ({ tools }) => tools !== null,
  'resources/list': ({ resources }) => resources !== null,
  'resources/templates/list': ({ resources }) => resources !== null,
  'resources/read': ({ resources }) => resources !== null,
  'resources/subscribe': ({ resources }) => resources?.subscribe === true,
  'resources/unsubscribe': ({ resources }) => resources?.subscribe === true,
  'prompts/list': ({ prompts }) => prompts !== null,
  'prompts/get': ({ prompts }) => prompts !== null,
  'completion/complete': ({ completions }) => completions,
  'logging/setLevel': ({ logging }) => logging,
};
export const isDeclarable = (method: string): boolean => Object.hasOwn(declared, method);
/** Tells whether a server has declared the capability for a method; others are never requested, as the MCP lifecycle demands. */
export const isAllowed = (method: string, capabilities: Capabilities): boolean =>
  declared[method]?.(capabilities) === true;

export const notAllowed = (method: string): Failure => ({
  code: wireCodes.notSupported,
  message: `method not allowed: the server does not offer ${method}`,
  details: { method, reason: 'methodNotAllowed' },
});

const mayProgress: Readonly<Record<string, true>> = {
  'tools/call': true,
  'tools/list': true,
  'resources/list': true,
  'resources/templates/list': true,
  'resources/read': true,
  'prompts/list': true,
  'prompts/get': true,
};
