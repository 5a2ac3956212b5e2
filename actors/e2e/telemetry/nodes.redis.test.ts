/** Tests of spans and logs of an office on several nodes that share a real Redis. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chainOf, KeptSpans, shownOf } from '../../../scenarios/fixtures/kept-spans.ts';
import { RedisServer } from '../../../scenarios/fixtures/redis.ts';
import { createAgent, createOffice, type LogEntry } from '../../index.ts';
import { bootedComputer } from '../../../scenarios/fixtures/booted.ts';
import { fixtureFile } from '../../../scenarios/fixtures/test-folder.ts';

const spans = new KeptSpans();
const server = fixtureFile('mcp-server.mjs');
let redis: RedisServer;
beforeAll(async () => {
  redis = await RedisServer.start();
  spans.start();
});
afterAll(async () => {
  spans.stop();
  await redis.kill();
});

it('a call whose computer sits at another node has four spans in one trace', async () => {
  const how = { tracing: true, record: false } as const;
  const node = { ...how, port: 0, redis: { url: redis.url, leaseMs: 1_500 } };
  await using near = await createOffice(node);
  await using far = await createOffice(node);
  await using agent = await createAgent({ ...how, url: near.url });
  await using _computer = await bootedComputer({
    ...{ ...how, name: 'c1', office: { url: far.url }, stateDir: false },
    config: { mcpServers: { s: { command: process.execPath, args: [server], autoApprove: ['all'] } } },
  });
  await agent.tools('c1');
  await agent.callTool('c1', 'meta', {}, { reqId: 'r1' });
  const found = spans.of('r1');
  expect(found.map(shownOf)).toEqual([
    'agent client client:tool_call meta succeeded',
    'office server client:tool_call meta succeeded',
    'computer server client:tool_call meta succeeded',
    'server client tools/call meta succeeded',
  ]);
  expect(chainOf(found)).toEqual([]);
  expect(spans.unbalanced).toEqual([]);
});

it('a node says at the level warn that Redis was lost and is back, without its address', async () => {
  const told: LogEntry[] = [];
  const log = (entry: LogEntry): void => void told.push(entry);
  const shared = { url: redis.url, leaseMs: 1_500 };
  await using _node = await createOffice({ record: false, port: 0, redis: shared, log, logLevel: 'warn' });
  const news = (): readonly LogEntry[] => told.filter(({ event }) => event === 'register.changed');
  await redis.kill();
  await expect.poll(() => news().length, { timeout: 30_000 }).toBe(1);
  await redis.start();
  await expect.poll(() => news().length, { timeout: 30_000 }).toBeGreaterThan(1);
  for (const { level, layer } of news()) expect([level, layer]).toEqual(['warn', 'office']);
  expect(JSON.stringify(told)).not.toContain('127.0.0.1');
});
