/** MCP over streamable HTTP: one request for each message, and a stream for what comes unasked. */
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import type { IncomingMessage } from 'node:http';
import { mediaTypeOf, readAnswer, type Body, type StreamEnd } from '../bodies.ts';
import { errorOf, type RpcError } from '../messages/envelope.ts';
import { NotSent, Refused, type Around, type McpTransport } from '../transport.ts';
import { check, maySpeakOfSession } from './forgotten.ts';
import type { Exchange } from './http.ts';
import { brokenOff, causeWords, expired, notMcp, unreadable } from './http-failures.ts';
import type { StreamableSpec } from './remote.ts';
import { Reopening, reopenDefaults, type Over, type Reopen } from './reopening.ts';
import { WebTransport } from './web.ts';
import type { Request } from '../stateless/revision.ts';

/** Time in ms that a server gets to end the stream of a POST after its answer has come. */
const lingerMs = 1_000;
const nothing = (): void => {};

const silent: readonly number[] = [202, 204];

interface Posted {
  readonly id: RequestId;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  isAnswered: boolean;
  abort: () => void;
}

/** MCP 2025-03-26 and later: a POST for each message, and one GET for what the server sends by itself. */
export class StreamableTransport extends WebTransport {
  readonly #spec: StreamableSpec;
  readonly #reopen: Reopen;
  readonly #posted = new Map<unknown, Posted>();
  #listening: Reopening | undefined;
  #session: string | undefined;
  /** Error that may mean a forgotten session; a ping decides. */
  #doubted: RpcError | undefined;
  headersFor: ((request: Request) => Record<string, string>) | undefined;

  constructor(spec: StreamableSpec, around: Around, reopen: Reopen = reopenDefaults) {
    super(spec, around);
    this.#spec = spec;
    this.#reopen = reopen;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }
  /** For a request, resolves when the exchange is over; for others, when the server has accepted the message. */
  send(message: JSONRPCMessage): Promise<void> {
    const body = JSON.stringify(message);
    if (this.isOver) return Promise.reject(new NotSent('the session is over'));
    if ('method' in message && 'id' in message)
      return this.#ask(message.id, body, this.headersFor?.(message as Request));
    if ('method' in message && message.method === 'notifications/cancelled')
      return this.#cancel(message.params?.['requestId'], body);
    if (!('method' in message) || message.method !== 'notifications/initialized') return this.#tell(body);
    return this.#tell(body, false).finally(() => this.#listen());
  }

  #headers(accept: string): Record<string, string> {
    return {
      accept,
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
      ...(this.version !== undefined && { 'mcp-protocol-version': this.version }),
    };
  }
  #tell(body: string, hasSession: boolean = this.#session !== undefined): Promise<void> {
    return this.say(this.#post(body, false), undefined, hasSession);
  }
  #post(body: string, isPatient: boolean, more: Readonly<Record<string, string>> = {}): Exchange {
    const headers = {
      ...this.#headers('application/json, text/event-stream'),
      'content-type': 'application/json',
      ...more,
    };
    return this.http.send({ method: 'POST', headers, body, isPatient });
  }

  #ask(id: RequestId, body: string, headers: Posted['headers'] = {}): Promise<void> {
    const posted: Posted = { id, body, headers, isAnswered: false, abort: nothing };
    this.#posted.set(id, posted);
    return this.#run(posted)
      .catch((error: unknown) => Promise.reject(this.refused(error)))
      .finally(() => this.#posted.delete(id));
  }
  async #run(posted: Posted): Promise<void> {
    const hasSession = this.#session !== undefined;
    const exchange = this.#post(posted.body, this.version !== undefined, posted.headers);
    posted.abort = exchange.abort;
    const answer = await exchange.answer;
    const { statusCode: status = 0, headers } = answer;
    if (status < 200 || status > 299) return this.judge(answer, { id: posted.id, hasSession });
    const session = headers['mcp-session-id'];
    if (this.version === undefined && typeof session === 'string') {
      this.#session = session;
      this.around.hideSession?.(session);
    }
    await this.#read(answer, posted);
  }
  async #read(answer: IncomingMessage, posted: Posted): Promise<void> {
    const status = answer.statusCode ?? 0;
    const stream = this.#reopening(() => posted.isAnswered);
    const { timers, messageBytes } = this.around;
    let linger: unknown;
    const { found } = stream;
    const event: typeof found.event = (...said) => {
      found.event(...said);
      if (posted.isAnswered) linger ??= timers.setTimeout(() => answer.destroy(), lingerMs);
    };
    const limits = { timers, silenceMs: 0, limit: messageBytes };
    const ended = await readAnswer(answer, { ...found, event }, limits);
    timers.clearTimeout(linger);
    if ('stream' in ended) return this.#takeUp(ended.stream, stream, posted);
    this.#take(ended.body, posted, status);
    // The response may come on the stream of the GET, as some servers send it against the specification.
    if (posted.isAnswered || silent.includes(status)) return;
    const type = mediaTypeOf(answer);
    const what = /\bjson\b/.test(type) ? 'something else' : type || 'no content type';
    // Reports the request as lost when its answer cannot be read: the server accepted it, so the outcome is unknown.
    throw new Refused(notMcp(what, status), 'lost');
  }
  #take(body: Body, posted: Posted, status: number): void {
    if ('broken' in body) throw new Refused(brokenOff(body.broken, this.phase), 'lost');
    if ('unpackable' in body) throw new Refused(unreadable(body.unpackable, status, this.phase), 'lost');
    if ('overlong' in body) return this.inbox.refuse(posted.id, body.overlong);
    if (body.text !== '') this.inbox.text(body.text, body.bytes);
  }
  /** Resumes the broken stream of an answer when the server gives ids to its events; otherwise the request is lost. */
  async #takeUp(end: StreamEnd, stream: Reopening, posted: Posted): Promise<void> {
    if (posted.isAnswered) return;
    if (end.how === 'unpackable') throw new Refused(unreadable(end.cause, 200, this.phase), 'lost');
    if (!stream.canResume || this.isOver) throw new Refused(brokenOff(end.cause, this.phase), 'lost');
    posted.abort = () => stream.stop();
    const over = await stream.run(true);
    if (posted.isAnswered) return;
    if (over.how === 'refused') this.#forgotten(over);
    const cause = over.how === 'unreachable' ? over.cause : end.cause;
    throw new Refused(brokenOff(cause, this.phase), 'lost');
  }
  #cancel(requestId: unknown, body: string): Promise<void> {
    // Only after the notification, because in revisions with sessions, closing the stream cancels nothing.
    const posted = this.#posted.get(requestId);
    return this.#tell(body).finally(() => posted?.abort());
  }
  /** Ends a request of the MCP revision without sessions, whose servers take the closed stream as a cancellation. */
  abort(requestId: unknown): void {
    this.#posted.get(requestId)?.abort();
  }
  protected deliver(message: JSONRPCMessage): void {
    if (!('method' in message)) {
      const posted = this.#posted.get(message.id);
      if (posted) this.#hears(message, posted);
      if (message.id === check) return;
    }
    if (!this.isOver) this.onmessage?.(message);
  }
  /** Marks the request as answered when the message is its answer. */
  #hears(message: JSONRPCMessage, posted: Posted): void {
    posted.isAnswered = true;
    if (this.#session === undefined || this.version === undefined) return;
    const error = errorOf(message);
    if (posted.id !== check) {
      if (!error || !maySpeakOfSession(error)) return;
      this.#doubted = error;
      return void this.isKnown();
    }
    const doubted = this.#doubted;
    this.#doubted = undefined;
    if (doubted && error && (error.message === doubted.message || maySpeakOfSession(error)))
      this.#expire(error.message);
  }
  protected ping(body: string): Promise<void> {
    // Ignores a ping that is refused by its HTTP status, because that status is judged already.
    return this.#ask(check, body).catch(() => (this.#doubted = undefined));
  }
  #expire(said: string): void {
    const { message } = expired(200, this.redact(said));
    this.end({ reason: message, isExpired: true });
  }
  leaveSession(): void {
    this.sayFarewell().catch(nothing);
    this.#session = undefined;
  }

  #reopening(isDone: () => boolean): Reopening {
    const { sseReadTimeoutMs: silenceMs } = this.#spec;
    const found = {
      event: (type: string, data: string, bytes: number) =>
        type === 'message' && this.inbox.text(data, bytes),
      overlong: (head: string, tail: string, bytes: number) => this.inbox.overlong(head, tail, bytes),
    };
    const open = (lastEventId: string | undefined): Exchange =>
      this.http.send({
        method: 'GET',
        // Applies the time-out to connecting only, because some gateways send the headers only with the first event.
        isPatient: true,
        headers: {
          ...this.#headers('text/event-stream'),
          ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
        },
      });
    return new Reopening({ open, found, isDone, silenceMs }, this.around, this.#reopen);
  }
  #listen(): void {
    if (this.isOver) return;
    this.#listening = this.#reopening(() => false);
    void this.#listening.run().then((over) => {
      if (over.how === 'refused') return this.#forgotten(over);
      if (over.how === 'unreachable')
        return this.end({ reason: `the server cannot be reached: ${causeWords(over.cause)}` });
      if (over.how === 'exhausted') this.#note('the server holds no stream open: its news are missed');
    });
  }
  /** Without an earlier stream, 404 only means that the server offers none, for which 405 would be correct. */
  #forgotten({ status, wasOpen }: Extract<Over, { how: 'refused' }>): void {
    if (status === 404 && wasOpen && this.#session !== undefined)
      this.end({ reason: 'the server has forgotten this session (HTTP 404)', isExpired: true });
    else if (status !== 405) this.#note(`the server refused its event stream with HTTP ${status}`);
  }
  #note(text: string): void {
    this.around.notice({ kind: 'protocol', text, bytes: 0 });
  }

  protected override refused(error: unknown): Refused {
    const refused = super.refused(error);
    // Ends the session with a server that cannot be reached, unless an open stream shows that the server lives.
    const isUnreachable = !refused.sent && refused.failure.details?.['cause'] !== undefined;
    if (isUnreachable && this.version !== undefined && !this.#listening?.isOpen)
      this.end({ reason: refused.failure.message });
    return refused;
  }
  protected giveUp(): void {
    this.#listening?.stop();
  }
  protected override async sayFarewell(): Promise<void> {
    if (!this.#spec.terminateOnClose || this.#session === undefined) return;
    const headers = this.#headers('application/json, text/event-stream');
    await this.http.send({ method: 'DELETE', headers }).answer.then((answer) => answer.resume(), nothing);
  }
}

/** Adds the translation between revisions of MCP. */
export type Speak = (transport: McpTransport, http?: StreamableTransport) => McpTransport;
