import type { SessionLost } from '../../../machines/ports/session.ts';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import type { IncomingMessage } from 'node:http';
import type { Around, McpTransport, Refused } from '../transport.ts';
import { refusedBy, verdictOn } from '../refused-request.ts';
import { check } from './forgotten.ts';
import { Http, type Exchange } from './http.ts';
import type { Phase } from './http-failures.ts';
import { cut } from '../messages/noise.ts';
import { Inbox } from '../messages/framing.ts';
import type { Web } from './remote.ts';

/** Longest time in ms for the last messages to a server whose session is being closed. */
const partingMs = 2_000;

/** Limit in ms for a ping that asks whether the server still knows a session, because refused requests wait for the result. */
const checkMs = 5_000;

/** Base class of the transports over HTTP: it sends, judges refusals, reports the end once, and sends a last message. */
export abstract class WebTransport implements McpTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: McpTransport['onmessage'];
  lost: SessionLost | undefined;
  protected readonly around: Around;
  protected readonly http: Http;
  protected readonly inbox: Inbox;
  protected version: string | undefined;
  protected isOver = false;
  protected readonly redact: (text: string) => string;
  readonly #saying = new Set<Promise<unknown>>();
  #parting: Promise<void> = Promise.resolve();
  #checking: Promise<void> | undefined;

  constructor({ url: text, headers, timeoutMs, credentials, proxy, ca }: Web, around: Around) {
    const url = new URL(text);
    this.around = around;
    this.http = new Http({ url, headers, timeoutMs, credentials, proxyFor: () => proxy, ca }, around);
    this.inbox = new Inbox(around, (message) => this.deliver(message));
    this.redact = (text) => cut(text, around.redact);
  }
  abstract start(): Promise<void>;
  abstract send(message: JSONRPCMessage): Promise<void>;
  protected abstract deliver(message: JSONRPCMessage): void;
  protected abstract giveUp(): void;
  protected async sayFarewell(): Promise<void> {}

  get step(): McpTransport['step'] {
    return this.http.step;
  }
  setProtocolVersion(version: string): void {
    this.version = version;
  }
  /** Messages under way, such as cancellations, and the last message get 2 s. */
  close(): Promise<void> {
    if (this.isOver) return this.#parting;
    this.isOver = true;
    this.giveUp();
    this.#parting = this.#part();
    this.onclose?.();
    return Promise.resolve();
  }
  closed(): Promise<void> {
    return this.#parting;
  }

  protected get phase(): Phase {
    return this.version === undefined ? 'initialize' : 'session';
  }
  protected say({ answer }: Exchange, id: RequestId | undefined, hasSession: boolean): Promise<void> {
    const saying = answer
      .then(async (came) => {
        const { statusCode: status = 0 } = came;
        if (status >= 200 && status <= 299) came.resume();
        else await this.judge(came, { id, hasSession });
      })
      .catch((error: unknown) => Promise.reject(this.refused(error)))
      .finally(() => this.#saying.delete(saying));
    this.#saying.add(saying);
    return saying;
  }
  /** Passes on a JSON-RPC answer in the body, or rejects and perhaps ends the session. */
  protected async judge(
    answer: IncomingMessage,
    { phase = this.phase, ...at }: { id: RequestId | undefined; hasSession: boolean; phase?: Phase },
  ): Promise<void> {
    const { url } = this.http;
    const verdict = await verdictOn(answer, { ...at, phase, url, redact: this.redact });
    if ('answer' in verdict) return this.inbox.message(verdict.answer, verdict.bytes);
    const { refused, ends, unlessKnown } = verdict;
    if (ends) this.end(ends);
    if (!unlessKnown || (at.id !== check && (await this.isKnown()))) throw refused;
    this.end(unlessKnown.ends);
    throw unlessKnown.refused;
  }
  /** Ends the session when the refusal of the ping also says that it is unknown. May reject when refused. */
  protected abstract ping(body: string): Promise<void>;
  /** One ping for all refused requests that wait for the result. */
  protected async isKnown(): Promise<boolean> {
    const { timers } = this.around;
    this.#checking ??= new Promise<void>((resolve) => {
      const timer = timers.setTimeout(resolve, checkMs);
      const body = JSON.stringify({ jsonrpc: '2.0', id: check, method: 'ping' });
      const over = (): void => {
        timers.clearTimeout(timer);
        resolve();
      };
      this.ping(body).then(over, over);
    }).finally(() => (this.#checking = undefined));
    await this.#checking;
    return !this.isOver;
  }
  protected refused(error: unknown): Refused {
    return refusedBy(error, this.phase);
  }
  /** Reports the end one turn of the event loop later, so that a refused request gets its own reason first. */
  protected end(lost: SessionLost): void {
    if (this.isOver) return;
    this.isOver = true;
    this.giveUp();
    setImmediate(() => {
      this.lost = lost;
      this.http.close();
      this.onclose?.();
    });
  }
  async #part(): Promise<void> {
    const { timers } = this.around;
    const timer = timers.setTimeout(() => this.http.close(), partingMs);
    this.http.rest();
    await Promise.allSettled(this.#saying);
    await this.sayFarewell();
    timers.clearTimeout(timer);
    this.http.close();
    await this.http.closed();
  }
}
