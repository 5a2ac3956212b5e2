/** A real process cannot be caught while it is being started. */
import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { Harness } from '../../stage/harness.ts';
import { order, signalsTo, stageOf, stagesOf, stepOf } from '../../stage/watching.ts';

const tools = { read: { answers: { content: [] } } };
const launching = { servers: { fs: { tools, later: { 2: { startMs: 100 } } } } };
const meet = async (s: Harness): Promise<void> => {
  s.computer();
  await s.run(100);
  s.servers.kill('fs', { code: 1 });
  await s.run(s.timing.backoffMs + 10);
  expect(stepOf(s)).toBe('launching');
};
const refused = (s: Harness, state: string): void => {
  const { heard } = s.servers;
  const sent = heard.length;
  expect(s.call('read').settled).toMatchObject([
    { end: 'failed', outcome: 'failed', failure: { code: 'ServerNotActive', details: { state } } },
  ]);
  expect(heard).toHaveLength(sent);
};

scenario('a call to a server that is launching waits for it', launching, async (s) => {
  await meet(s);
  const { settled } = s.call('read');
  expect(settled).toEqual([]);
  await s.run(200);
  expect(settled).toMatchObject([{ outcome: 'succeeded' }]);
});
scenario(
  'the next of a thousand calls that wait for servers is told at once that they start',
  { servers: { fs: { tools, initialize: 2_000 } } },
  async (s) => {
    s.computer();
    const calls = Array.from({ length: 1_000 }, () => s.call('read'));
    expect(s.call('read').settled).toMatchObject([
      {
        end: 'refused',
        outcome: 'failed',
        failure: { code: 'ServerNotActive', details: { servers: ['fs'] } },
      },
    ]);
    await s.run(3_000);
    expect(calls.filter(({ settled }) => settled[0]?.outcome === 'succeeded')).toHaveLength(1_000);
  },
);
scenario(
  'a server that is stopped while launching comes to rest and is not tried again',
  launching,
  async (s) => {
    await meet(s);
    order(s, 'server.stop');
    await s.run(60_000);
    expect(stageOf(s)).toBe('idle');
    expect(s.servers.alive).toBe(0);
    refused(s, 'idle');
  },
);
scenario('a server that is closed while launching ends, and its computer with it', launching, async (s) => {
  await meet(s);
  s.close();
  await s.run(1000);
  expect(s.directory.size).toBe(0);
  expect(s.servers.alive).toBe(0);
});

for (const [at, state] of [
  [0, 'launching'],
  [2, 'handshaking'],
  [12, 'listing'],
] as const)
  scenario(
    `close while connecting, in ${state}, leaves nothing behind`,
    {
      servers: { fs: { tools, initialize: 10, listMs: 10 } },
    },
    async (s) => {
      s.computer();
      await s.run(at);
      expect(stepOf(s)).toBe(state);
      s.close();
      await s.run(1000);
      expect(s.directory.size).toBe(0);
    },
  );

scenario(
  'a server that is closed on its own and then with its computer ends once',
  { servers: { fs: { tools, ignores: ['stdin'] } } },
  async (s) => {
    s.computer();
    await s.run(100);
    s.config({});
    s.close();
    await s.run(1000);
    expect(s.directory.size).toBe(0);
    expect(signalsTo(s)).toEqual(['stdin', 'SIGTERM']);
    expect(stagesOf(s)).toEqual(['connecting', 'ready', 'closing']);
  },
);

scenario(
  'a process that takes longer to start than the connect time-out is ended and tried again',
  { servers: { fs: { tools, later: { 1: { startMs: 5000 } } } }, timing: { connectMs: 1000 } },
  async (s) => {
    s.computer();
    await s.run(s.timing.connectMs + 10);
    expect(s.heard('computer', 'client.changed').at(-1)?.failure.message).toContain('launch within 1000 ms');
    await s.run(2000);
    expect(stageOf(s)).toBe('ready');
    expect(s.servers.alive).toBe(1);
  },
);
