/** An MCP session with a server: the handshake, requests and their answers, notifications, and what the server asks. */
import type { ElicitRequest, ElicitResult, ClientCapabilities } from '@modelcontextprotocol/client';
import type { Tool } from '../../machines/catalog/entries.ts';
import type { Address } from '../../machines/kernel/effects.ts';
import { isAnswer, type Emit, type RequestFact } from '../../machines/kernel/ports.ts';
import type { Capabilities, SessionFact, SessionInput, Waits } from '../../machines/ports/session.ts';
import type { Tracing } from '../../machines/kernel/tracing.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';
import { TransientMap } from '../../machines/kernel/objects.ts';
import { type Initialized, type Tell, readElicitation, readInitialize } from './lenient.ts';
import { answerMs, capabilitiesOf, ServerRequests, type Answers, type Owes } from './messages/answers.ts';
import { errorOf, type Envelope } from './messages/envelope.ts';
import { cut } from './messages/noise.ts';
import { factOfNotification, logOf, type ServerLog } from './messages/notifications.ts';
import { Gathering, listed, type ListRequest } from './messages/pages.ts';
import {
  isAllowed,
  isDeclarable,
  notAllowed,
  PendingRequests,
  type Asker,
} from './messages/pending-requests.ts';
import {
  factOf,
  handshakeFailure,
  lostRequest,
  notConnected,
  refusedOnTheWay,
  unsentRequest,
  unwritable,
  handshakeRefusal,
  foreignVersion,
  spokenIn,
} from './messages/refusal.ts';
import { TaskCall } from './task-call.ts';
import { TracedRequests } from './traced-requests.ts';
import {
  type Around,
  type McpTransport,
  type Notice,
  latestSessionRevision,
  sessionRevisions,
} from './transport.ts';
import { transportOf, type TransportOptions } from './transports.ts';

/** Time in ms after which a handshake is slow enough to be reported; a faster one is never reported. */
const tellMs = 1_000;

type HandshakeAround = Pick<Around, 'timers' | 'now' | 'redact'> & {
  readonly isProcess: boolean;
  readonly tell: (waits: Waits) => void;
};

/** Reports what a slow handshake waits for: each change once, at most once a second. */
class Handshake {
  readonly #transport: McpTransport;
  readonly #around: HandshakeAround;
  readonly #begun: number;
  #lines = 0;
  #last = '';
  #others = 0;
  #told = '';
  #timer: unknown;

  constructor(transport: McpTransport, around: HandshakeAround) {
    this.#transport = transport;
    this.#around = around;
    this.#begun = around.now();
    this.#wait();
  }
  count({ kind, text }: Notice): void {
    if (kind !== 'garbage') this.#others += 1;
    else {
      this.#lines += 1;
      this.#last = text;
    }
  }
  over(): void {
    this.#around.timers.clearTimeout(this.#timer);
  }
  #wait(): void {
    this.#timer = this.#around.timers.setTimeout(() => {
      this.#wait();
      this.#look();
    }, tellMs);
  }
  #look(): void {
    const { for: step, since } = this.#transport.step ?? { for: 'initialize', since: this.#begun };
    const waits = { for: step, since: new Date(since).toISOString(), came: this.#came() } as const;
    const now = JSON.stringify(waits);
    if (now === this.#told) return;
    this.#told = now;
    this.#around.tell(waits);
  }
  #came(): string {
    const { isProcess, redact } = this.#around;
    const { heldBytes = 0 } = this.#transport;
    const had = isProcess ? 'stdout had' : 'it sent';
    const said = [
      this.#lines > 0 &&
        `${had} lines that are no messages (${this.#lines}), the last: ${JSON.stringify(cut(this.#last, redact))}`,
      this.#others > 0 && `${had} ${this.#others} messages that are not the answer`,
      heldBytes > 0 && `${had} ${heldBytes} bytes without a line end`,
    ];
    return said.filter((part) => part !== false).join('; ');
  }
}

interface Opening {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly capabilities: ClientCapabilities;
  readonly tell: Tell;
  readonly lost: () => string | undefined;
}
type Opened = { readonly opened: Initialized; readonly greeting: unknown } | { readonly failure: Failure };

/** Sends `initialize`, reads the answer, and sends `initialized`; `end` is called once. */
function open(requests: PendingRequests, opening: Opening, end: (opened: Opened) => void): void {
  const { clientInfo, capabilities, tell, lost } = opening;
  let isAgain = false;
  /** Asks once more with a version that the refusal names and we speak. */
  const refused = (failure: Failure): void => {
    const version = isAgain ? undefined : spokenIn(failure);
    if (version === undefined) return end({ failure });
    isAgain = true;
    greet(version);
  };
  const fail = (error?: unknown): void => refused(handshakeFailure(error, lost()));
  const read = (answer: Envelope | undefined): void => {
    if (!answer) return fail();
    const error = answer.error === undefined ? undefined : errorOf(answer);
    if (error) return refused(handshakeRefusal(error));
    const opened = readInitialize(answer.result, tell);
    if ('problem' in opened) return end({ failure: unreadable(opened.problem) });
    const { protocolVersion } = opened;
    if (!sessionRevisions.includes(protocolVersion)) return end({ failure: foreignVersion(protocolVersion) });
    requests.setProtocolVersion(protocolVersion);
    after(requests.notify('notifications/initialized'), () => end({ opened, greeting: answer.result }), fail);
  };
  const greet = (protocolVersion: string = latestSessionRevision): void => {
    const params = { protocolVersion, capabilities, clientInfo };
    const { id, sent } = requests.request('initialize', params, { settle: read, progress: () => {} });
    sent?.catch((error: unknown) => requests.forget(id) && fail(error));
  };
  after(requests.start(), greet, fail);
}
function after(done: Promise<void> | undefined, go: () => void, fail: (error: unknown) => void): void {
  if (done) void done.then(go, fail);
  else go();
}
const unreadable = (problem: string): Failure => ({
  code: 'NotStartable',
  message: `the answer of the server cannot be used: ${problem}`,
  details: { asked: latestSessionRevision },
  remedy: 'Take another version of the server: this one does not say which version of MCP it speaks',
});

export interface SessionOptions extends TransportOptions {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly answers?: Answers;
  /** Limit in ms for an answer of the host, 2 min by default; afterwards sampling is refused and elicitation cancelled. */
  readonly answerMs?: number;
  readonly redact?: (text: string) => string;
  readonly tracing?: Tracing | undefined;
  readonly reqIdOf?: (call: Address) => string | undefined;
  readonly log?: (server: string, line: ServerLog) => void;
  readonly heard?: (server: string, method: string, params: unknown) => void;
}

const nothing = (): void => {};
const nameIn = (params: unknown): unknown => (params as { readonly name?: unknown } | undefined)?.name;
const connectionEnded = 'the connection ended';

/** States: connecting → open → lost, or connecting → lost; `close` leads from each to closed, without a report. */
export class Session {
  #state: 'connecting' | 'open' | 'lost' | 'closed' = 'connecting';
  readonly #input: SessionInput;
  readonly #options: SessionOptions;
  readonly #emit: Emit<SessionFact>;
  readonly #transport: McpTransport | undefined;
  readonly #requests: PendingRequests | undefined;
  readonly #asked: ServerRequests | undefined;
  #handshake: Handshake | undefined;
  #capabilities: Capabilities | undefined;
  readonly #calls = new TransientMap<(owes: Owes) => void, (owes: Owes) => void>();
  greeting: unknown;
  /** Names of the tools that run only as tasks, according to the latest tool list of this session. */
  #asTasks = new Set<unknown>();
  readonly #tasks = new Set<TaskCall>();
  readonly #around: Around;
  readonly #traced: TracedRequests | undefined;
  readonly #tell: Tell;

  constructor(options: SessionOptions, input: SessionInput, around: Around, emit: Emit<SessionFact>) {
    this.#emit = emit;
    this.#input = input;
    this.#options = options;
    this.#around = around;
    const { answers = {}, clientInfo, tracing } = options;
    this.#traced =
      tracing && new TracedRequests(tracing, input, options.remoteOf?.(input.server, input.spec)?.kind);
    const notice: Around['notice'] = (seen) => {
      around.notice(seen);
      this.#handshake?.count(seen);
    };
    this.#tell = (text) => notice({ kind: 'protocol', text, bytes: 0 });
    const made = transportOf(options, input, { ...around, notice });
    if ('failure' in made) {
      around.timers.setTimeout(() => this.#fail(made.failure), 0);
      return;
    }
    const { transport } = made;
    const requests = new PendingRequests(transport, { notice, frame: around.frame, guard: around.guard });
    this.#transport = transport;
    this.#handshake = new Handshake(transport, {
      ...around,
      isProcess: input.process !== null,
      tell: (waits) => this.#emit({ type: 'session.waits', waits }),
    });
    this.#requests = requests;
    const tell = this.#tell;
    const asked = new ServerRequests({
      server: input.server,
      answers,
      ms: options.answerMs ?? answerMs,
      timers: around.timers,
      now: around.now,
      owing: (owes) => {
        for (const call of this.#calls.values()) call(owes);
      },
      send: (answer) => requests.send(answer),
      tell,
    });
    this.#asked = asked;
    requests.onclose = () => this.#lose();
    requests.onrequest = (request) => asked.take(request);
    requests.onnotification = (method, params) => this.#hear(method, params);
    const lost = (): string | undefined => transport.lost?.reason;
    open(
      requests,
      { clientInfo, capabilities: capabilitiesOf(answers), tell, lost },
      around.guard((end: Opened) =>
        'opened' in end ? this.#opened(end, transport) : this.#fail(end.failure),
      ),
    );
  }

  request(request: ListRequest, emit: Emit<RequestFact>, from: Address): () => void {
    const { id, method } = request;
    const requests = this.#takes(method);
    if (!(requests instanceof PendingRequests)) {
      emit(unsentRequest(id, requests));
      return nothing;
    }
    if (method !== 'tools/call') return this.#ask(request, requests, emit, from);
    const { elicitUrl } = this.#options.answers ?? {};
    const asked = this.#asked;
    // Holds only calls that were made before the server asked, because it asks for one of them.
    let isHeld = false;
    const hear = (owes: Owes): void => {
      if ('method' in owes) isHeld = true;
      else if (!isHeld) return;
      emit('method' in owes ? { type: 'ask.held', id, ...owes } : { type: 'ask.freed', id, ...owes });
    };
    this.#calls.set(hear, hear);
    const told: Emit<RequestFact> = (fact) => {
      if (isAnswer(fact.type)) this.#calls.delete(hear);
      emit(fact);
    };
    const withdraw = callWithPages(told, {
      show: elicitUrl && asked && ((page, signal) => asked.show(page, signal)),
      ask: (told) => this.#call(request, requests, told, from),
      isClosed: () => this.#isClosed(),
    });
    return () => {
      this.#calls.delete(hear);
      withdraw();
    };
  }
  isOpenTo(server: string): boolean {
    return this.#state === 'open' && this.#input.server === server;
  }
  /** No list is gathered, and no page is shown. A method of MCP that the server did not declare is refused. */
  forward(method: string, params: unknown, emit: Emit<RequestFact>): () => void {
    const requests = this.#takes(method, isDeclarable(method));
    if (requests instanceof PendingRequests)
      return this.#ask({ id: method, method, params }, requests, emit, undefined);
    emit(unsentRequest(method, requests));
    return nothing;
  }
  /** Or the reason why a request of this method is not sent. */
  #takes(method: string, mustBeDeclared = true): PendingRequests | Failure {
    if (this.#state !== 'open' || !this.#requests || !this.#capabilities) return notConnected;
    return mustBeDeclared && !isAllowed(method, this.#capabilities) ? notAllowed(method) : this.#requests;
  }
  #call(request: ListRequest, requests: PendingRequests, emit: Emit<RequestFact>, from: Address): () => void {
    if (!this.#traced) return this.#ask(request, requests, emit, from);
    const about = { reqId: this.#options.reqIdOf?.(from), version: this.#version(requests) };
    return this.#traced.send(request, emit, about, (asked, told, sent) =>
      this.#ask(asked, requests, told, from, sent),
    );
  }
  #ask(
    request: ListRequest,
    requests: PendingRequests,
    emit: Emit<RequestFact>,
    by: Address | undefined,
    sent?: (id: number) => void,
  ): () => void {
    const { id, method } = request;
    if (by !== undefined && method === 'tools/call' && this.#asTasks.has(nameIn(request.params)))
      return this.#callTask(request, requests, emit, by);
    const told = method === 'tools/list' ? this.#noted(emit) : emit;
    // A request of the host that no machine sent gets the answer as it came.
    const isGathered = by !== undefined && listed[method] !== undefined;
    const list = isGathered ? new Gathering(request, told, this.#tell) : undefined;
    let current = -1;
    const asker: Asker = {
      by,
      settle: (answer) => {
        if (!answer) return emit(lostRequest(id, this.#transport?.lost?.reason ?? connectionEnded));
        if (!list) return emit(factOf(id, answer, method));
        const more = list.take(answer);
        if (more) send(more);
      },
      progress: (progress) => emit({ type: 'ask.progress', id, ...progress }),
    };
    const send = (params: unknown): void => {
      try {
        const asked = requests.request(method, params, asker);
        current = asked.id;
        sent?.(current);
        asked.sent?.catch(
          this.#around.guard((error: unknown) => {
            if (requests.forget(asked.id)) emit(refusedOnTheWay(id, error));
          }),
        );
      } catch {
        emit(unsentRequest(id, unwritable));
      }
    };
    send(request.params);
    return () => requests.cancel(current);
  }
  #callTask(
    { id, params }: ListRequest,
    requests: PendingRequests,
    emit: Emit<RequestFact>,
    by: Address,
  ): () => void {
    try {
      const call = new TaskCall(id, params, {
        requests,
        by,
        timers: this.#around.timers,
        emit,
        reason: () => this.#transport?.lost?.reason ?? connectionEnded,
        onOver: () => this.#tasks.delete(call),
      });
      this.#tasks.add(call);
      return () => call.cancel();
    } catch {
      emit(unsentRequest(id, unwritable));
      return nothing;
    }
  }
  #noted(emit: Emit<RequestFact>): Emit<RequestFact> {
    return (fact) => {
      if (fact.type === 'ask.answered') {
        const { tools } = fact.result as { readonly tools: readonly Tool[] };
        const ofTasks = tools.filter(({ execution }) => execution?.taskSupport === 'required');
        this.#asTasks = new Set(ofTasks.map(({ name }) => name));
      }
      emit(fact);
    };
  }
  announceRoots(): void {
    if (this.#state === 'open' && this.#options.answers?.roots)
      this.#requests?.notify('notifications/roots/list_changed')?.catch(nothing);
  }

  close(): void {
    this.#state = 'closed';
    this.#handshake?.over();
    for (const call of this.#tasks) call.cancel();
    this.#requests?.withdrawAll();
    this.#end();
  }
  async closed(): Promise<void> {
    await this.#transport?.closed?.();
  }
  #end(): void {
    this.#asked?.close();
    this.#transport?.close().catch(nothing);
  }

  #version({ protocolVersion }: PendingRequests): string {
    return this.#transport?.revision ?? protocolVersion;
  }
  #opened(
    { opened: { protocolVersion, info }, greeting }: Extract<Opened, { readonly opened: Initialized }>,
    transport: McpTransport,
  ): void {
    // Fails when the server answered `initialize` and ended directly afterwards.
    if (transport.lost) return this.#fail(handshakeFailure(undefined, transport.lost.reason));
    if (this.#state !== 'connecting') return;
    this.#state = 'open';
    this.#handshake?.over();
    this.#capabilities = info.capabilities;
    this.greeting = greeting;
    const spoken = transport.revision ?? protocolVersion;
    this.#emit({ type: 'session.opened', info: { ...info, protocolVersion: spoken } });
  }
  /** Until the session is open only cancellations count: no list is known yet that could have changed. */
  #hear(method: string, params: unknown): void {
    if (method === 'notifications/cancelled') return this.#asked?.withdraw(params);
    if (this.#state !== 'open') return;
    this.#options.heard?.(this.#input.server, method, params);
    if (method === 'notifications/tasks/status') for (const call of this.#tasks) call.hear(params);
    const fact = factOfNotification(method, params);
    if (fact) return this.#emit(fact);
    const line = logOf(method, params);
    if (line) this.#options.log?.(this.#input.server, line);
  }
  #fail(failure: Failure): void {
    if (this.#state !== 'connecting') return;
    this.#state = 'lost';
    this.#handshake?.over();
    this.#end();
    this.#emit({ type: 'session.failed', failure });
  }
  fault(reason: string): void {
    if (this.#isClosed()) return;
    this.#state = 'lost';
    this.#handshake?.over();
    this.#end();
    try {
      this.#requests?.lose();
    } finally {
      if (this.#capabilities) this.#emit({ type: 'session.lost', reason });
      else this.#emit({ type: 'session.failed', failure: handshakeFailure(undefined, reason) });
    }
  }
  /** While connecting, the handshake itself fails a moment later with a better reason. */
  #lose(): void {
    this.#asked?.close();
    if (this.#state === 'connecting') this.#requests?.lose();
    if (this.#state !== 'open') return;
    this.#state = 'lost';
    this.#requests?.lose();
    for (const call of this.#tasks) call.lose();
    // Returns when a caller that was told of the loss has already closed the session.
    if (this.#isClosed()) return;
    this.#emit({ type: 'session.lost', ...(this.#transport?.lost ?? { reason: connectionEnded }) });
  }
  #isClosed(): boolean {
    return this.#state === 'closed';
  }
}

/** JSON-RPC error code of MCP 2025-11-25 by which a server says that a person has to open a web page before this call. */
const urlElicitationRequired = -32_042;
type Page = Extract<ElicitRequest['params'], { mode: 'url' }>;
type Refusal = Extract<RequestFact, { type: 'ask.refused' }>;

interface PageWorld {
  /** Undefined when the host cannot. Rejects when the page is no longer wanted. */
  readonly show: ((page: Page, signal: AbortSignal) => Promise<ElicitResult>) | undefined;
  readonly ask: (emit: Emit<RequestFact>) => () => void;
  readonly isClosed: () => boolean;
}

/** When the server wants a web page opened first, shows the page and sends the call a second time. */
function callWithPages(emit: Emit<RequestFact>, { show, ask, isClosed }: PageWorld): () => void {
  const unwanted = new AbortController();
  let isAgain = false;
  const told: Emit<RequestFact> = (fact) => {
    const pages = fact.type === 'ask.refused' ? pagesOf(fact) : [];
    if (fact.type !== 'ask.refused' || pages.length === 0) return emit(fact);
    if (isAgain || !show) return emit(naming(fact, pages));
    isAgain = true;
    void agreed(pages, (page) => show(page, unwanted.signal)).then((isAgreed) => {
      if (unwanted.signal.aborted || isClosed()) return;
      if (isAgreed) withdraw = ask(told);
      else emit(naming(fact, pages));
    });
  };
  let withdraw = ask(told);
  return () => {
    unwanted.abort();
    withdraw();
  };
}
async function agreed(pages: readonly Page[], show: (page: Page) => Promise<ElicitResult>): Promise<boolean> {
  try {
    for (const page of pages) if ((await show(page)).action !== 'accept') return false;
    return true;
  } catch {
    // Counts a failure to show the page, or the end of the session, as a refusal by the person.
    return false;
  }
}
function pagesOf({ failure: { details } }: Refusal): readonly Page[] {
  if (details?.['code'] !== urlElicitationRequired) return [];
  const { elicitations } = fieldsOf(details['data']);
  return (Array.isArray(elicitations) ? elicitations : []).flatMap((one) => {
    try {
      return [readElicitation({ ...fieldsOf(one), mode: 'url' }, () => {}) as Page];
    } catch {
      return [];
    }
  });
}
function naming(fact: Refusal, pages: readonly Page[]): Refusal {
  const urls = pages.map(({ url }) => url).join(', ');
  return {
    ...fact,
    failure: {
      ...fact.failure,
      message: `${fact.failure.message}: ${urls}`,
      remedy: `Open ${urls}, do what it asks for, then call again`,
    },
  };
}
