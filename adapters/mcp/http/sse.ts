import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import type { IncomingMessage } from 'node:http';
import { mediaTypeOf, readAnswer, type Ended } from '../bodies.ts';
import { NotSent, Refused, type Around } from '../transport.ts';
import { refusedBy } from '../refused-request.ts';
import { check } from './forgotten.ts';
import { causeWords, notMcp, placeOf, unreadable } from './http-failures.ts';
import type { SseSpec } from './remote.ts';
import { WebTransport } from './web.ts';

const nothing = (): void => {};

/** MCP 2024-11-05. The stream is the session: when it breaks, all pending requests are lost. */
export class SseTransport extends WebTransport {
  readonly #spec: SseSpec;
  #endpoint: URL | undefined;
  #problem: Refused | undefined;
  #silence: unknown;
  #pings = 0;

  constructor(spec: SseSpec, around: Around) {
    super(spec, around);
    this.#spec = spec;
  }
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#open(resolve).catch((error: unknown) => reject(refusedBy(error, 'connect')));
    });
  }
  send(message: JSONRPCMessage): Promise<void> {
    const body = JSON.stringify(message);
    if (this.isOver) return Promise.reject(new NotSent('the session is over'));
    if ('method' in message && 'id' in message) return this.#post(message.id, body);
    const isFirst = 'method' in message && message.method === 'notifications/initialized';
    // Does not take a refusal for a forgotten session while the session is still being opened.
    return this.#post(undefined, body, !isFirst);
  }
  get #headers(): Record<string, string> {
    return this.version === undefined ? {} : { 'mcp-protocol-version': this.version };
  }
  async #open(opened: () => void): Promise<void> {
    const headers = { ...this.#headers, accept: 'text/event-stream' };
    const answer = await this.http.send({ method: 'GET', headers }).answer;
    const { statusCode: status = 0 } = answer;
    if (status !== 200) return this.judge(answer, { id: undefined, hasSession: false, phase: 'connect' });
    const ended = await this.#read(answer, opened);
    if (this.#problem) throw this.#problem;
    const end = 'stream' in ended ? ended.stream : undefined;
    if (end?.how === 'unpackable' && this.#endpoint === undefined)
      throw new Refused(unreadable(end.cause, status, 'connect'), 'answered');
    if (this.#endpoint === undefined) {
      const what = end ? 'a stream without an endpoint' : mediaTypeOf(answer) || 'no content type';
      throw new Refused(notMcp(what, status), 'answered');
    }
    this.end({ reason: `the event stream ended: ${causeWords(end?.cause ?? 'it ended')}` });
  }
  #read(answer: IncomingMessage, opened: () => void): Promise<Ended> {
    const { timers, messageBytes } = this.around;
    const { timeoutMs } = this.#spec;
    const patience = timeoutMs > 0 ? timers.setTimeout(() => answer.destroy(), timeoutMs) : undefined;
    answer.on('data', () => this.#wait());
    const found = {
      event: (type: string, data: string, bytes: number): void => {
        if (type === 'message') return this.inbox.text(data, bytes);
        if (type !== 'endpoint' || this.#endpoint !== undefined) return;
        timers.clearTimeout(patience);
        const endpoint = endpointOf(data, this.http.url);
        if (endpoint instanceof URL) {
          this.#endpoint = endpoint;
          for (const id of endpoint.searchParams.values()) this.around.hideSession?.(id);
          return opened();
        }
        this.#problem = endpoint;
        answer.destroy();
      },
      overlong: (head: string, tail: string, bytes: number) => this.inbox.overlong(head, tail, bytes),
      id: nothing,
      retry: nothing,
    };
    return readAnswer(answer, found, { timers, silenceMs: 0, limit: messageBytes });
  }
  /** Pings a server whose stream was silent for too long, and ends the session when no answer comes. Silence alone does not end it. */
  #wait(): void {
    const { timers } = this.around;
    const { sseReadTimeoutMs, timeoutMs } = this.#spec;
    if (sseReadTimeoutMs <= 0 || this.isOver) return;
    timers.clearTimeout(this.#silence);
    this.#silence = timers.setTimeout(() => {
      if (this.#endpoint === undefined) return;
      this.#pings += 1;
      const ping = JSON.stringify({ jsonrpc: '2.0', id: this.#pingId, method: 'ping' });
      this.#post(undefined, ping).catch(nothing);
      this.#silence = timers.setTimeout(
        () => this.end({ reason: 'the event stream fell silent' }),
        timeoutMs > 0 ? timeoutMs : sseReadTimeoutMs,
      );
    }, sseReadTimeoutMs);
  }
  get #pingId(): string {
    return `sign-of-life-${this.#pings}`;
  }
  protected deliver(message: JSONRPCMessage): void {
    if (this.isOver || (this.#pings > 0 && 'id' in message && message.id === this.#pingId)) return;
    if ('id' in message && message.id === check && !('method' in message)) return;
    this.onmessage?.(message);
  }
  protected ping(body: string): Promise<void> {
    return this.#post(check, body);
  }

  #post(id: RequestId | undefined, body: string, mayBeForgotten = true): Promise<void> {
    const url = this.#endpoint;
    if (url === undefined) return Promise.reject(new NotSent('the server has named no address yet'));
    const headers = { ...this.#headers, 'content-type': 'application/json' };
    const posting = this.http.send({ method: 'POST', url, headers, body });
    return this.say(posting, id, mayBeForgotten && this.phase === 'session');
  }
  protected giveUp(): void {
    this.around.timers.clearTimeout(this.#silence);
  }
}

const isNonsense = (text: string): boolean => text === '' || /^["'`{[<]|\s/.test(text);

/** Another origin is refused, because our headers with secrets go there. */
function endpointOf(data: string, base: URL): URL | Refused {
  const text = data.trim();
  const refused = (what: string): Refused => new Refused(notMcp(what, 200), 'answered');
  if (isNonsense(text) || !URL.canParse(text, base.href))
    return refused(`${JSON.stringify(text.slice(0, 200))} as its address for messages`);
  const url = new URL(text, base);
  if (url.origin === base.origin && !url.username) return url;
  const origins = `${placeOf(url)} is its address for messages, and it was asked at ${base.origin}`;
  return new Refused(
    {
      ...notMcp('an endpoint of another origin', 200),
      message: `the endpoint of the server is of another origin: ${origins}; headers with secrets go to no other origin`,
      remedy: `give this server the URL at ${placeOf(url)}, or have the proxy before it name its own address`,
    },
    'answered',
  );
}
