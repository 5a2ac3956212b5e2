/** Tests of nodes on each form of Redis (a Unix socket, TLS, Sentinel and Cluster) and of its fail-over. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { RedisServer } from '../../scenarios/fixtures/redis.ts';
import { RedisCluster, RedisSentinels } from '../../scenarios/fixtures/redis-places.ts';
import { openNode as node, peerAt, textOf } from '../../scenarios/fixtures/office-nodes.ts';
import { fixtureFile, testFolder } from '../../scenarios/fixtures/test-folder.ts';
import type { SeatedPeer } from '../../scenarios/fixtures/seated-peer.ts';
import type { Office } from '../index.ts';

const folder = testFolder('redis');
const leaseMs = 1_500;
/** Lease that outlasts a fail-over: a node whose lease ended meanwhile would give up its seats. */
const failoverLeaseMs = 20_000;
const peer = (office: Office, name: string): SeatedPeer => peerAt(office, name).serve();
let calls = 0;
const taken = [true, null];
type Where = Parameters<typeof node>[0];
async function pair(a: Where, b = a) {
  const nodes = await Promise.all([node(a), node(b)]);
  const [agent, far] = [peer(nodes[0], 'alice'), peer(nodes[1], 'far')];
  expect([await agent.join('agent'), await far.join('computer')]).toEqual([taken, taken]);
  const reaches = async () => textOf(await agent.call('far', 'greet', `r${(calls += 1)}`, 5));
  return { nodes, agent, reaches };
}
const clientOf = ({ sentinels, name }: RedisSentinels): Redis => {
  const places = sentinels.map(({ port }) => ({ host: '127.0.0.1', port }));
  return new Redis({ sentinels: places, name, lazyConnect: true });
};
const patience = { timeout: 120_000, interval: 200 };

describe('two nodes of an office', () => {
  it('agree in a Redis at a unix socket', async () => {
    const path = join(folder, 'redis.sock');
    closedAfter(await RedisServer.start(undefined, ['--unixsocket', path]));
    expect(await (await pair({ url: path, leaseMs })).reaches()).toBe('far greet');
  });

  it('agree in a Redis with a certificate of an authority of their own, by a client', async () => {
    const tls = fixtureFile('tls/');
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    closedAfter(
      await RedisServer.start(undefined, [
        ...['--tls-port', String(port), '--tls-auth-clients', 'no', '--tls-ca-cert-file', `${tls}ca.pem`],
        ...['--tls-cert-file', `${tls}office.pem`, '--tls-key-file', `${tls}office.key`],
      ]),
    );
    const ca = await readFile(`${tls}ca.pem`);
    const client = new Redis({ host: 'localhost', port, tls: { ca }, lazyConnect: true });
    expect(await (await pair({ client, leaseMs })).reaches()).toBe('far greet');
    expect(client.status).toBe('wait');
    await expect(node(`rediss://localhost:${port}`)).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('agree with a client that their host has, and leave it as it is; or with what makes one', async () => {
    const redis = closedAfter(await RedisServer.start());
    const client = new Redis(redis.url, { keyPrefix: 'host:', db: 3 });
    onTestFinished(() => client.disconnect());
    let made = 0;
    const factory = (): Redis => {
      made += 1;
      return new Redis(redis.url, { lazyConnect: true, keyPrefix: 'host:', db: 3 });
    };
    const { nodes, reaches } = await pair({ client, leaseMs }, { client: factory, leaseMs });
    expect(await reaches()).toBe('far greet');
    expect(made).toBeGreaterThan(0);
    const keys = (await redis.ask('-n', '3', 'KEYS', '*')).trim().split('\n');
    expect(keys.filter((key) => !key.startsWith('host:{a2c:3}:'))).toEqual([]);
    for (const one of nodes) await one.close();
    expect(await client.ping()).toBe('PONG');
  });

  it('agree with Sentinel, and go on when the replica has taken the place of the master', async () => {
    const redis = closedAfter(await RedisSentinels.start());
    const { nodes, agent, reaches } = await pair({ client: clientOf(redis), leaseMs: failoverLeaseMs });
    expect(await reaches()).toBe('far greet');
    await redis.master.kill();
    await expect.poll(reaches, patience).toBe('far greet');
    // Seats are still taken after the fail-over, and new seats can be taken.
    expect((await peer(nodes[0], 'far').join('computer'))[0]).toBe(false);
    const late = peer(nodes[0], 'late');
    await expect.poll(() => late.join('computer'), patience).toEqual(taken);
    expect(agent.socket.connected).toBe(true);
  });

  it('agree with Sentinel, also where the first one that is asked hangs', async () => {
    const redis = closedAfter(await RedisSentinels.start());
    redis.sentinels[0]?.pause();
    expect(await (await pair({ client: clientOf(redis), leaseMs })).reaches()).toBe('far greet');
  });

  it('agree in a Cluster, whichever node is named, and go on when one of its masters is gone', async () => {
    const redis = closedAfter(await RedisCluster.start());
    const [first, ...others] = redis.servers;
    const { nodes, reaches } = await pair(
      { url: first?.url ?? '', leaseMs: failoverLeaseMs },
      { url: others[0]?.url ?? '', leaseMs: failoverLeaseMs },
    );
    expect(await reaches()).toBe('far greet');
    for (const { url } of others) await (await node({ url, leaseMs: failoverLeaseMs })).close();
    const owner = await redis.masterOf('{a2c:0}:fence');
    await owner.kill();
    await expect.poll(reaches, patience).toBe('far greet');
    expect((await peer(nodes[0], 'far').join('computer'))[0]).toBe(false);
    const late = peer(nodes[1], 'late');
    await expect.poll(() => late.join('computer'), patience).toEqual(taken);
  });
});
