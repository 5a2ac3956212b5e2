import { request } from 'node:http';
import { callOf, initializeOf, textOf, type Message, type Peer, type Start } from './fault-server-harness.ts';

/** As far as it came; `broken`: the connection ended before it was whole. */
interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly broken: string | undefined;
  readonly ms: number;
}
interface Sent {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly message?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

class Remote {
  readonly peer: Peer;
  #session: string | undefined;
  url = '';
  constructor(peer: Peer) {
    this.peer = peer;
  }
  async stand(): Promise<this> {
    await this.peer.until(({ lines }) => lines.length > 0);
    this.url = (JSON.parse(this.peer.lines[0] ?? '') as { url: string }).url;
    return this;
  }
  get headers(): Record<string, string> {
    return this.#session === undefined ? {} : { 'mcp-session-id': this.#session };
  }
  send({ method = 'POST', message, headers = {} }: Sent): Promise<Reply> {
    const began = performance.now();
    return new Promise((resolve) => {
      let reply: Omit<Reply, 'broken' | 'ms'> = { status: 0, headers: {}, text: '' };
      const done = (broken?: string): void => resolve({ ...reply, broken, ms: performance.now() - began });
      const asked = request(this.url, { method, headers: { ...this.headers, ...headers }, agent: false });
      asked.on('error', (error) => done('code' in error ? String(error.code) : error.message));
      asked.on('response', (answer) => {
        reply = { ...reply, status: answer.statusCode ?? 0, headers: answer.headers };
        answer
          .setEncoding('utf8')
          .on('data', (text: string) => (reply = { ...reply, text: reply.text + text }));
        answer.on('error', () => {});
        answer.on('close', () => done(answer.complete ? undefined : 'cut'));
      });
      asked.end(message && JSON.stringify({ jsonrpc: '2.0', ...message }));
    });
  }
  async initialize(): Promise<Reply> {
    this.#session = undefined;
    const reply = await this.send({ message: initializeOf('2025-06-18') });
    const { 'mcp-session-id': session } = reply.headers;
    if (typeof session === 'string') this.#session = session;
    return reply;
  }
  call(id: number): Promise<Reply> {
    return this.send({ message: callOf(id) });
  }
}
const messagesIn = ({ text }: Reply): Message[] =>
  text.split('\n').flatMap((line) => (/^data: ?\{/.test(line) ? [JSON.parse(line.slice(5)) as Message] : []));
export const saidIn = (reply: Reply): unknown[] => messagesIn(reply).map(textOf);

export const remoteWith = (start: Start, config: object): Promise<Remote> =>
  new Remote(start({ http: {}, ...config })).stand();
export const meeting = async (start: Start, fault: object): Promise<Remote> => {
  const remote = await remoteWith(start, { faults: [{ times: 1, ...fault }] });
  await remote.initialize();
  return remote;
};
