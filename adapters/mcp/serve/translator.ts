/** Translation between a client with a session and a server without sessions, in both directions. */
import { createMcpHandler, ProtocolError, Server, type ServerContext } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { newWire, type ClientWire } from './wire.ts';
import { fieldsOf, isObject, type Fields } from '../../../machines/protocol/json.ts';

const keys = {
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  client: 'io.modelcontextprotocol/clientInfo',
} as const;
const mayAsk = ['tools/call', 'prompts/get', 'resources/read'] as const;
const neededFor: Readonly<Record<string, string>> = {
  'roots/list': 'roots',
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
};
const codes = { invalidParams: -32_602, methodNotFound: -32_601 } as const;
/** Time in ms in which more questions may join the first, since a client answers all of one round together. */
const gatherMs = 10;
/** In ms. Somewhat more than a server's question is left open; the end of such a client cannot be seen. */
const answersMs = 150_000;
type Request = { readonly method: string; readonly params?: Fields | undefined };
type Context = Pick<ServerContext, 'mcpReq'>;

/** Request of the client under way, over all rounds of questions. */
class Run {
  readonly id: string;
  readonly result: Promise<Fields>;
  context: Context;
  readonly open = new Map<string, Fields>();
  /** State by which the client comes back with its answers, another one in each round. */
  state: string | undefined;
  #asked = (): void => {};
  constructor(id: string, result: Promise<Fields>, context: Context) {
    this.id = id;
    this.result = result;
    this.context = context;
    result.catch(() => {});
  }
  ask(question: Fields): void {
    this.open.set(String(question['id']), question);
    this.#asked();
  }
  /** Resolves with the answer of the server, or with undefined when it asks. */
  async next(): Promise<Fields | undefined> {
    const asked = new Promise<void>((resolve) => (this.#asked = resolve));
    if (this.open.size > 0) return undefined;
    const result = await Promise.race([this.result, asked]);
    if (!result) await new Promise((resolve) => setTimeout(resolve, gatherMs));
    return result ?? undefined;
  }
}
/** `initialize` is made of the first request; a question becomes an answer `input_required`. */
class Translator {
  readonly #inner: ClientWire;
  readonly #publish: (method: string, params: Fields) => void;
  readonly #pending = new Map<string, { resolve(result: Fields): void; reject(why: Error): void }>();
  readonly #runs = new Map<string, Run>();
  #greeting: Promise<Fields> | undefined;
  #last = 0;

  constructor(inner: ClientWire, publish: (method: string, params: Fields) => void) {
    this.#inner = inner;
    this.#publish = publish;
    inner.send = (message, related) => this.#told(message as Fields, related);
  }
  /** `first` is the meta that says who the clients are. */
  async open(first: Fields): Promise<Server> {
    this.#greeting ??= this.#greet(first);
    const { serverInfo, capabilities, instructions } = await this.#greeting;
    const { tasks: _, ...known } = fieldsOf(capabilities);
    const server = new Server(serverInfo as never, {
      capabilities: known,
      ...(typeof instructions === 'string' && { instructions }),
    });
    for (const method of mayAsk)
      if (isObject(known[method.split('/', 1)[0] ?? '']))
        server.setRequestHandler(method, (request, context) => this.#answer(request, context) as never);
    server.fallbackRequestHandler = (request, context) => this.#answer(request, context) as never;
    return server;
  }
  /** The SDK answers the request itself. */
  listen(params: Fields): void {
    const { resourceSubscriptions: uris } = fieldsOf(params['notifications']);
    for (const uri of Array.isArray(uris) ? uris : [])
      this.#ask('resources/subscribe', { uri: uri as unknown }).answer.catch(() => {});
  }

  async #greet(first: Fields): Promise<Fields> {
    const greeting = await this.#ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: fieldsOf(first[keys.capabilities]),
      clientInfo: fieldsOf(first[keys.client]),
    }).answer;
    this.#inner.onmessage({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return greeting;
  }
  #ask(method: string, params: Fields): { readonly id: string; readonly answer: Promise<Fields> } {
    const id = `m${(this.#last += 1)}`;
    const answer = new Promise<Fields>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    this.#inner.onmessage({ jsonrpc: '2.0', id, method, params });
    return { id, answer };
  }
  async #answer({ method, params = {} }: Request, context: Context): Promise<object> {
    const { mcpReq } = context;
    const state: unknown = mcpReq.requestState();
    const known =
      state === undefined ? undefined : [...this.#runs.values()].find((run) => run.state === state);
    if (state !== undefined && !known)
      throw new ProtocolError(codes.invalidParams, 'the requestState is unknown: its request is over');
    for (const [id, result] of Object.entries(mcpReq.inputResponses ?? {}))
      if (known?.open.delete(id) === true) this.#inner.onmessage({ jsonrpc: '2.0', id: Number(id), result });
    const run = known ?? this.#begun(method, params, context);
    run.context = context;
    const cancel = (): void => this.#cancel(run);
    mcpReq.signal.addEventListener('abort', cancel, { once: true });
    try {
      const result = await run.next();
      if (!result) return this.#questionsOf(run);
      this.#runs.delete(run.id);
      return result;
    } catch (error) {
      this.#runs.delete(run.id);
      throw error;
    } finally {
      mcpReq.signal.removeEventListener('abort', cancel);
    }
  }
  #questionsOf(run: Run): object {
    const state = randomUUID();
    run.state = state;
    setTimeout(() => run.state === state && this.#cancel(run), answersMs).unref();
    const inputRequests = Object.fromEntries(
      [...run.open].map(([id, { method, params }]) => [id, { method, params }] as const),
    );
    return { resultType: 'input_required', inputRequests, requestState: state };
  }
  #cancel(run: Run): void {
    if (!this.#runs.delete(run.id)) return;
    const cancelled = { requestId: run.id, reason: 'the client cancelled it' };
    this.#inner.onmessage({ jsonrpc: '2.0', method: 'notifications/cancelled', params: cancelled });
  }
  #begun(method: string, params: Fields, context: Context): Run {
    const { id, answer } = this.#ask(method, params);
    const run = new Run(id, answer, context);
    this.#runs.set(id, run);
    return run;
  }
  #told(message: Fields, related: string | number | undefined): void {
    const { id, method, params, result, error } = message;
    if (typeof method === 'string')
      return id === undefined
        ? this.#notified(method, fieldsOf(params), related)
        : this.#question(message, related);
    const pending = this.#pending.get(String(id));
    this.#pending.delete(String(id));
    if (isObject(result)) return pending?.resolve(result);
    const { code, message: why, data } = fieldsOf(error);
    pending?.reject(new ProtocolError(Number(code), typeof why === 'string' ? why : '', data));
  }
  #notified(method: string, params: Fields, related: string | number | undefined): void {
    if (method === 'notifications/cancelled')
      for (const { open } of this.#runs.values()) open.delete(String(params['requestId']));
    else if (method === 'notifications/message') this.#logged(params);
    else if (related === undefined) this.#publish(method, params);
    else
      void this.#runs
        .get(String(related))
        ?.context.mcpReq.notify({ method, params })
        .catch(() => {});
  }
  #logged({ level, data, logger }: Fields): void {
    for (const { context } of this.#runs.values())
      void context.mcpReq.log(level as never, data, logger as string | undefined).catch(() => {});
  }
  #question(message: Fields, related: string | number | undefined): void {
    const run = this.#runs.get(String(related));
    const needed = neededFor[String(message['method'])] ?? '';
    const { envelope = {} } = run?.context.mcpReq ?? {};
    if (run && isObject(fieldsOf((envelope as Fields)[keys.capabilities])[needed])) return run.ask(message);
    const why = run ? `this client has not declared ${needed}` : 'it is asked only for its own request';
    const error = { code: codes.methodNotFound, message: why };
    this.#inner.onmessage({ jsonrpc: '2.0', id: message['id'], error });
  }
}

export function translator(wire: ClientWire, inner: ClientWire): (message: unknown) => void {
  let server: Server | undefined;
  const translating = new Translator(
    inner,
    (method, params) => void server?.notification({ method, params }).catch(() => {}),
  );
  const transport: NonNullable<Parameters<typeof serveStdio>[1]>['transport'] & object = {
    start: () => Promise.resolve(),
    send: (message) => Promise.resolve(wire.send(message)),
    close: () => Promise.resolve(wire.close()),
  };
  let first: Fields | undefined;
  serveStdio(async () => (server = await translating.open(first ?? {})), { transport });
  return (message) => {
    const { method, params } = fieldsOf(message);
    first ??= fieldsOf(fieldsOf(params)['_meta']);
    if (method === 'subscriptions/listen') translating.listen(fieldsOf(params));
    transport.onmessage?.(message as never);
  };
}
const mostClients = 100;
export interface StatelessHandler {
  fetch(request: globalThis.Request, body: unknown): Promise<Response>;
  close(): Promise<void>;
}
/** Requests that say the same of their client are those of one client; `opened` gets its wire once. */
export function statelessHandler(opened: (wire: ClientWire) => void): StatelessHandler {
  const clients = new Map<string, { readonly translating: Translator; readonly wire: ClientWire }>();
  const metas = new WeakMap<globalThis.Request, Fields>();
  const publish = (method: string, params: Fields): void => {
    const { toolsChanged, promptsChanged, resourcesChanged, resourceUpdated } = handler.notify;
    if (method === 'notifications/tools/list_changed') toolsChanged();
    if (method === 'notifications/prompts/list_changed') promptsChanged();
    if (method === 'notifications/resources/list_changed') resourcesChanged();
    if (method === 'notifications/resources/updated') resourceUpdated(String(params['uri']));
  };
  const clientOf = (meta: Fields): Translator => {
    const key = JSON.stringify([meta[keys.client], meta[keys.capabilities]]);
    const known = clients.get(key);
    if (known) return known.translating;
    const wire = newWire();
    const translating = new Translator(wire, publish);
    clients.set(key, { translating, wire });
    opened(wire);
    const [oldest = ''] = clients.keys();
    if (clients.size > mostClients) {
      clients.get(oldest)?.wire.onclose();
      clients.delete(oldest);
    }
    return translating;
  };
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const meta = (requestInfo && metas.get(requestInfo)) ?? {};
      return clientOf(meta).open(meta);
    },
    { legacy: 'reject' },
  );
  return {
    fetch: (request, body) => {
      const { method, params } = fieldsOf(body);
      const meta = fieldsOf(fieldsOf(params)['_meta']);
      metas.set(request, meta);
      if (method === 'subscriptions/listen') clientOf(meta).listen(fieldsOf(params));
      return handler.fetch(request, { parsedBody: body });
    },
    close: () => handler.close(),
  };
}
