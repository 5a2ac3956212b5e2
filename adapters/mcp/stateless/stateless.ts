import { LATEST_PROTOCOL_VERSION, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { noted } from '../messages/envelope.ts';
import { Refused, type Around, type McpTransport } from '../transport.ts';
import { headerParams, headersOf, type HeaderParam } from './headers.ts';
import { Listening } from './listening.ts';
import {
  asMessage,
  enveloped,
  envelopeOf,
  fieldsOf,
  initializedBy,
  inputRequiredBy,
  isAnswer,
  isFields,
  isRequest,
  mayBeStateless,
  statelessRevision,
  type Answer,
  type Fields,
  type InputRequired,
  type Request,
} from './revision.ts';

/** A server that asks for more than this before it answers asks for ever. */
const mostRounds = 10;
const tooManyRounds = { code: -32_603, message: `the server asked for input more than ${mostRounds} times` };
const ids = { discover: 'discover', input: 'input:' } as const;

/** What HTTP does otherwise than a stream of messages. */
export interface StatelessHttp {
  /** Headers beside the body of a request. */
  headersFor: ((request: Request) => Record<string, string>) | undefined;
  /** Closes the stream of a request. To the server that is its cancellation: HTTP carries no notification of a client. */
  abort(requestId: unknown): void;
}
const isLogin = (status: number): boolean => status === 401 || status === 403;
const isRefusedBy = (error: unknown, so: (by: { readonly status: number }) => boolean): boolean =>
  error instanceof Refused && so({ status: Number(error.failure.details?.['http_status'] ?? 0) });
/** Who waits for the answer to one request on the wire. */
type Take = (answer: Answer) => void;

/**
 * Speaks MCP 2026-07-28 to a server that refuses `initialize` for it: sessions of the revisions before it on this side, requests
 * without a session on the other. Until a server does so, and with any that does not, it only passes messages on.
 *
 * `initialize` becomes `server/discover`, subscriptions become one `subscriptions/listen`, and what a server wants to know
 * before it answers becomes a request of its own. It ends with the transport below it, and holds a timer only while that
 * lives.
 */
export class StatelessTransport implements McpTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: McpTransport['onmessage'];
  readonly #inner: McpTransport;
  readonly #http: StatelessHttp | undefined;
  readonly #notice: Around['notice'];
  readonly #era: Around['era'];
  readonly #listening: Listening;
  #isStateless = false;
  #envelope: Fields = {};
  #capabilities: Fields = {};
  /** By the id on the wire. */
  readonly #waiting = new Map<unknown, Take>();
  /** Of a request: its id on the wire, another one for each round. */
  readonly #onWire = new Map<unknown, string | number>();
  /** What the server asked us, by our id for it. */
  readonly #inputs = new Map<unknown, (answer: Answer) => void>();
  readonly #params = new Map<string, readonly HeaderParam[]>();
  #numbers = 0;

  constructor(inner: McpTransport, around: Pick<Around, 'era' | 'notice' | 'timers'>, http?: StatelessHttp) {
    this.#inner = inner;
    this.#http = http;
    this.#notice = around.notice;
    this.#era = around.era;
    this.#listening = new Listening({
      timers: around.timers,
      send: (request, take) => this.#ask(request, take),
      cancel: (requestId) => void this.#cancel(requestId),
      note: (text) => this.#note(text),
    });
    if (http)
      http.headersFor = (request) => {
        if (this.#isStateless || request.id === ids.discover)
          return headersOf(request, statelessRevision, this.#params.get(String(request.params?.['name'])));
        // A gateway that knows the revision may want it; others pass over it.
        return request.method === 'initialize' ? { 'mcp-method': request.method } : {};
      };
  }
  get lost(): McpTransport['lost'] {
    return this.#inner.lost;
  }
  get step(): McpTransport['step'] {
    return this.#inner.step;
  }
  get heldBytes(): number {
    return this.#inner.heldBytes ?? 0;
  }
  /** What is spoken on the wire; undefined: what `initialize` has agreed on. */
  get revision(): string | undefined {
    return this.#isStateless ? statelessRevision : undefined;
  }
  start(): Promise<void> {
    const inner = this.#inner;
    inner.onclose = () => {
      this.#listening.close();
      this.onclose?.();
    };
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message, extra) => {
      if (!this.#heard(message)) this.onmessage?.(message, extra);
    };
    return inner.start();
  }
  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(this.#isStateless ? statelessRevision : version);
  }
  send(message: JSONRPCMessage): Promise<void> {
    if (isRequest(message)) {
      if (message.method === 'initialize') return this.#begin(message);
      return this.#isStateless ? this.#request(message) : this.#inner.send(message);
    }
    if (!this.#isStateless) return this.#inner.send(message);
    if (isAnswer(message)) return this.#answered(message);
    return this.#notify(message as { readonly method: string; readonly params?: Fields });
  }
  close(): Promise<void> {
    this.#listening.close();
    return this.#inner.close();
  }
  closed(): Promise<void> {
    return this.#inner.closed?.() ?? Promise.resolve();
  }

  // ── which revision ─────────────────────────────────────────────────────────────────────────────────
  /**
   * A server of before answers; one that refuses is asked what it speaks, and where it does not say the refusal stands. One that
   * spoke the revision the last time is asked for that first.
   */
  async #begin(initialize: Request): Promise<void> {
    if (this.#era.isStateless && (await this.#discover(initialize))) return;
    this.#era.isStateless = false;
    const answer = await this.#exchange(initialize).catch(async (error: unknown) => {
      if (!isRefusedBy(error, ({ status }) => status >= 400 && status < 500 && !isLogin(status))) throw error;
      if (await this.#discover(initialize)) return undefined;
      throw error;
    });
    if (answer && !(mayBeStateless(answer) && (await this.#discover(initialize)))) this.#deliver(answer);
  }
  /** True: it speaks the revision, and `initialize` is answered. Rejects where it wants a login first. */
  async #discover(initialize: Request): Promise<boolean> {
    this.#envelope = envelopeOf(fieldsOf(initialize.params));
    const params = enveloped(undefined, this.#envelope);
    const asked: Request = { jsonrpc: '2.0', id: ids.discover, method: 'server/discover', params };
    const answer = await this.#exchange(asked).catch((error: unknown) => {
      if (isRefusedBy(error, ({ status }) => isLogin(status))) throw error;
      return undefined;
    });
    const result = answer && initializedBy(answer, LATEST_PROTOCOL_VERSION);
    if (!result) return false;
    this.#isStateless = true;
    this.#era.isStateless = true;
    this.#capabilities = fieldsOf(result['capabilities']);
    this.#deliver({ jsonrpc: '2.0', id: initialize.id, result });
    return true;
  }

  // ── requests ───────────────────────────────────────────────────────────────────────────────────────
  #request(request: Request): Promise<void> {
    const { id, method, params } = request;
    const done = (): Promise<void> => {
      queueMicrotask(() => this.#deliver({ jsonrpc: '2.0', id, result: {} }));
      return Promise.resolve();
    };
    if (method === 'resources/subscribe' || method === 'resources/unsubscribe') {
      this.#listening.follow(String(params?.['uri']), method === 'resources/subscribe');
      return done();
    }
    // Its level is a field of each request.
    if (method === 'logging/setLevel') return done();
    if (method !== 'ping') return this.#rounds(request);
    return this.#exchange({
      jsonrpc: '2.0',
      id,
      method: 'server/discover',
      params: enveloped({}, this.#envelope),
    }).then(({ error }) => this.#deliver({ jsonrpc: '2.0', id, ...(error ? { error } : { result: {} }) }));
  }
  /** Sends it, and again with what the server wanted to know, until it is answered. */
  async #rounds({ id, method, params }: Request): Promise<void> {
    let given: Fields = {};
    try {
      for (let round = 0; round <= mostRounds; round += 1) {
        const wire = round === 0 ? id : `${id}.${round}`;
        this.#onWire.set(id, wire);
        const asked = enveloped({ ...params, ...given }, this.#envelope);
        const answer = await this.#exchange({ jsonrpc: '2.0', id: wire, method, params: asked });
        const required = inputRequiredBy(answer);
        if (!required) return this.#deliver(this.#given(method, answer, id));
        const inputResponses = await this.#inputsFor(required);
        // It was withdrawn meanwhile.
        if (!this.#onWire.has(id)) return;
        given = { inputResponses, ...(required.state !== undefined && { requestState: required.state }) };
      }
      this.#deliver({ jsonrpc: '2.0', id, error: tooManyRounds });
    } finally {
      this.#onWire.delete(id);
    }
  }
  #given(method: string, answer: Answer, id: Answer['id']): Answer {
    const result = isFields(answer.result) && { result: this.#read(method, answer.result) };
    return noted({ ...answer, id, ...result }, answer);
  }
  /** Without what only the revision has; of tools without those that mark what cannot be sent. */
  #read(method: string, { resultType: _, ...result }: Fields): Fields {
    if (method !== 'tools/list' || !Array.isArray(result['tools'])) return result;
    const tools = result['tools'].filter((tool: unknown) => {
      const { name, inputSchema } = fieldsOf(tool);
      const params = headerParams(inputSchema);
      if ('problem' in params) this.#note(`its tool ${JSON.stringify(name)} is left out: ${params.problem}`);
      else this.#params.set(String(name), params);
      return !('problem' in params);
    });
    return { ...result, tools };
  }
  /** Rejects when it will not be answered. */
  #exchange(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#ask(request, resolve).catch(reject);
    });
  }
  #ask(request: Request, take: Take): Promise<void> {
    this.#waiting.set(request.id, take);
    const said =
      request.method === 'subscriptions/listen'
        ? { ...request, params: enveloped(request.params, this.#envelope) }
        : request;
    return this.#inner.send(asMessage(said)).catch((error: unknown) => {
      this.#waiting.delete(request.id);
      throw error;
    });
  }

  // ── what the server wants to know ──────────────────────────────────────────────────────────────────
  async #inputsFor({ requests }: InputRequired): Promise<Fields> {
    const answers = requests.map(async ([key, { method, params }]) => {
      const { result, error } = await new Promise<Answer>((resolve) => {
        const id = `${ids.input}${(this.#numbers += 1)}`;
        this.#inputs.set(id, resolve);
        this.onmessage?.(asMessage({ jsonrpc: '2.0', id, method, params }));
      });
      if (error) this.#note(`what it wants to know cannot be had: ${error.message}`);
      return [key, result] as const;
    });
    const all = await Promise.all(answers);
    return Object.fromEntries(all.filter(([, result]) => result !== undefined));
  }
  #answered(answer: Answer): Promise<void> {
    this.#inputs.get(answer.id)?.(answer);
    this.#inputs.delete(answer.id);
    return Promise.resolve();
  }

  // ── what goes by ───────────────────────────────────────────────────────────────────────────────────
  async #notify({ method, params }: { readonly method: string; readonly params?: Fields }): Promise<void> {
    if (method === 'notifications/initialized') return this.#listening.open(this.#capabilities);
    if (method === 'notifications/cancelled') return this.#cancel(params?.['requestId']);
    // Roots are asked for with each request that needs them.
  }
  #cancel(requestId: unknown): Promise<void> {
    const wire = this.#onWire.get(requestId) ?? requestId;
    this.#onWire.delete(requestId);
    if (this.#http) {
      this.#http.abort(wire);
      return Promise.resolve();
    }
    const params = { requestId: wire, _meta: this.#envelope };
    return this.#inner.send(asMessage({ jsonrpc: '2.0', method: 'notifications/cancelled', params }));
  }
  /** True: it was for here. */
  #heard(message: object): boolean {
    if (isAnswer(message)) {
      const take = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      take?.(message);
      return take !== undefined;
    }
    if (!this.#isStateless) return false;
    const { method } = message as { readonly method?: string };
    if (method !== 'notifications/subscriptions/acknowledged') return false;
    this.#listening.acknowledged();
    return true;
  }
  #deliver(answer: Answer): void {
    this.onmessage?.(asMessage(answer));
  }
  #note(text: string): void {
    this.#notice({ kind: 'protocol', text, bytes: 0 });
  }
}
