/** Tests of a node on a machine that was suspended: its monotonic clock stood still, its wall clock did not. */
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { RedisServer } from '../../scenarios/fixtures/redis.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { openNode, peerAt } from '../../scenarios/fixtures/office-nodes.ts';

afterEach(() => void vi.restoreAllMocks());
const taken = [true, null];

it('a node relays nothing after a suspension of more than its lease, before it has seen its lease', async () => {
  const redis = closedAfter(await RedisServer.start());
  const node = (leaseMs: number) => openNode({ url: redis.url, leaseMs });
  await (await node(1_000)).close();
  // The register in Redis is made to look old, so that the test needs no waiting time.
  await redis.ask('DECRBY', '{a2c:0}:since', '1000000');
  const office = await node(20_000);
  const [agent, computer] = [peerAt(office, 'alice'), peerAt(office, 'c').serve()];
  expect([await agent.join('agent'), await computer.join('computer')]).toEqual([taken, taken]);
  const ran: string[] = [];
  computer.socket.on('client:tool_call', ({ req_id: id }: { req_id: string }) => ran.push(id));
  // Redis answers no heartbeat of the node from this line on.
  redis.pause();
  onTestFinished(() => redis.resume());
  expect(await agent.call('c', 'greet', 'before')).toMatchObject({ isError: false });
  const wall = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => wall() + 21_000);
  expect(await agent.call('c', 'greet', 'after')).toMatchObject({
    isError: true,
    structuredContent: { error: { code: 503 } },
  });
  expect(ran).toEqual(['before']);
});
