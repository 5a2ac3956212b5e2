import { EventEmitter } from 'node:events';
import type { ClientRequest, IncomingHttpHeaders, RequestOptions } from 'node:http';
import { Readable } from 'node:stream';

const withCode = (code: string): Error => Object.assign(new Error(code), { code });
const socket = { connecting: false, ref: () => {}, unref: () => {} };

/** Answer as the client reads it, like `IncomingMessage` of Node. */
class Answer extends Readable {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  /** Tells whether the whole body has come. */
  complete = false;

  constructor(statusCode: number, headers: IncomingHttpHeaders) {
    super({ read: () => {} });
    this.statusCode = statusCode;
    this.headers = headers;
  }
  /** Emits an error only where somebody listens, as `IncomingMessage` does. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    done(this.listenerCount('error') > 0 ? error : null);
  }
}

/** Header names are in lower case. */
export interface HttpAsked {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
export interface ExchangeHands {
  /** Called in the turn in which the request was sent. */
  read(asked: HttpAsked, exchange: Exchange): void;
  /** For each event that goes to the client, which may have work to do then. */
  stir(): void;
}

/** `request` has the events of a request of Node; what a side does once the connection is gone is dropped. */
export class Exchange {
  readonly request: ClientRequest;
  onAbort = (): void => {};
  readonly #events = new EventEmitter();
  readonly #hands: ExchangeHands;
  #answer: Answer | undefined;
  #isOver = false;
  #isRefused = false;

  constructor(url: URL, { method = 'GET', headers = {} }: RequestOptions, hands: ExchangeHands) {
    this.#hands = hands;
    const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
    const send = (body = ''): void => {
      hands.read({ method, url, headers: Object.fromEntries(named) as HttpAsked['headers'], body }, this);
      if (!this.#isRefused) this.#events.emit('socket', socket);
    };
    const destroy = (error: Error): void => {
      if (this.#isOver) return;
      this.#end(error, process.nextTick);
      this.onAbort();
    };
    this.request = Object.assign(this.#events, { socket, end: send, destroy }) as unknown as ClientRequest;
  }
  head(status: number, headers: Readonly<Record<string, string>> = {}): void {
    if (this.#isOver || this.#answer) return;
    const answer = new Answer(status, headers);
    this.#answer = answer;
    answer.once('close', () => {
      const isAborted = !this.#isOver && !answer.complete;
      this.#isOver = true;
      this.#events.emit('close');
      if (isAborted) this.onAbort();
    });
    this.#later(() => this.#events.emit('response', answer));
  }
  write(text: string): void {
    if (this.#isOver || !this.#answer || this.#answer.complete) return;
    this.#hands.stir();
    this.#answer.push(Buffer.from(text));
  }
  end(text = ''): void {
    if (text !== '') this.write(text);
    if (this.#isOver || !this.#answer) return;
    this.#hands.stir();
    this.#answer.complete = true;
    this.#answer.push(null);
  }
  /** After what was written before. */
  cut(): void {
    if (!this.#isOver && this.#answer?.complete !== true)
      this.#end(withCode('ECONNRESET'), (tell) => void setImmediate(tell));
  }
  refuse(): void {
    this.#isRefused = true;
    if (!this.#isOver) this.#end(withCode('ECONNREFUSED'), (tell) => void setImmediate(tell));
  }
  #end(error: Error, later: (tell: () => void) => void): void {
    this.#isOver = true;
    const answer = this.#answer;
    this.#later(() => {
      if (answer) return void answer.destroy(error);
      this.#events.emit('error', error);
      this.#events.emit('close');
    }, later);
  }
  /** Later in this moment, as a socket does. */
  #later(tell: () => void, later: (tell: () => void) => void = process.nextTick): void {
    this.#hands.stir();
    later(() => {
      this.#hands.stir();
      tell();
    });
  }
}
