/** MCP 2026-07-28, which has no session, under a client that speaks with sessions. */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { Timers } from '../../clock.ts';
import { withNotes } from '../messages/envelope.ts';
import {
  type Answer,
  type InputRequired,
  type Request,
  asMessage,
  assumedRevision,
  enveloped,
  envelopeOf,
  initializedBy,
  inputRequiredBy,
  isAnswer,
  isOfRevision,
  isRequest,
  mayBeStateless,
  statelessRevision,
  listenedTo,
  headersBefore,
  ToolHeaders,
} from './revision.ts';
import { latestSessionRevision, Refused, type Around, type McpTransport } from '../transport.ts';
import { spokenIn } from '../messages/refusal.ts';
import { WrappingTransport } from '../wrapping.ts';
import { TransientMap } from '../../../machines/kernel/objects.ts';
import { type Fields, fieldsOf, isObject } from '../../../machines/protocol/json.ts';

const prefix = 'input:';
interface InputParts {
  readonly ask: (request: Omit<Request, 'params'> & { readonly params: Fields }) => void;
  readonly note: (text: string) => void;
}

class Inputs {
  readonly #around: InputParts;
  readonly #asked = new Map<unknown, (answer: Answer) => void>();
  #numbers = 0;

  constructor(around: InputParts) {
    this.#around = around;
  }
  async for({ requests }: InputRequired): Promise<Fields> {
    const answers = requests.map(async ([key, { method, params }]) => {
      const { result, error } = await new Promise<Answer>((resolve) => {
        const id = `${prefix}${(this.#numbers += 1)}`;
        this.#asked.set(id, resolve);
        this.#around.ask({ jsonrpc: '2.0', id, method, params });
      });
      if (error) this.#around.note(`what it wants to know cannot be had: ${error.message}`);
      return [key, result] as const;
    });
    const all = await Promise.all(answers);
    return Object.fromEntries(all.filter(([, result]) => result !== undefined));
  }
  answered(answer: Answer): void {
    this.#asked.get(answer.id)?.(answer);
    this.#asked.delete(answer.id);
  }
}

interface By {
  readonly status: number;
  readonly code: unknown;
}
function isRefusedBy(error: unknown, so: (by: By) => boolean): boolean {
  if (!(error instanceof Refused)) return false;
  const { details } = error.failure;
  return so({ status: Number(details?.['http_status'] ?? 0), code: details?.['code'] });
}
const isLogin = (status: number): boolean => status === 401 || status === 403;
/** HTTP statuses that may pass, and say nothing of what a server speaks: of a time-out, too early, too many requests. */
const passing: readonly number[] = [408, 425, 429];
const mayBeOther = (error: unknown): boolean =>
  isRefusedBy(
    error,
    ({ status }) => status >= 400 && status < 500 && !isLogin(status) && !passing.includes(status),
  ) && spokenIn((error as Refused).failure) === undefined;
/** Tells whether a refusal of `server/discover` leaves open what the server speaks. */
const isOpen = (error: unknown): boolean =>
  isRefusedBy(error, ({ status }) => isLogin(status) || passing.includes(status));

/** Number of times that a server may ask for input before it answers; a server that asks more often would ask without end. */
const mostRounds = 10;
const tooManyRounds = { code: -32_603, message: `the server asked for input more than ${mostRounds} times` };
const discover = 'discover';

interface StatelessHttp {
  headersFor: ((request: Request) => Record<string, string>) | undefined;
  /** Closes the stream of a request, which cancels it for the server, because over HTTP a client sends no cancel notification. */
  abort(requestId: unknown): void;
  /** Ends the HTTP session that `initialize` has opened, because the rest is spoken without sessions. */
  leaveSession(): void;
}
type Take = (answer: Answer) => void;

/** For servers of MCP 2026-07-28, which refuse `initialize`; with others, messages are only passed on. */
export class StatelessTransport extends WrappingTransport {
  readonly #inner: McpTransport;
  readonly #http: StatelessHttp | undefined;
  readonly #around: Pick<Around, 'notice' | 'timers'>;
  readonly #listening: Listening;
  #isStateless = false;
  #initialize: Request | undefined;
  #envelope: Fields = {};
  #capabilities: Fields = {};
  readonly #waiting = new TransientMap<unknown, Take>();
  /** Ids on the wire of open requests, by the id of the caller; a request that is repeated with more input gets a new one. */
  readonly #onWire = new TransientMap<unknown, string | number>();
  readonly #inputs: Inputs;
  readonly #tools: ToolHeaders;

  constructor(inner: McpTransport, around: Pick<Around, 'notice' | 'timers'>, http?: StatelessHttp) {
    super();
    this.#inner = inner;
    this.#http = http;
    this.#around = around;
    const note = (text: string): void => this.#note(text);
    this.#tools = new ToolHeaders(note);
    this.#inputs = new Inputs({ note, ask: (request) => this.onmessage?.(asMessage(request)) });
    this.#listening = new Listening({
      timers: around.timers,
      send: (request, take) => this.#ask(request, take),
      cancel: (requestId) => void this.#cancel(requestId),
      note,
    });
    if (http)
      http.headersFor = (request) =>
        this.#isStateless || request.id === discover ? this.#tools.for(request) : headersBefore(request);
  }
  /** Revision on the wire; undefined when it is the version that `initialize` has agreed on. */
  override get revision(): string | undefined {
    return this.#isStateless ? statelessRevision : undefined;
  }
  start(): Promise<void> | undefined {
    return this.begin(this.#inner);
  }
  protected override ended(): void {
    this.#listening.close();
    super.ended();
  }
  protected override received(...said: Parameters<NonNullable<McpTransport['onmessage']>>): void {
    if (!this.#heard(said[0])) super.received(...said);
  }
  override setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(this.#isStateless ? statelessRevision : version);
  }
  override send(message: JSONRPCMessage): Promise<void> | undefined {
    if (isRequest(message)) {
      if (message.method === 'initialize') return this.#begin(message);
      return this.#isStateless ? this.#request(message) : this.#inner.send(message);
    }
    if (!this.#isStateless) return this.#passOn(message);
    if (isAnswer(message)) return Promise.resolve(this.#inputs.answered(message));
    return this.#notify(message as { readonly method: string; readonly params?: Fields });
  }
  override close(): Promise<void> {
    this.#listening.close();
    return this.#inner.close();
  }

  /**
   * Finds out which revision a server speaks. A server of an older revision answers `initialize`; one that
   * refuses is asked by `server/discover`, and when that fails, too, the refusal stands. `initialize` names the
   * newest revision in `_meta`, which older servers ignore; on a stream, a server of both revisions refuses it.
   * Over HTTP the header has to name the same version, so there `initialize` names a version that every server
   * accepts, and the next message names the newest (`#passOn`).
   */
  async #begin(initialize: Request): Promise<void> {
    this.#initialize = initialize;
    const envelope = envelopeOf(
      fieldsOf(initialize.params),
      this.#http ? assumedRevision : statelessRevision,
    );
    const asked = { ...initialize, params: enveloped(initialize.params, envelope) };
    const isOther = (answer: Answer): boolean => {
      const is = mayBeStateless(answer);
      if (!is) this.#deliver(answer);
      return is;
    };
    const answer = await this.#exchange(asked, isOther).catch(async (error: unknown) => {
      if (mayBeOther(error) && (await this.#discover(initialize))) return undefined;
      throw error;
    });
    if (answer && !(await this.#discover(initialize))) this.#deliver(answer);
  }
  /** A server of both revisions refuses the first notification, whose body and header name different ones. */
  #passOn(message: JSONRPCMessage): Promise<void> | undefined {
    const { method } = message as { readonly method?: string };
    const isFirst = method === 'notifications/initialized' && this.#initialize;
    return isFirst && this.#http
      ? this.#passOnFirst(message, isFirst, this.#http)
      : this.#inner.send(message);
  }
  async #passOnFirst(message: JSONRPCMessage, initialize: Request, http: StatelessHttp): Promise<void> {
    const { params } = message as { readonly params?: Fields };
    const said = enveloped(params, envelopeOf(fieldsOf(initialize.params)));
    try {
      await this.#inner.send(asMessage({ ...message, params: said }));
    } catch (error) {
      if (!isRefusedBy(error, ({ code }) => isOfRevision(code))) throw error;
      if (!(await this.#discover(initialize, false))) throw error;
      http.leaveSession();
      this.setProtocolVersion(statelessRevision);
      this.#listening.open(this.#capabilities);
    }
  }
  /** If `isAnswering`, also answers `initialize`. Rejects when a login is wanted, or after too many requests. */
  async #discover(initialize: Request, isAnswering = true): Promise<boolean> {
    this.#envelope = envelopeOf(fieldsOf(initialize.params));
    const params = enveloped(undefined, this.#envelope);
    const asked: Request = { jsonrpc: '2.0', id: discover, method: 'server/discover', params };
    const answer = await this.#exchange(asked).catch((error: unknown) => {
      if (isOpen(error)) throw error;
      return undefined;
    });
    const result = answer && initializedBy(answer, latestSessionRevision);
    if (!result) return false;
    this.#isStateless = true;
    this.#capabilities = fieldsOf(result['capabilities']);
    if (isAnswering) this.#deliver({ jsonrpc: '2.0', id: initialize.id, result });
    return true;
  }

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
    // Sends nothing for the log level, which is a field of each request in this revision.
    if (method === 'logging/setLevel') return done();
    if (method !== 'ping') return this.#rounds(request);
    return this.#exchange({
      jsonrpc: '2.0',
      id,
      method: 'server/discover',
      params: enveloped({}, this.#envelope),
    }).then(({ error }) => this.#deliver({ jsonrpc: '2.0', id, ...(error ? { error } : { result: {} }) }));
  }
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
        const inputResponses = await this.#inputs.for(required);
        if (!this.#onWire.has(id)) return;
        given = { inputResponses, ...(required.state !== undefined && { requestState: required.state }) };
      }
      this.#deliver({ jsonrpc: '2.0', id, error: tooManyRounds });
    } finally {
      this.#onWire.delete(id);
    }
  }
  #given(method: string, answer: Answer, id: Answer['id']): Answer {
    const result = isObject(answer.result) && { result: this.#tools.read(method, answer.result) };
    return withNotes({ ...answer, id, ...result }, answer);
  }
  #exchange(request: Request): Promise<Answer>;
  /** `isWanted` runs in the turn of the event loop in which the answer came. */
  #exchange(request: Request, isWanted: (answer: Answer) => boolean): Promise<Answer | undefined>;
  #exchange(request: Request, isWanted = (_: Answer): boolean => true): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      const take: Take = (answer) => resolve(isWanted(answer) ? answer : undefined);
      this.#ask(request, take)?.catch(reject);
    });
  }
  #ask(request: Request, take: Take): Promise<void> | undefined {
    this.#waiting.set(request.id, take);
    const said =
      request.method === 'subscriptions/listen'
        ? { ...request, params: enveloped(request.params, this.#envelope) }
        : request;
    return this.#inner.send(asMessage(said))?.catch((error: unknown) => {
      this.#waiting.delete(request.id);
      throw error;
    });
  }

  async #notify({ method, params }: { readonly method: string; readonly params?: Fields }): Promise<void> {
    if (method === 'notifications/initialized') return this.#listening.open(this.#capabilities);
    if (method === 'notifications/cancelled') return this.#cancel(params?.['requestId']);
    // Sends no changes of the roots, because servers of this revision ask for roots with each request that needs them.
  }
  #cancel(requestId: unknown): Promise<void> | undefined {
    const wire = this.#onWire.get(requestId) ?? requestId;
    this.#onWire.delete(requestId);
    if (this.#http) {
      this.#http.abort(wire);
      return undefined;
    }
    const params = { requestId: wire, _meta: this.#envelope };
    return this.#inner.send(asMessage({ jsonrpc: '2.0', method: 'notifications/cancelled', params }));
  }
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
    this.#around.notice({ kind: 'protocol', text, bytes: 0 });
  }
}

const againMs = 1_000;
const mostTries = 5;

interface ListeningParts {
  readonly timers: Timers;
  /** Rejects when the stream ended without an answer. */
  readonly send: (request: Request, take: (answer: Answer) => void) => Promise<void> | undefined;
  readonly cancel: (requestId: string) => void;
  readonly note: (text: string) => void;
}

/**
 * Single subscription of a session with a server of MCP 2026-07-28, to changes of its lists and to resources.
 * Opens a new subscription when the last one ended, and when other resources are followed. `close` ends the timer; the
 * stream ends with the transport.
 */
class Listening {
  readonly #around: ListeningParts;
  readonly #resources = new Set<string>();
  #capabilities: Fields = {};
  #id: string | undefined;
  #numbers = 0;
  #tries = 0;
  #timer: unknown;
  #isOpen = false;
  #isClosed = false;

  constructor(around: ListeningParts) {
    this.#around = around;
  }
  open(capabilities: Fields): void {
    this.#capabilities = capabilities;
    this.#isOpen = true;
    this.#listen();
  }
  follow(uri: string, isWanted: boolean): void {
    if (this.#resources.has(uri) === isWanted) return;
    if (isWanted) this.#resources.add(uri);
    else this.#resources.delete(uri);
    this.#soon(0);
  }
  acknowledged(): void {
    this.#tries = 0;
  }
  close(): void {
    this.#isClosed = true;
    this.#around.timers.clearTimeout(this.#timer);
  }
  /** Opens the subscription after a delay in ms; all resources that are followed before then become part of it. */
  #soon(ms: number): void {
    const { timers } = this.#around;
    timers.clearTimeout(this.#timer);
    if (!this.#isClosed && this.#isOpen) this.#timer = timers.setTimeout(() => this.#listen(), ms);
  }
  #listen(): void {
    const { send, cancel } = this.#around;
    const before = this.#id;
    this.#id = undefined;
    const notifications = listenedTo(this.#capabilities, this.#resources);
    if (notifications && !this.#isClosed) {
      const id = `listen:${(this.#numbers += 1)}`;
      this.#id = id;
      const request = {
        jsonrpc: '2.0',
        id,
        method: 'subscriptions/listen',
        params: { notifications },
      } as const;
      send(request, ({ error }) => this.#ended(id, error?.message))?.catch(() => this.#ended(id, undefined));
    }
    // Cancels the old subscription only after the new one was sent, so that no change is missed in between.
    if (before !== undefined) cancel(before);
  }
  #ended(id: string, why: string | undefined): void {
    if (this.#id !== id || this.#isClosed) return;
    this.#id = undefined;
    this.#tries += 1;
    if (why === undefined && this.#tries <= mostTries) return this.#soon(againMs);
    this.#around.note(`the server does not tell of changes: ${why ?? 'its stream ends again and again'}`);
  }
}
