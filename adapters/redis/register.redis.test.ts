/** Tests of the register with a Redis that has replicas, and of servers that take each other's place. */
import { Redis } from 'ioredis';
import { expect, it, onTestFinished } from 'vitest';
import type {
  ClaimAnswer,
  Holder,
  Register,
  RegisterNews,
  RegisterOptions,
  RenewedLease,
} from '../../machines/office/rooms/register.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { RedisServer } from '../../scenarios/fixtures/redis.ts';
import { RedisCluster } from '../../scenarios/fixtures/redis-places.ts';
import { redisRegister } from './register.ts';

const patience = { timeout: 40_000, interval: 50 };
const leaseMs = 10_000;
const told: string[] = [];
const registerAt = ({ url }: RedisServer, replicas: number): Promise<Register> => opened(url, replicas);
async function opened(place: RegisterOptions['place'], replicas = 0): Promise<Register> {
  const notice = (text: string): unknown => told.push(text);
  return closedAfter(await redisRegister({ place, leaseMs, replicas, notice }));
}
const renew = (of: Register) => new Promise<RenewedLease | undefined>((resolve) => of.renew(resolve));
const claim = (of: Register, name: string, socket = 's') =>
  new Promise<ClaimAnswer | undefined>((resolve) =>
    of.claim({ socket, seat: { office: 'o', role: 'computer', name }, minAgeMs: 0 }, resolve),
  );
const seats = async (of: Register): Promise<readonly string[]> => {
  const found = await new Promise<readonly Holder[] | undefined>((resolve) => of.seats(resolve));
  return (found ?? []).map(({ seat }) => seat.name);
};
async function pair(): Promise<readonly [RedisServer, RedisServer]> {
  const first = await RedisServer.start();
  const second = await RedisServer.start(undefined, ['--replicaof', `${first.host} ${first.port}`]);
  onTestFinished(async () => void (await Promise.all([first.kill(), second.kill()])));
  await follows(second);
  return [first, second];
}
async function follows(replica: RedisServer): Promise<void> {
  const link = () => replica.ask('INFO', 'replication');
  await expect.poll(link, patience).toContain('master_link_status:up');
}

it('a seat is not given when no replica has it, so a promoted replica that lacks it takes it from nobody', async () => {
  const [master, replica] = await pair();
  const [safe, careless] = [await registerAt(master, 1), await registerAt(master, 0)];
  await renew(careless);
  const before = await renew(safe);
  expect(await claim(safe, 'both have')).toMatchObject({ ok: true });
  // Follows nobody from now on, and keeps what it has.
  await replica.ask('REPLICAOF', '192.0.2.1', '1');
  expect(await claim(safe, 'the master alone has')).toBeUndefined();
  expect(await renew(safe)).toBeUndefined();
  expect(told.join()).toContain('fewer than 1 replicas');
  // Without replicas the same claim is granted, and lost with the master.
  expect(await claim(careless, 'lost')).toMatchObject({ ok: true });
  await master.kill();
  await replica.ask('REPLICAOF', 'NO', 'ONE');
  const promoted = await registerAt(replica, 0);
  expect((await renew(promoted))?.since).not.toBe(before?.since);
  expect(await seats(promoted)).toEqual(['both have']);
});

it('a server that becomes the master for the second time counts as new, although it has its old data', async () => {
  const [first, second] = await pair();
  const a = await registerAt(first, 0);
  const sinceOf = async (of: Register): Promise<number | undefined> => (await renew(of))?.since;
  const began = await sinceOf(a);
  await second.ask('REPLICAOF', 'NO', 'ONE');
  const next = await sinceOf(await registerAt(second, 0));
  // Never follows the second one: it is promoted before it has any of its data.
  await first.ask('REPLICAOF', '192.0.2.1', '1');
  await first.ask('REPLICAOF', 'NO', 'ONE');
  await expect.poll(() => sinceOf(a), patience).toBeDefined();
  const again = await sinceOf(a);
  expect([next, again].filter((one) => one === undefined || one === began)).toEqual([]);
  expect(again).not.toBe(next);
  expect(await sinceOf(a)).toBe(again);
});

it('a node that opens, and one that was there before, are nothing odd to each other', async () => {
  const redis = closedAfter(await RedisServer.start());
  told.length = 0;
  const heard: string[] = [];
  const first = await registerAt(redis, 0);
  await new Promise((resolve) => first.listen(({ type }) => heard.push(type), resolve));
  const second = await registerAt(redis, 0);
  await renew(second);
  expect(await claim(second, 'one')).toMatchObject({ ok: true });
  await expect.poll(() => heard, patience).toEqual(['taken']);
  expect(told).toEqual([]);
});

it.each([{}, { stringNumbers: true }, { enableAutoPipelining: true }])(
  'a seat can be taken as soon as it is left, also where Redis forgot its scripts, by a client with %o',
  async (options) => {
    const redis = closedAfter(await RedisServer.start());
    const register = await opened(new Redis(redis.url, { ...options, lazyConnect: true }));
    await renew(register);
    let held = await claim(register, 'one', 'first');
    for (const socket of ['second', 'third']) {
      if (held?.ok !== true) throw new Error('it was not given');
      await redis.ask('SCRIPT', 'FLUSH');
      register.release({ office: 'o', role: 'computer', name: 'one' }, held.fence, () => {});
      held = await claim(register, 'one', socket);
      expect(held).toMatchObject({ ok: true });
    }
  },
);

it.each(['one server', 'a Cluster'])(
  'messages of a node are heard in their order, also after a large one, and wait for its connection, over %s',
  async (place) => {
    const [cluster, single] =
      place === 'a Cluster' ? [await RedisCluster.start()] : [undefined, await RedisServer.start()];
    onTestFinished(async () => void (await Promise.all([cluster?.kill(), single?.kill()])));
    const redis = single ?? cluster?.servers[0];
    if (!redis) throw new Error('there is no server');
    const [from, to] = [await registerAt(redis, 0), await registerAt(redis, 0)];
    const heard: number[] = [];
    const hear = (news: RegisterNews): void => {
      if (news.type === 'message' && news.message.type === 'answer')
        for (const ack of news.message.ack as readonly [Uint8Array | string]) heard.push(ack.length);
    };
    await new Promise((resolve) => to.listen(hear, resolve));
    const send = (ack: Uint8Array | string) =>
      new Promise((resolve) => from.send(to.node, { type: 'answer', id: 1, ack: [ack] }, resolve));
    const large = [send(Buffer.alloc(2_000_000)), send('é'.repeat(100_000))];
    expect(await Promise.all(large)).toEqual([true, true]);
    const small = Array.from({ length: 200 }, (_, count) => 'x'.repeat(count));
    expect(await Promise.all(small.map(send))).toEqual(small.map(() => true));
    const sizes = [2_000_000, 100_000, ...small.keys()];
    await expect.poll(() => heard.length, patience).toBe(sizes.length);
    expect(heard).toEqual(sizes);
    for (const move of [async () => {}, async () => cluster?.move('{a2c:0}:fence')]) {
      await move();
      await expect.poll(() => send('there'), patience).toBe(true);
      const server = (await cluster?.masterOf('{a2c:0}:fence')) ?? redis;
      await server.ask('CLIENT', 'KILL', 'TYPE', 'normal');
      expect(await Promise.all(small.map(send))).toEqual(small.map(() => false));
      await expect.poll(() => send('again'), patience).toBe(true);
    }
  },
);

it('while a slot of a Cluster is served by nobody no office opens, and no message is kept to be sent behind later ones', async () => {
  const cluster = closedAfter(await RedisCluster.start());
  const owner = await cluster.masterOf('{a2c:0}:fence');
  const slot = (await owner.ask('CLUSTER', 'KEYSLOT', '{a2c:0}:fence')).trim();
  const [from, to] = [await registerAt(owner, 0), await registerAt(owner, 0)];
  const heard: number[] = [];
  const hear = (news: RegisterNews): void => {
    if (news.type === 'message' && news.message.type === 'lost') heard.push(news.message.id);
  };
  await new Promise((resolve) => to.listen(hear, resolve));
  const results: unknown[] = [];
  const send = async (id: number): Promise<unknown> => {
    const result = await new Promise((resolve) => from.send(to.node, { type: 'lost', id }, resolve));
    results.push(result);
    return result;
  };
  for (const server of cluster.servers) await server.ask('CLUSTER', 'DELSLOTS', slot);
  await expect(registerAt(owner, 0)).rejects.toMatchObject({
    ...{ kind: 'unreached', message: 'The Redis Cluster serves nobody now (CLUSTERDOWN)' },
  });
  const early = Array.from({ length: 20 }, (_, id) => send(id));
  const back = owner.ask('CLUSTER', 'ADDSLOTS', slot);
  let id = early.length;
  await expect.poll(() => send((id += 1)), { ...patience, interval: 1 }).toBe(true);
  await back;
  await Promise.all(early);
  await expect.poll(() => heard.length, patience).toBe(results.filter((one) => one === true).length);
  expect(heard).toEqual(heard.toSorted((a, b) => a - b));
  expect(new Set(results)).toEqual(new Set([false, true]));
});

it('a node keeps its lease while Redis has no room for anything new', async () => {
  const redis = closedAfter(await RedisServer.start());
  const register = await registerAt(redis, 0);
  const before = await renew(register);
  await redis.ask('CONFIG', 'SET', 'maxmemory', '1');
  expect(await claim(register, 'one')).toBeUndefined();
  expect(await renew(register)).toMatchObject({ lease: before?.lease });
});

it('large messages of 160 MiB wait for Redis at most: those beyond are told as not sent, the others come', async () => {
  const redis = closedAfter(await RedisServer.start());
  const [from, to] = [await registerAt(redis, 0), await registerAt(redis, 0)];
  let heard = 0;
  await new Promise((resolve) => to.listen(() => (heard += 1), resolve));
  const ack = ['x'.repeat(20 * 1024 * 1024 - 1_000)];
  const results: unknown[] = [];
  const send = () => from.send(to.node, { type: 'answer', id: 1, ack }, (is) => results.push(is));
  redis.pause();
  for (let n = 0; n < 9; n += 1) send();
  await expect.poll(() => results).toEqual([false]);
  redis.resume();
  await expect.poll(() => results, patience).toEqual([false, ...Array.from({ length: 8 }, () => true)]);
  await expect.poll(() => heard, patience).toBe(8);
});

it('an office that wants more replicas than there are does not open', async () => {
  const [master] = await pair();
  await expect(registerAt(master, 2)).rejects.toMatchObject({
    message: 'Redis has 1 replicas that answer, and the office wants 2',
    remedy: expect.stringContaining('--redis-replicas'),
  });
});

it('claims wait in a Cluster for the replica of the server that has them, also after it has moved', async () => {
  const cluster = closedAfter(await RedisCluster.start());
  const [one] = cluster.servers;
  if (!one) throw new Error('there is no server');
  let register: Register | undefined;
  await expect
    .poll(async () => (register = await registerAt(one, 1).catch(() => undefined)), patience)
    .toBeDefined();
  if (!register) throw new Error('it was not opened');
  await renew(register);
  expect(await claim(register, 'first')).toMatchObject({ ok: true });
  await cluster.move('{a2c:0}:fence');
  await expect.poll(() => renew(register as Register), patience).toBeDefined();
  await expect.poll(async () => (await claim(register as Register, 'second'))?.ok, patience).toBe(true);
  expect((await seats(register)).toSorted()).toEqual(['first', 'second']);
  const master = await cluster.masterOf('{a2c:0}:fence');
  for (const server of cluster.servers)
    if ((await server.ask('ROLE')).includes(String(master.port))) server.pause();
  expect(await claim(register, 'third')).toBeUndefined();
});
