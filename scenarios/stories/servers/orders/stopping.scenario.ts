/**
 * Scenarios of stopping a server: running calls first, then escalating signals; each further stop order shortens the
 * waits.
 */
import { expect } from 'vitest';
import { scenario } from '../../../stage/plan/index.ts';
import type { Harness } from '../../../stage/harness.ts';
import { client, hello, opensOf, order, signalsTo, stageOf, stagesOf } from '../../../stage/watching.ts';

const tools = { read: { answers: hello, afterMs: 300 }, hang: { never: true } } as const;
const servers = { fs: { tools } };
const timing = { drainMs: 5_000 };
const running = async (s: Harness, tool: 'read' | 'hang') => {
  s.computer();
  await s.run(500);
  const call = s.call(tool);
  await s.run(10);
  return call;
};

scenario(
  'a stop lets running calls end and takes no new ones, then the server goes down',
  { servers, timing },
  async (s) => {
    const call = await running(s, 'read');
    order(s, 'server.stop');
    expect(s.call('read').settled).toMatchObject([
      { outcome: 'failed', failure: { code: 'ServerNotActive', details: { state: 'closing' } } },
    ]);
    await s.run(280);
    expect(signalsTo(s)).toEqual([]);
    expect(call.settled).toEqual([]);
    await s.run(50);
    expect(stageOf(s)).toBe('idle');
    expect(call.settled[0]?.outcome).toBe('succeeded');
  },
);

scenario(
  'a call that does not end within the drain time is cancelled, then its server goes down',
  { servers, timing },
  async (s) => {
    const call = await running(s, 'hang');
    order(s, 'server.stop');
    await s.run(s.timing.drainMs - 1);
    expect(call.settled).toEqual([]);
    await s.run(50);
    expect(call.settled).toMatchObject([{ end: 'cancelled', outcome: 'unknown' }]);
    expect(stageOf(s)).toBe('idle');
    expect(s.servers.heard.at(-1)).toBe('cancelled tools/call at fs');
  },
);

scenario(
  'each stop more takes the next step down at once: cancel, stdin, SIGTERM, SIGKILL',
  { servers: { fs: { tools, ignores: ['stdin', 'SIGTERM'] } }, timing },
  async (s) => {
    const call = await running(s, 'hang');
    order(s, 'server.stop');
    expect([stageOf(s), call.settled]).toEqual(['closing', []]);
    order(s, 'server.stop');
    expect(call.settled[0]?.end).toBe('cancelled');
    expect(stageOf(s)).toBe('closing');
    expect(signalsTo(s)).toEqual(['stdin']);
    for (const rung of ['SIGTERM', 'SIGKILL', 'SIGKILL']) {
      order(s, 'server.stop');
      expect(signalsTo(s).at(-1)).toBe(rung);
    }
    expect(signalsTo(s)).toEqual(['stdin', 'SIGTERM', 'SIGKILL']);
    await s.run(10);
    expect(stageOf(s)).toBe('idle');
    expect(s.servers.alive).toBe(0);
  },
);

scenario(
  'a start while calls are finished brings the server back afterwards, and a stop takes that back',
  { servers, timing },
  async (s) => {
    await running(s, 'read');
    order(s, 'server.stop');
    order(s, 'server.start');
    await s.run(1000);
    expect(stageOf(s)).toBe('ready');
    expect(opensOf(s)).toHaveLength(2);
    s.call('read');
    order(s, 'server.stop');
    order(s, 'server.start');
    order(s, 'server.stop');
    expect(stageOf(s)).toBe('closing');
    await s.run(1000);
    expect(stageOf(s)).toBe('idle');
    expect(opensOf(s)).toHaveLength(2);
  },
);

for (const [what, act] of [
  ['its stream breaks', (s: Harness) => s.servers.breakStream('fs')],
  ['its process dies', (s: Harness) => s.servers.kill('fs', { code: 1 })],
  ['its process machine ends by itself', (s: Harness) => s.directory.abandon(`${client}/process`)],
] as const)
  scenario(
    `a server that goes down goes there also when ${what}, and its calls are told`,
    { servers: { fs: { tools, exitsFirst: true } }, timing },
    async (s) => {
      const call = await running(s, 'hang');
      order(s, 'server.stop');
      act(s);
      expect(call.settled).toMatchObject([{ end: 'unknown', outcome: 'unknown' }]);
      await s.run(3000);
      expect(stageOf(s)).toBe('idle');
      expect(s.servers.alive).toBe(0);
      expect(opensOf(s)).toHaveLength(1);
      expect(stagesOf(s)).toEqual(['connecting', 'ready', 'closing', 'idle']);
    },
  );

for (const [what, act] of [
  ['stopped', (s: Harness) => order(s, 'server.stop')],
  ['started again', (s: Harness) => order(s, 'server.start')],
  ['closed', (s: Harness) => s.close()],
] as const)
  scenario(
    `a call of a server whose stream broke hears so at once when the server is ${what}`,
    { servers: { fs: { tools, exitsFirst: true } }, timing },
    async (s) => {
      const call = await running(s, 'hang');
      s.servers.breakStream('fs');
      expect(call.settled).toEqual([]);
      act(s);
      expect(call.settled).toMatchObject([{ end: 'unknown', failure: { code: 'ServerLost' } }]);
    },
  );

/** Lists the stages of a server that its host heard of. */
const told = (s: Harness): string[] => s.heard('computer', 'client.changed').map((e) => e.stage as string);
scenario(
  'a server on its way down is told to be closing once, whatever is ordered meanwhile',
  { servers, timing },
  async (s) => {
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
  },
);
