import { ProtocolError, Server, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ClientWire } from './stdio.ts';
import { fieldsOf, isObject, type Fields } from '../../../machines/protocol/json.ts';

/** Keys of `_meta` by which a request of the revision 2026-07-28 says who asks and what it can. */
const keys = {
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
} as const;
/** Methods whose answer may be a question. */
const mayAsk = ['tools/call', 'prompts/get', 'resources/read'] as const;
const invalidParams = -32_602;
type Request = { readonly method: string; readonly params?: Fields | undefined };
type Answer = { readonly result: Fields } | { readonly question: Fields };

/** Request of the client under way, over all rounds of questions. */
class Run {
  readonly id: string;
  readonly result: Promise<Fields>;
  #waiting: ((question: Fields) => void) | undefined;
  readonly #questions: Fields[] = [];
  constructor(id: string, result: Promise<Fields>) {
    this.id = id;
    this.result = result;
    result.catch(() => {});
  }
  ask(question: Fields): void {
    if (this.#waiting) this.#waiting(question);
    else this.#questions.push(question);
  }
  /** Resolves with the answer of the server, or with its next question. */
  async next(): Promise<Answer> {
    const asked = new Promise<Fields>((resolve) => {
      const [question] = this.#questions.splice(0, 1);
      if (question) resolve(question);
      else this.#waiting = resolve;
    });
    const won = await Promise.race([
      this.result.then((result) => ({ result })),
      asked.then((question) => ({ question })),
    ]);
    this.#waiting = undefined;
    return won;
  }
}

/**
 * Translates between a client of the revision 2026-07-28, which has no sessions, and a side that has them: `initialize` is made of
 * the first request, and a question of a server becomes an answer `input_required`, with which the client asks again.
 */
class Translator {
  readonly #inner: ClientWire;
  readonly #pending = new Map<string, { resolve(result: Fields): void; reject(why: Error): void }>();
  readonly #runs = new Map<string, Run>();
  #server: Server | undefined;
  #last = 0;
  /** Meta of the first request. */
  first: Fields = {};

  constructor(inner: ClientWire) {
    this.#inner = inner;
    inner.send = (message, related) => this.#told(message as Fields, related);
  }
  async open(): Promise<Server> {
    const greeting = await this.#ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: fieldsOf(this.first[keys.capabilities]),
      clientInfo: fieldsOf(this.first[keys.client]),
    }).answer;
    this.#inner.onmessage({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const { serverInfo, capabilities, instructions } = greeting;
    const { tasks: _, ...known } = fieldsOf(capabilities);
    const server = new Server(serverInfo as never, {
      capabilities: known,
      ...(typeof instructions === 'string' && { instructions }),
    });
    for (const method of mayAsk)
      if (isObject(known[method.split('/', 1)[0] ?? '']))
        server.setRequestHandler(method, (request, context) => this.#answer(request, context) as never);
    server.fallbackRequestHandler = (request, context) => this.#answer(request, context) as never;
    this.#server = server;
    return server;
  }
  /** Subscribes to the resources that a client wants to hear of; the SDK answers the request itself. */
  listen(params: Fields): void {
    const { resourceSubscriptions: uris } = fieldsOf(params['notifications']);
    for (const uri of Array.isArray(uris) ? uris : [])
      this.#ask('resources/subscribe', { uri: uri as unknown }).answer.catch(() => {});
  }

  #ask(method: string, params: Fields): { readonly id: string; readonly answer: Promise<Fields> } {
    const id = `m${(this.#last += 1)}`;
    const answer = new Promise<Fields>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    this.#inner.onmessage({ jsonrpc: '2.0', id, method, params });
    return { id, answer };
  }
  async #answer({ method, params = {} }: Request, { mcpReq }: ServerContext): Promise<object> {
    const state: unknown = mcpReq.requestState();
    const known = typeof state === 'string' ? this.#runs.get(state) : undefined;
    if (state !== undefined && !known)
      throw new ProtocolError(invalidParams, 'the requestState is unknown: its request is over');
    for (const [id, result] of Object.entries(mcpReq.inputResponses ?? {}))
      this.#inner.onmessage({ jsonrpc: '2.0', id: Number(id), result });
    const run = known ?? this.#begun(method, params);
    const cancel = (): void => {
      this.#runs.delete(run.id);
      const cancelled = { requestId: run.id, reason: 'the client cancelled it' };
      this.#inner.onmessage({ jsonrpc: '2.0', method: 'notifications/cancelled', params: cancelled });
    };
    mcpReq.signal.addEventListener('abort', cancel, { once: true });
    try {
      const answer = await run.next();
      if ('result' in answer) {
        this.#runs.delete(run.id);
        return answer.result;
      }
      const { id, method: asked, params: about } = answer.question;
      const inputRequests = { [String(id)]: { method: asked, params: about } };
      return { resultType: 'input_required', inputRequests, requestState: run.id };
    } catch (error) {
      this.#runs.delete(run.id);
      throw error;
    } finally {
      mcpReq.signal.removeEventListener('abort', cancel);
    }
  }
  #begun(method: string, params: Fields): Run {
    const { id, answer } = this.#ask(method, params);
    const run = new Run(id, answer);
    this.#runs.set(id, run);
    return run;
  }
  #told(message: Fields, related: string | number | undefined): void {
    const { id, method, params, result, error } = message;
    if (typeof method === 'string') {
      if (id !== undefined) return this.#question(message, related);
      const notification = { method, params: fieldsOf(params) };
      this.#server?.notification(notification).catch(() => {});
      return;
    }
    const pending = this.#pending.get(String(id));
    this.#pending.delete(String(id));
    if (isObject(result)) return pending?.resolve(result);
    const { code, message: why, data } = fieldsOf(error);
    pending?.reject(new ProtocolError(Number(code), typeof why === 'string' ? why : '', data));
  }
  #question(message: Fields, related: string | number | undefined): void {
    const run = this.#runs.get(String(related));
    if (run) return run.ask(message);
    const error = { code: -32_601, message: 'a client of this revision is asked only for its own request' };
    this.#inner.onmessage({ jsonrpc: '2.0', id: message['id'], error });
  }
}

/** Begins to translate for `inner`, and returns the function that takes the messages of the client. */
export function translator(wire: ClientWire, inner: ClientWire): (message: unknown) => void {
  const translating = new Translator(inner);
  const transport: NonNullable<Parameters<typeof serveStdio>[1]>['transport'] & object = {
    start: () => Promise.resolve(),
    send: (message) => Promise.resolve(wire.send(message)),
    close: () => Promise.resolve(wire.close()),
  };
  serveStdio(() => translating.open(), { transport });
  let isFirst = true;
  return (message) => {
    const { method, params } = fieldsOf(message);
    if (isFirst) translating.first = fieldsOf(fieldsOf(params)['_meta']);
    isFirst = false;
    if (method === 'subscriptions/listen') translating.listen(fieldsOf(params));
    transport.onmessage?.(message as never);
  };
}
