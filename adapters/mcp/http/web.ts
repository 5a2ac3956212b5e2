import type { SessionLost } from '../../../machines/kernel/ports.ts';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import type { IncomingMessage } from 'node:http';
import { QueueLimiter } from '../../call-limiters.ts';
import type { Around, McpTransport, Refused } from '../transport.ts';
import { refusedBy, verdictOn } from '../refused-request.ts';
import { check } from './forgotten.ts';
import { Http, type Exchange } from './http.ts';
import type { Phase } from './http-failures.ts';
import { cut } from '../messages/noise.ts';
import { Inbox } from '../messages/inbox.ts';
import type { Web } from './remote.ts';

/** Saying good-bye takes at most this long. */
const partingMs = 2_000;

/** A ping that asks whether a session is known gets so long. The request that is in doubt waits for it. */
const checkMs = 5_000;

/** So many calls of one session are under way over HTTP; more wait in the limiter of their server, where they are seen. */
export const mostCalls = 32;
/** So many requests; the rest waits its turn. Lists, reads and pings have room beside the calls. */
const mostRequests = mostCalls + 8;

/** What sessions over HTTP share: what is said, how it is refused, an end that is told once, and a good-bye. */
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
  readonly #limiter = new QueueLimiter(mostRequests);
  /** How each request leaves that waits its turn. */
  readonly #waiting = new Map<unknown, () => void>();
  #parting: Promise<void> = Promise.resolve();
  #checking: Promise<void> | undefined;

  constructor({ url: text, headers, timeoutMs, credentials, proxy, ca }: Web, around: Around) {
    const url = new URL(text);
    this.around = around;
    this.http = new Http({ url, headers, timeoutMs, credentials, proxy, ca }, around);
    this.inbox = new Inbox(around, (message) => this.deliver(message));
    this.redact = (text) => cut(text, around.redact);
  }
  abstract start(): Promise<void>;
  abstract send(message: JSONRPCMessage): Promise<void>;
  protected abstract deliver(message: JSONRPCMessage): void;
  /** It is over: what listens and what waits is given up. `isLost`: who waits is told that it was not sent. */
  protected abstract giveUp(isLost: boolean): void;
  /** The last word to a server that is left. */
  protected async sayFarewell(): Promise<void> {}

  get step(): McpTransport['step'] {
    return this.http.step;
  }
  setProtocolVersion(version: string): void {
    this.version = version;
  }
  /** What is pending is aborted; what is being said, such as cancels, and the farewell get `partingMs`. */
  close(): Promise<void> {
    if (this.isOver) return this.#parting;
    this.isOver = true;
    this.giveUp(false);
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
  /** Runs it when it is its turn. `run` never rejects. */
  protected inTurn(id: RequestId, run: () => Promise<void>): void {
    const waits = this.#limiter.isFull;
    const leave = this.#limiter.enter(() => {
      this.#waiting.delete(id);
      void run().finally(() => leave());
    });
    if (waits) this.#waiting.set(id, leave);
  }
  /** True: it waited, and will never run. */
  protected drop(id: unknown): boolean {
    this.#waiting.get(id)?.();
    return this.#waiting.delete(id);
  }
  /** All that waited; none of it will ever run. */
  protected dropAll(): readonly unknown[] {
    return [...this.#waiting.keys()].filter((id) => this.drop(id));
  }
  /** Resolves when the server has taken it; `id`: it is the request that this may be the answer to. */
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
  /** What a status other than success means. */
  protected async judge(
    answer: IncomingMessage,
    { phase = this.phase, ...at }: { id: RequestId | undefined; hasSession: boolean; phase?: Phase },
  ): Promise<void> {
    const verdict = await verdictOn(answer, { ...at, phase, url: this.http.url, redact: this.redact });
    if ('answer' in verdict) return this.inbox.message(verdict.answer, verdict.bytes);
    const { refused, ends, unlessKnown } = verdict;
    if (ends) this.end(ends);
    if (!unlessKnown || (at.id !== check && (await this.isKnown()))) throw refused;
    this.end(unlessKnown.ends);
    throw unlessKnown.refused;
  }
  /** Pings the server under the id `check`; a ping that is refused alike ends the session. Rejects when it is refused. */
  protected abstract ping(body: string): Promise<void>;
  /** Whether the server knows the session still. One ping serves all who doubt at the same time. */
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
  /** One turn later: whoever is being refused for a reason of its own hears that first. */
  protected end(lost: SessionLost): void {
    if (this.isOver) return;
    this.isOver = true;
    this.giveUp(true);
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
