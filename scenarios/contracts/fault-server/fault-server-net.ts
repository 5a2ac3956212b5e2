import { request } from 'node:http';
import { expect } from 'vitest';
import {
  callOf,
  initializeOf,
  textOf,
  type Rules,
  type Message,
  type Peer,
  type Start,
} from './fault-server-harness.ts';

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
const saidIn = (reply: Reply): unknown[] => messagesIn(reply).map(textOf);

export const remoteWith = (start: Start, config: object): Promise<Remote> =>
  new Remote(start({ http: {}, ...config })).stand();
const meeting = async (start: Start, fault: object): Promise<Remote> => {
  const remote = await remoteWith(start, { faults: [{ times: 1, ...fault }] });
  await remote.initialize();
  return remote;
};

export const netRules: Rules = {
  'net.httpStatus': {
    rule: 'answers with its status and Retry-After, and has not run the tool',
    holds: async (start) => {
      const remote = await meeting(start, { fault: 'net.httpStatus', status: 429, retryAfter: 7 });
      const refused = await remote.call(1);
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '7']);
      expect(remote.peer.facts.filter(({ got }) => got === 'tools/call')).toEqual([]);
      expect(saidIn(await remote.call(2))).toEqual(['text 2']);
    },
  },
  'net.sessionGone': {
    rule: 'knows the session no more: 404 to a request that names it, the end of its streams, and a new one is another',
    holds: async (start) => {
      const remote = await meeting(start, { fault: 'net.sessionGone' });
      const listening = remote.send({ method: 'GET' });
      await remote.send({ message: { id: 'ping', method: 'ping' } });
      expect([(await remote.call(1)).status, (await remote.call(2)).status]).toEqual([404, 404]);
      expect((await listening).broken).toBe('cut');
      const before = remote.headers['mcp-session-id'];
      await remote.initialize();
      expect(remote.headers['mcp-session-id']).not.toBe(before);
    },
  },
  'net.sseCut': {
    rule: 'breaks its answer off, and has the rest for who comes back with the last id where it is to',
    holds: async (start) => {
      const remote = await remoteWith(start, {
        faults: [
          { fault: 'net.sseCut', bytes: 20, times: 1 },
          { fault: 'net.sseCut', bytes: 5, resumes: true, from: 2 },
        ],
      });
      await remote.initialize();
      const [cut, resumed] = [await remote.call(1), await remote.call(2)];
      expect([cut.status, cut.text.length, cut.broken]).toEqual([200, 20, 'cut']);
      const [, id = ''] = /^id: (.+)$/m.exec(resumed.text) ?? [];
      const rest = await remote.send({ method: 'GET', headers: { 'last-event-id': id } });
      expect([resumed.broken, saidIn(resumed), saidIn(rest)]).toEqual(['cut', [], ['text 2']]);
    },
  },
  'net.reset': {
    rule: 'resets the connection, and goes on with the next',
    holds: async (start) => {
      const remote = await meeting(start, { fault: 'net.reset' });
      expect(await remote.call(1)).toMatchObject({ status: 0, broken: 'ECONNRESET' });
      expect(saidIn(await remote.call(2))).toEqual(['text 2']);
    },
  },
  'net.slow': {
    rule: 'takes so long from the first byte of its answer to the last',
    holds: async (start) => {
      const remote = await meeting(start, { fault: 'net.slow', ms: 70 });
      const slow = await remote.call(1);
      expect([saidIn(slow), slow.ms >= 69]).toEqual([['text 1'], true]);
    },
  },
  'net.hang': {
    rule: 'takes the request and says nothing, and answers the next',
    holds: async (start) => {
      const remote = await meeting(start, { fault: 'net.hang' });
      let isAnswered = false;
      void remote.call(1).then(() => (isAnswered = true));
      await remote.peer.until(({ facts }) => facts.some(({ did }) => did === 'net.hang'));
      expect([saidIn(await remote.call(2)), isAnswered]).toEqual([['text 2'], false]);
    },
  },
  'net.serverDown': {
    rule: 'is not there for so long, and then where it was, its sessions forgotten',
    holds: async (start) => {
      const remote = await meeting(start, { fault: 'net.serverDown', ms: 500 });
      expect((await remote.call(1)).broken).toBe('ECONNRESET');
      let reply = await remote.call(2);
      expect(reply.broken).toBe('ECONNREFUSED');
      while (reply.broken === 'ECONNREFUSED') reply = await remote.call(3);
      expect(reply.status).toBe(404);
      expect((await remote.initialize()).status).toBe(200);
    },
  },
};
