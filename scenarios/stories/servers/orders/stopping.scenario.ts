/** Each further stop order shortens the waits. */
import { expect } from 'vitest';
import { scenario } from '../../../stage/plan/index.ts';
import type { Harness } from '../../../stage/harness.ts';
import { after, client, hello, opensOf, order, stageOf, stagesOf } from '../../../stage/watching.ts';

const tools = { read: { answers: hello, afterMs: 300 }, hang: { never: true } } as const;
const servers = { fs: { tools } };
const timing = { drainMs: 5_000 };
const exiting = { servers: { fs: { tools, exitsFirst: true } }, timing } as const;
const draining = { servers, timing };
const running = async (s: Harness, tool: 'read' | 'hang') => {
  await s.up(500);
  const call = await after(s, 10, s.call(tool));
  return call;
};

for (const [what, act] of [
  ['its stream breaks', (s: Harness) => s.servers.breakStream('fs')],
  ['its process dies', (s: Harness) => s.servers.kill('fs', { code: 1 })],
  ['its process machine ends by itself', (s: Harness) => s.directory.abandon(`${client}/connection/process`)],
] as const)
  scenario(`a server goes down also when ${what}, and its calls are told`, exiting, async (s) => {
    const call = await running(s, 'hang');
    order(s, 'server.stop');
    act(s);
    expect(call.settled).toMatchObject([{ end: 'unknown', outcome: 'unknown' }]);
    await s.run(3000);
    expect(stageOf(s)).toBe('idle');
    expect(s.servers.alive).toBe(0);
    expect(opensOf(s)).toHaveLength(1);
    expect(stagesOf(s)).toEqual(['connecting', 'ready', 'closing', 'idle']);
  });

for (const [what, act] of [
  ['stopped', (s: Harness) => order(s, 'server.stop')],
  ['started again', (s: Harness) => order(s, 'server.start')],
  ['closed', (s: Harness) => s.close()],
] as const)
  scenario(`a call of a broken stream hears so at once when its server is ${what}`, exiting, async (s) => {
    const call = await running(s, 'hang');
    s.servers.breakStream('fs');
    expect(call.settled).toEqual([]);
    act(s);
    expect(call.settled).toMatchObject([{ end: 'unknown', failure: { code: 'ServerLost' } }]);
  });

const told = (s: Harness): string[] => s.heard('computer', 'client.changed').map((e) => e.stage as string);
scenario('a server on its way down is told to be closing once, whatever is ordered', draining, async (s) => {
  await running(s, 'read');
  order(s, 'server.stop');
  await s.run(1000);
  order(s, 'server.start');
  order(s, 'server.stop');
  await s.run(1000);
  order(s, 'server.start');
  await s.run(1000);
  expect(told(s)).toEqual([
    ...['connecting', 'ready', 'closing', 'idle'],
    ...['connecting', 'closing', 'idle', 'connecting', 'ready'],
  ]);
  s.call('hang');
  order(s, 'server.stop');
  s.close();
  await s.run(10_000);
  expect(told(s).slice(9)).toEqual(['closing']);
});
