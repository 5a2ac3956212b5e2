/** JSON-RPC with one MCP client of a revision up to 2025-11-25. Messages are passed on as they are, and judged by nobody here. */
import { onAbort } from '../kernel/listeners.ts';
import type { ClientWire } from '../../adapters/mcp/serve/wire.ts';
import { TransientMap } from '../../machines/kernel/objects.ts';
import { fieldsOf, isObject, type Fields, withoutUndefined } from '../../machines/protocol/json.ts';

export const rpcCodes = {
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  server: -32_000,
} as const;
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
/** Request of a client under way. */
export interface Asked {
  /** Signal that aborts when the client cancels the request, or is gone. Made when it is first used, because it is not cheap. */
  readonly signal: AbortSignal;
  /** Calls back when the client cancels the request, or is gone, with the reason. */
  onCancel(cancelled: (why: Error) => void): void;
  /** Tells the client something that belongs to this request, such as its progress. */
  notify(method: string, params: Fields): void;
}
export interface RpcListener {
  /** Rejects with an `RpcError` for an error that the client is to get. */
  asked(method: string, params: Fields, about: Asked): Promise<object>;
  notified(method: string, params: Fields): void;
  over(): void;
}
class Request implements Asked {
  readonly #tell: RpcPeer['notify'];
  readonly #id: string | number;
  #aborter: AbortController | undefined;
  #listener: ((why: Error) => void) | undefined;
  why: Error | undefined;
  isOver = false;

  constructor(id: string | number, tell: RpcPeer['notify']) {
    this.#id = id;
    this.#tell = tell;
  }
  get signal(): AbortSignal {
    this.#aborter ??= new AbortController();
    if (this.why) this.#aborter.abort(this.why);
    return this.#aborter.signal;
  }
  onCancel(cancelled: (why: Error) => void): void {
    this.#listener = cancelled;
    if (this.why) cancelled(this.why);
  }
  notify(method: string, params: Fields): void {
    if (!this.isOver && !this.why) this.#tell(method, params, this.#id);
  }
  cancel(why: Error): void {
    if (this.why) return;
    this.why = why;
    this.#aborter?.abort(why);
    this.#listener?.(why);
  }
}
interface Waiting {
  resolve(result: Fields): void;
  reject(why: Error): void;
}

const isId = (id: unknown): id is string | number => typeof id === 'string' || typeof id === 'number';

export class RpcPeer {
  readonly #wire: ClientWire;
  readonly #ears: RpcListener;
  /** Requests of the client that have no answer yet. */
  readonly #asked = new TransientMap<string | number, Request>();
  /** Requests to the client that have no answer yet. */
  readonly #asking = new Map<number, Waiting>();
  #last = 0;

  constructor(wire: ClientWire, ears: RpcListener) {
    this.#wire = wire;
    this.#ears = ears;
    wire.onmessage = (message) => this.#take(message);
    wire.onclose = () => this.#over();
  }
  readonly notify = (method: string, params?: Fields, related?: string | number): void =>
    this.#wire.send({ method, ...(params && { params }), jsonrpc: '2.0' }, related);
  /** An abort of `signal` cancels the request at the client, and rejects with its reason. */
  ask(method: string, params: Fields, signal: AbortSignal): Promise<Fields> {
    const id = (this.#last += 1);
    return new Promise<Fields>((resolve, reject) => {
      const stop = onAbort(signal, () => {
        this.#asking.delete(id);
        this.notify('notifications/cancelled', { requestId: id, reason: 'it is not wanted any more' });
        reject(signal.reason as Error);
      });
      const done =
        <T>(then: (value: T) => void) =>
        (value: T): void => (stop(), then(value));
      this.#asking.set(id, { resolve: done(resolve), reject: done(reject) });
      // Belongs to the latest request, for MCP does not say for which of its calls a server asks.
      this.#wire.send({ method, params, jsonrpc: '2.0', id }, this.#asked.keys().at(-1));
    });
  }
  close(): void {
    this.#wire.close();
  }

  #over(): void {
    const gone = new Error('the client is gone');
    for (const request of this.#asked.values()) request.cancel(gone);
    this.#asked.clear();
    for (const { reject } of this.#asking.values()) reject(gone);
    this.#asking.clear();
    this.#ears.over();
  }
  #take(message: unknown): void {
    // Clients of the revision 2025-03-26 may send several messages at once; each is answered by itself.
    if (Array.isArray(message)) return message.forEach((one) => this.#take(one));
    if (!isObject(message)) return;
    const { id, method } = message;
    const params = fieldsOf(message['params']);
    if (typeof method !== 'string') return this.#answered(message);
    if (isId(id)) return this.#request(id, method, params);
    if (method === 'notifications/cancelled') {
      const { requestId, reason } = params;
      const why = typeof reason === 'string' && reason !== '' ? reason : 'the client cancelled it';
      return this.#asked.get(requestId as string | number)?.cancel(new Error(why));
    }
    if (id === undefined) this.#ears.notified(method, params);
    else
      this.#refuse(null, new RpcError(rpcCodes.invalidRequest, 'the id of a request is a text or a number'));
  }
  #request(id: string | number, method: string, params: Fields): void {
    const request = new Request(id, this.notify);
    this.#asked.set(id, request);
    const answer = (send: () => void): void => {
      request.isOver = true;
      if (this.#asked.get(id) === request) this.#asked.delete(id);
      // MCP: a cancelled request is not answered.
      if (!request.why) send();
    };
    this.#ears.asked(method, params, request).then(
      (result) => answer(() => this.#wire.send({ result, jsonrpc: '2.0', id })),
      (error: unknown) => answer(() => this.#refuse(id, error)),
    );
  }
  #refuse(id: string | number | null, error: unknown): void {
    const { code, message, data } =
      error instanceof RpcError ? error : new RpcError(rpcCodes.internal, String(error));
    this.#wire.send({ jsonrpc: '2.0', id, error: withoutUndefined({ code, message, data }) });
  }
  #answered({ id, result, error }: Fields): void {
    const waiting = this.#asking.get(Number(id));
    if (!waiting) return;
    this.#asking.delete(Number(id));
    if (isObject(result)) return waiting.resolve(result);
    const { code, message, data } = fieldsOf(error);
    waiting.reject(
      new RpcError(
        typeof code === 'number' ? code : rpcCodes.internal,
        typeof message === 'string' ? message : 'it gave no result',
        data,
      ),
    );
  }
}
