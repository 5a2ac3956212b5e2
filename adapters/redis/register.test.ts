/** Test of a register whose Redis answers with values of other types, and sends other messages than those of nodes. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { Register, RegisterNews } from '../../machines/office/rooms/register.ts';
import { redisRegister } from './register.ts';

type Reply = string;
const bulk = (text: string): Reply => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
const list = (...items: readonly Reply[]): Reply => `*${items.length}\r\n${items.join('')}`;
const push = (...items: readonly Reply[]): Reply => list(...items).replace('*', '>');
const nested = (levels: number): Reply => '*1\r\n'.repeat(levels) + ':1\r\n';
const odd: Readonly<Record<string, Reply>> = {
  nil: '$-1\r\n',
  'a nil list': '*-1\r\n',
  'a number': ':1\r\n',
  'a large number': ':9223372036854775807\r\n',
  'a status': '+OK\r\n',
  'an error': '-ERR no\r\n',
  'an empty text': bulk(''),
  text: bulk('{"type":"taken"}'),
  bytes: '$3\r\n\u0000\u0001\u0002\r\n',
  'an empty list': '*0\r\n',
  'lists in a list': list(list(), list(':1\r\n', '$-1\r\n')),
  'a list 1,000 deep': nested(1_000),
  'an unknown word': list(bulk('lent'), ':1\r\n'),
  'a seat without a number': list(bulk('held')),
  'a seat with another number': list(bulk('held'), bulk('x')),
  'a holder that is none': list(bulk('taken'), bulk('{}')),
  'a holder that is no JSON': list(bulk('taken'), bulk('{')),
  'a holder that is a list': list(bulk('taken'), list()),
  'a lease of texts': list(bulk('a'), bulk('b'), bulk('c')),
  'a map': `%1\r\n${bulk('held')}:1\r\n`,
  true: '#t\r\n',
  'a fraction': ',1.5\r\n',
  'a list of nils': list('$-1\r\n', '$-1\r\n', '$-1\r\n'),
};

class OddRedis {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly subscribers = new Map<string, Socket>();
  reply: Reply | undefined;

  constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      let held = '';
      socket.on('error', () => {});
      socket.on('data', (bytes) => {
        held += bytes.toString('latin1');
        for (let next = commandIn(held); next; next = commandIn(held)) {
          held = held.slice(next.length);
          socket.write(this.#answer(next.words, socket), 'latin1');
        }
      });
    });
  }
  async listen(): Promise<string> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `redis://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  #answer([name = '', ...words]: readonly string[], socket: Socket): Reply {
    const command = name.toLowerCase();
    if (command === 'subscribe') {
      for (const channel of words) this.subscribers.set(channel, socket);
      return words.map((channel, n) => push(bulk('subscribe'), bulk(channel), `:${n + 1}\r\n`)).join('');
    }
    if (command === 'hello') return `%2\r\n${bulk('server')}${bulk('redis')}${bulk('proto')}:3\r\n`;
    if (command === 'info') return bulk('redis_version:7.0.0\r\nloading:0\r\n');
    if (this.reply !== undefined && command !== 'client') return this.reply;
    return /^evalsha?$/.test(command) ? ':1\r\n' : '+OK\r\n';
  }
  publish(channel: string, said: string): void {
    this.subscribers.get(channel)?.write(push(bulk('message'), bulk(channel), bulk(said)));
  }
  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
function commandIn(text: string): { readonly words: readonly string[]; readonly length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (!head) return undefined;
  const words: string[] = [];
  let at = head[0].length;
  for (let n = Number(head[1]); n > 0; n -= 1) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(at, at + 20));
    if (!size) return undefined;
    const from = at + size[0].length;
    at = from + Number(size[1]) + 2;
    if (at > text.length) return undefined;
    words.push(text.slice(from, at - 2));
  }
  return { words, length: at };
}

const seat = { office: 'o', role: 'computer', name: 'c' } as const;
const requests: Readonly<Record<string, (of: Register, told: (result: unknown) => void) => void>> = {
  claim: (of, told) => of.claim({ socket: 's', seat, minAgeMs: 0 }, told),
  release: (of, told) => of.release(seat, 1, told),
  renew: (of, told) => of.renew(told),
  dead: (of, told) => of.dead(['n'], told),
  seats: (of, told) => of.seats(told),
  at: (of, told) => of.at(seat, told),
  send: (of, told) => of.send('n', { type: 'lost', id: 1 }, told),
  sendLarge: (of, told) => of.send('n', { type: 'answer', id: 1, ack: ['x'.repeat(200_000)] }, told),
};
/** Answers that have the type of what was asked; a list of texts that are no seats is a list of none. */
const texts = ['a seat without a number', 'a seat with another number', 'a holder that is none'];
const right: Readonly<Record<string, readonly string[]>> = {
  claim: ['a map'],
  release: ['a number', 'a large number', 'true'],
  dead: ['a seat without a number'],
  seats: ['an empty list', 'a holder that is no JSON', 'a lease of texts', ...texts],
  at: ['nil', 'a nil list'],
  send: ['a number', 'a large number', 'true', 'an error'],
  sendLarge: ['a number', 'a large number', 'true', 'an error'],
};
async function opened(): Promise<{ redis: OddRedis; register: Register; told: string[] }> {
  const redis = new OddRedis();
  const told: string[] = [];
  onTestFinished(() => redis.close());
  const place = await redis.listen();
  const register = await redisRegister({ place, leaseMs: 10_000, notice: (text) => told.push(text) });
  onTestFinished(() => register.close());
  return { redis, register, told };
}

it('an answer of Redis of any other type is an error of its request, is told once, and ends nothing', async () => {
  const { redis, register, told } = await opened();
  const wrong: unknown[] = [];
  for (const [kind, reply] of Object.entries(odd)) {
    redis.reply = reply;
    for (const [name, ask] of Object.entries(requests)) {
      let times = 0;
      const result = await new Promise((resolve) => {
        ask(register, (one) => {
          times += 1;
          resolve(one);
        });
      });
      const isRight = right[name]?.includes(kind) === true;
      if (times !== 1 || (result !== undefined) !== isRight) wrong.push({ name, kind, result, times });
    }
  }
  expect(wrong).toEqual([]);
  expect(told.filter((text) => text.includes('of another type'))).toHaveLength(1);
});

it('a message that Redis refuses, such as for want of memory, is told as not sent', async () => {
  const { redis, register } = await opened();
  redis.reply = '-OOM command not allowed when used memory > maxmemory\r\n';
  const sent = (name: string) => new Promise((resolve) => requests[name]?.(register, resolve));
  expect(await Promise.all([sent('send'), sent('sendLarge')])).toEqual([false, false]);
});

it('a message on a channel that is none of the nodes is ignored, and those after it are heard', async () => {
  const { redis, register, told } = await opened();
  const heard: RegisterNews[] = [];
  await new Promise<unknown>((resolve) => register.listen((news) => heard.push(news), resolve));
  const [mail, news] = [`{a2c:0}:mail:${register.node}`, '{a2c:0}:news'];
  const texts = ['', 'x', 'null', '1', '"x"', '[]', '{}', '[1,2]', '["n",null]', '["n",{"type":"ask"}]']
    .concat([
      '["n",{"type":"check","ids":1}]',
      '["n",{"type":"answer"},"k",-1]',
      '["n",{"type":"__proto__"}]',
    ])
    .concat(['{"type":"taken"}', '{"type":"taken","holder":1}', '{"type":"freed","seat":null,"fence":1}'])
    .concat(['{"type":"ended"}', '{"type":"ended","node":[]}', '{"type":"message","from":"n","message":{}}'])
    .concat([
      '{"type":"resumed"}',
      `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
      '3[[[',
      '51-["x",{"_placeholder":true}]',
    ]);
  for (const text of texts) {
    redis.publish(news, text);
    for (const head of ['', '3', '6', '2']) redis.publish(mail, head + text);
  }
  redis.publish(news, '{"type":"ended","node":"n"}');
  redis.publish(mail, '3["n",{"type":"lost","id":7}]');
  await expect.poll(() => heard.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
  expect(heard).toEqual([
    { type: 'ended', node: 'n' },
    { type: 'message', from: 'n', message: { type: 'lost', id: 7 } },
  ]);
  expect(told.filter((text) => text.includes('of another type'))).toHaveLength(1);
});
