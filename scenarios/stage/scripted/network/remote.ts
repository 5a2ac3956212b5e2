import type { OpenRequest } from '../../../../adapters/mcp/transport.ts';
import type { StreamableSpec } from '../../../../adapters/mcp/http/remote.ts';
import type { Hands } from '../answering.ts';
import type {
  Broken,
  HttpRefusal,
  Met,
  Passing,
  Pending,
  RefusalInTime,
  RemoteEnd,
  Script,
  Session,
} from '../script.ts';
import type { Message } from '../wires.ts';
import { Exchange, type HttpAsked } from './exchange.ts';

/** Then a client may open a broken event stream again, as the fault server asks for. */
const retryMs = 100;
/** A server forgets a session after this time without a connection of its client. */
const memoryMs = 10_000;
/** Until a server that hangs up, or whose process died, is there again. */
const awayMs = 1_000;

export interface RemoteHands extends Pick<Hands, 'now' | 'after'> {
  stir(): void;
  begin(server: string, remote: RemoteEnd): Session;
  hear(session: Session, message: Message, read: () => void): void;
  leave(session: Session): void;
}
interface Down {
  readonly until: number;
  readonly areFaultsCleared: () => boolean;
}
interface AnswerStream {
  readonly exchange: Exchange;
  readonly name: string;
  broken?: Broken;
}
/** An event stream for each request, and one for messages that belong to no request. */
interface HttpSession {
  readonly id: string;
  readonly session: Session;
  readonly streams: Map<unknown, AnswerStream>;
  /** Of answers that broke off, by the id of the event before them. */
  readonly rests: Map<string, string>;
  readonly unheard: string[];
  listening: Exchange | undefined;
  /** Since then the client has held no connection. */
  leftAt: number;
}
const momentOf = { 'tools/list': 'list', 'tools/call': 'call', 'resources/read': 'read' } as const;
const isMoment = (method: string): method is keyof typeof momentOf => Object.hasOwn(momentOf, method);
const eventOf = (text: string, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${text}\n\n`;

/** Reads requests of the real HTTP transport, and applies faults to a request before it is read. */
export class Remote {
  readonly #hands: RemoteHands;
  readonly #down = new Map<string, Down>();
  readonly #sessions = new Map<string, HttpSession>();
  #count = 0;

  constructor(hands: RemoteHands) {
    this.#hands = hands;
  }
  readonly specOf = (server: string): StreamableSpec => {
    const url = `http://servers.test/${encodeURIComponent(server)}`;
    return {
      kind: 'streamable',
      url,
      headers: {},
      terminateOnClose: true,
      timeoutMs: 0,
      sseReadTimeoutMs: 0,
    };
  };
  readonly openRequest: OpenRequest = (url, options) => {
    const server = decodeURIComponent(url.pathname.slice(1));
    const read = (asked: HttpAsked, exchange: Exchange): void => this.#read(server, asked, exchange);
    return new Exchange(url, options, { read, stir: this.#hands.stir }).request;
  };
  #read(server: string, { method, headers, body }: HttpAsked, exchange: Exchange): void {
    if (this.#isDown(server)) return exchange.refuse();
    const message = body === '' ? undefined : (JSON.parse(body) as Message);
    const http =
      message?.method === 'initialize'
        ? this.#begin(server)
        : this.#sessions.get(headers['mcp-session-id'] ?? '');
    if (!http) return refuse(exchange, { status: 404 }, 'Session not found');
    if (method === 'GET') return this.#listen(http, exchange, headers['last-event-id']);
    if (method === 'DELETE') {
      this.#forget(http);
      return reply(exchange, 200);
    }
    if (message?.id === undefined)
      return this.#hands.hear(http.session, message as Message, () => reply(exchange, 202));
    this.#count += 1;
    const { id } = message;
    http.streams.set(id, { exchange, name: `${http.id}.${this.#count}` });
    exchange.onAbort = () => {
      http.streams.delete(id);
      http.session.pending.delete(id);
      this.#rest(http);
    };
    this.#hands.hear(http.session, message, () => {});
  }
  #begin(server: string): HttpSession {
    const id = `session-${(this.#count += 1)}`;
    const session = this.#hands.begin(server, {
      id,
      write: (message) => this.#write(http, message as Message),
      end: () => this.#away(server, { downMs: awayMs, forgetsAll: true, areFaultsCleared: () => false }),
    });
    const http: HttpSession = {
      id,
      session,
      streams: new Map(),
      rests: new Map(),
      unheard: [],
      listening: undefined,
      leftAt: 0,
    };
    this.#sessions.set(id, http);
    return http;
  }
  #isDown(server: string): boolean {
    const down = this.#down.get(server);
    return down !== undefined && this.#hands.now() < down.until && !down.areFaultsCleared();
  }

  /** `ask` is called when the request gets through. */
  meet(session: Session, { id, method }: Pending, params: unknown, ask: (lateMs: number) => void): void {
    const http = this.#of(session);
    const stream = http?.streams.get(id);
    if (!http || !stream) return;
    const { child } = session;
    const { script } = child;
    const refused = (refusal: HttpRefusal, ms: number): void =>
      this.#hands.after(child, ms, () => this.#refuse(http, id, refusal));
    const atDoor = method === 'initialize' ? refusalOf(script) : script.door?.(method);
    if (atDoor) return refused(atDoor, atDoor.afterMs ?? 1);
    const tool = method === 'tools/call' ? (params as { readonly name?: string }).name : undefined;
    const moment = method === 'initialize' ? method : isMoment(method) ? momentOf[method] : undefined;
    const { instead, answer, later = [] }: Partial<Met> = (moment && script.meets?.(moment, tool)) ?? {};
    for (const passing of later) this.#hands.after(child, passing.afterMs, () => this.#pass(http, passing));
    if (instead && 'never' in instead) return;
    if (instead && ('status' in instead || 'resets' in instead)) return refused(instead, 1 + instead.afterMs);
    if (instead)
      return this.#hands.after(child, 1 + instead.afterMs, () => {
        if ('forgets' in instead) this.#refuse(http, id, { status: 404 });
        this.#pass(http, instead);
      });
    open(stream.exchange, http.id);
    if (answer && 'broken' in answer) this.#willBreak(stream, answer.broken);
    ask(answer && 'lateMs' in answer ? answer.lateMs : 0);
  }
  #refuse(http: HttpSession, id: number, refusal: HttpRefusal): void {
    http.session.pending.delete(id);
    const stream = http.streams.get(id);
    if (!stream) return;
    this.#drop(http, id);
    refuse(stream.exchange, refusal, 'not today');
  }
  forget(session: Session): void {
    const http = this.#of(session);
    if (http) this.#forget(http);
  }
  #of({ remote }: Session): HttpSession | undefined {
    return remote && this.#sessions.get(remote.id);
  }

  #listen(http: HttpSession, exchange: Exchange, lastEventId = ''): void {
    open(exchange, http.id);
    const rest = http.rests.get(lastEventId);
    if (rest !== undefined) return exchange.end(rest);
    http.listening = exchange;
    exchange.onAbort = () => {
      if (http.listening === exchange) http.listening = undefined;
      this.#rest(http);
    };
    exchange.write(`retry: ${retryMs}\n\n`);
    for (const text of http.unheard.splice(0)) exchange.write(eventOf(text));
  }
  #willBreak(stream: AnswerStream, broken: Broken): void {
    stream.broken = broken;
    if (broken === 'resumes') stream.exchange.write(`id: ${stream.name}.0\nretry: ${retryMs}\ndata:\n\n`);
  }
  #write(
    http: HttpSession,
    message: Message & { readonly params?: { readonly progressToken?: unknown } },
  ): void {
    const text = JSON.stringify(message);
    const about = message.method === undefined ? message.id : message.params?.progressToken;
    const stream = http.streams.get(about);
    if (about === undefined && http.listening) http.listening.write(eventOf(text));
    else if (about === undefined) http.unheard.push(text);
    else if (stream && message.method !== undefined) stream.exchange.write(eventOf(text));
    else if (stream) this.#answer(http, message.id as number, stream, text);
  }
  #answer(http: HttpSession, id: number, { exchange, name, broken }: AnswerStream, text: string): void {
    this.#drop(http, id);
    if (broken === undefined) return exchange.end(eventOf(text));
    const event = eventOf(text, broken === 'resumes' ? `${name}.1` : undefined);
    if (broken === 'resumes') http.rests.set(`${name}.0`, event);
    exchange.write(event.slice(0, 20));
    exchange.cut();
  }
  #drop(http: HttpSession, id: number): void {
    http.streams.delete(id);
    this.#rest(http);
  }
  #rest(http: HttpSession): void {
    const isLeft = (): boolean => !http.listening && http.streams.size === 0;
    if (!isLeft() || http.session.state === 'over') return;
    http.leftAt = this.#hands.now();
    this.#hands.after(http.session.child, memoryMs, () => {
      if (isLeft() && this.#hands.now() - http.leftAt >= memoryMs) this.#forget(http);
    });
  }

  #pass(http: HttpSession, passing: Passing): void {
    if ('forgets' in passing) this.#forget(http);
    else this.#away(http.session.child.server, passing);
  }
  #away(server: string, { downMs, forgetsAll, areFaultsCleared }: Exclude<Passing, { forgets: true }>): void {
    this.#down.set(server, { until: this.#hands.now() + downMs, areFaultsCleared });
    for (const http of [...this.#sessions.values()]) {
      if (http.session.child.server !== server) continue;
      if (forgetsAll) this.#forget(http);
      else this.#cut(http);
    }
  }
  #forget(http: HttpSession): void {
    this.#sessions.delete(http.id);
    this.#hands.leave(http.session);
    this.#cut(http);
  }
  /** Those of requests one by one, then the one that the client opens again. */
  #cut(http: HttpSession): void {
    const { streams, session, listening } = http;
    session.pending.clear();
    for (const { exchange } of streams.values()) exchange.cut();
    streams.clear();
    http.listening = undefined;
    listening?.cut();
    this.#rest(http);
  }
}

const refusalOf = ({ initialize }: Script): RefusalInTime | undefined =>
  typeof initialize === 'object' && ('status' in initialize || 'resets' in initialize)
    ? initialize
    : undefined;
const open = (exchange: Exchange, session: string): void =>
  exchange.head(200, { 'content-type': 'text/event-stream', 'mcp-session-id': session });
function reply(exchange: Exchange, status: number): void {
  exchange.head(status);
  exchange.end();
}
function refuse(exchange: Exchange, refusal: HttpRefusal, message: string): void {
  if ('resets' in refusal) return exchange.cut();
  const { status, retryAfter = 0 } = refusal;
  const more = retryAfter > 0 ? { 'retry-after': String(retryAfter) } : {};
  exchange.head(status, { 'content-type': 'application/json', ...more });
  exchange.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_001, message } }));
}
