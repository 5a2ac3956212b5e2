/** Tests of a node on a machine that was suspended: its monotonic clock stood still, its wall clock did not. */
import { afterEach, expect, it, vi } from 'vitest';
import { RedisServer } from '../../scenarios/fixtures/redis.ts';
import { SeatedPeer } from '../../scenarios/fixtures/seated-peer.ts';
import { createOffice } from '../index.ts';

afterEach(() => void vi.restoreAllMocks());

it('a node relays nothing after a suspension of more than its lease, before it has seen its lease', async () => {
  const redis = await RedisServer.start();
  const node = (leaseMs: number) =>
    createOffice({ port: 0, record: false, redis: { url: redis.url, leaseMs } });
  await (await node(1_000)).close();
  // The register in Redis is made to look old, so that the test needs no waiting time.
  await redis.ask('DECRBY', '{a2c:0}:since', '1000000');
  const office = await node(20_000);
  const [agent, computer] = ['alice', 'c'].map((name) => new SeatedPeer(office.url, name).serve()) as [
    SeatedPeer,
    SeatedPeer,
  ];
  try {
    expect(await agent.join('agent')).toEqual([true, null]);
    expect(await computer.join('computer')).toEqual([true, null]);
    const ran: string[] = [];
    computer.socket.on('client:tool_call', ({ req_id: id }: { req_id: string }) => ran.push(id));
    // Redis answers no heartbeat of the node from this line on.
    redis.pause();
    expect(await agent.call('c', 'greet', 'before')).toMatchObject({ isError: false });
    const wall = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => wall() + 21_000);
    expect(await agent.call('c', 'greet', 'after')).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 503 } },
    });
    expect(ran).toEqual(['before']);
  } finally {
    redis.resume();
    for (const peer of [agent, computer]) peer.close();
    await office.close();
    await redis.kill();
  }
});
