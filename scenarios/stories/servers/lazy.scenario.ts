import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { Script } from '../../stage/scripted/script.ts';
import type { HarnessOptions } from '../../stage/harness.ts';
import {
  after,
  asksOf,
  everybody,
  hello,
  kept,
  computerStage,
  offeredBy,
  opensOf,
  order,
  reaches,
  stageAfter,
  stageOf,
  stagesOf,
  stepOf,
  until,
} from '../../stage/watching.ts';

const tools = { read: { answers: hello } };
const slow: Script = { tools, startMs: 50, initialize: 50, listMs: 50 };
const lazily = (script: Script, more: object = {}): HarnessOptions => ({
  servers: { fs: script },
  options: { fs: { isLazy: true, kept: kept('read'), ...more } },
});
const ends = (calls: readonly { readonly settled: readonly { end: string }[] }[]): (string | undefined)[] =>
  calls.map((call) => call.settled.map(({ end }) => end).join());

scenario('a lazy server offers cached tools and runs nothing; its host is whole', lazily(slow), async (s) => {
  await everybody(s, 60_100);
  expect(stageOf(s)).toBe('standby');
  expect(computerStage(s)).toBe('whole');
  expect(offeredBy(s)).toEqual(['read']);
  expect(opensOf(s)).toEqual([]);
  expect(s.heard('agent', 'view.toolsChanged').at(-1)?.tools.length).toBe(1);
});

scenario('ten concurrent first calls lead to one start and ten answers', lazily(slow), async (s) => {
  await s.up(100);
  const calls = Array.from({ length: 5 }, () => s.call('read'));
  for (const state of ['launching', 'handshaking', 'listing'] as const) {
    await reaches(s, state);
    calls.push(s.call('read'));
  }
  calls.push(s.call('read'), s.call('read'));
  await s.run(1000);
  expect(ends(calls)).toEqual(Array(10).fill('succeeded'));
  expect(opensOf(s)).toHaveLength(1);
  expect(stagesOf(s)).toEqual(['standby', 'connecting', 'ready']);
  expect(s.heard('computer', 'tools.changed')).toHaveLength(1);
});

for (const [what, script] of [
  ['cannot be launched', { missing: true, startMs: 50 }],
  ['refuses the handshake', { ...slow, initialize: 'error' }],
  ['dies in its start', { ...slow, crashes: { code: 3, afterMs: 60 } }],
  ['has no list of tools', { ...slow, listMs: 'error' }],
] as const)
  scenario(`ten first calls to a server that ${what} fail, and none waits`, lazily(script), async (s) => {
    await s.up(100);
    const calls = Array.from({ length: 10 }, () => s.call('read'));
    await until(s, () => calls.every(({ settled }) => settled.length > 0), 1000);
    expect(calls.flatMap((call) => call.settled.map(({ outcome, end }) => [outcome, end]))).toEqual(
      calls.map(() => ['failed', 'failed']),
    );
    expect(opensOf(s)).toHaveLength(1);
  });

const undecided: HarnessOptions = {
  ...lazily(slow),
  permission: () => new Promise(() => {}),
  timing: { confirmMs: 1_000 },
};
scenario('a call that is refused starts nothing, and one still judged nothing yet', undecided, async (s) => {
  await s.up(100);
  const call = await after(s, 5_000, s.call('read'));
  expect(call.settled).toMatchObject([{ end: 'refused', phase: 'judging' }]);
  expect(stageOf(s)).toBe('standby');
  expect(stagesOf(s)).toEqual(['standby']);
  expect(opensOf(s)).toEqual([]);
  const stopped = s.call('read');
  order(s, 'server.stop');
  expect(stageOf(s)).toBe('idle');
  expect(stopped.settled[0]?.end).toBe('cancelled');
});

const stubborn = lazily({ ...slow, ignores: ['stdin', 'SIGTERM'] });
scenario('a server changed and stopped while it starts ends the call that it is for', stubborn, async (s) => {
  await s.up(100);
  const call = s.call('read');
  await reaches(s, 'launching');
  s.config({ fs: { isLazy: true, generation: 2 } });
  expect(stageOf(s)).toBe('closing');
  expect(call.settled).toEqual([]);
  order(s, 'server.stop');
  expect(call.settled).toMatchObject([{ end: 'cancelled', outcome: 'failed', phase: 'queued' }]);
  expect(await stageAfter(s, 60_000)).toBe('idle');
});

for (const state of ['launching', 'handshaking', 'listing'] as const) {
  scenario(`a caller who cancels while a server is ${state} is released at once`, lazily(slow), async (s) => {
    await s.up(100);
    const [cancelled, other] = [s.call('read'), s.call('read')];
    await reaches(s, state);
    cancelled.cancel();
    expect(cancelled.settled).toMatchObject([{ end: 'cancelled', outcome: 'failed' }]);
    await s.run(1000);
    expect(other.settled[0]?.outcome).toBe('succeeded');
    expect(stageOf(s)).toBe('ready');
    expect(s.servers.heard).toEqual(['call read at fs']);
  });

  scenario(`a stop while a server is ${state} answers all who wait for it`, lazily(slow), async (s) => {
    await s.up(100);
    const call = s.call('read');
    await reaches(s, state);
    order(s, 'server.stop');
    expect(call.settled).toMatchObject([{ end: 'cancelled', outcome: 'failed' }]);
    expect(await stageAfter(s, 100)).toBe('idle');
    expect(s.servers.alive).toBe(0);
    expect(s.servers.openSessions).toBe(0);
  });
}

scenario('a call that waits for a start ends with the connection of its agent', lazily(slow), async (s) => {
  await everybody(s);
  s.agentCall('read');
  await reaches(s, 'launching');
  s.network.faults.dropLink('c1');
  await s.run(1);
  expect(await stageAfter(s, 500)).toBe('ready');
  expect(s.servers.heard).toEqual([]);
});

const allowed: HarnessOptions = { ...lazily(slow), person: () => 'allow' };
scenario('a person may be asked while the server starts: it runs when both are ready', allowed, async (s) => {
  await s.up(100);
  const call = await after(s, 10, s.call('read'));
  expect([stepOf(s), call.settled]).toEqual(['launching', []]);
  await s.run(500);
  expect(call.settled).toMatchObject([{ outcome: 'succeeded' }]);
});

const starting = { servers: { fs: { tools, startMs: 2_000 } } };
scenario('a call that waits for a server is lost to it when its computer has left', starting, async (s) => {
  await everybody(s, 500);
  s.agentCall('read');
  await s.run(500);
  s.order('computer', { type: 'office.leave' });
  expect(await stageAfter(s, 10_000)).toBe('ready');
  expect(asksOf(s, 'tools/call')).toEqual([]);
});

const slowly = { servers: { fs: { tools, initialize: 2_000 } } };
scenario('the next of a thousand waiting calls is told at once that servers start', slowly, async (s) => {
  s.computer();
  const calls = Array.from({ length: 1_000 }, () => s.call('read'));
  expect(s.call('read').settled).toMatchObject([
    { end: 'refused', outcome: 'failed', failure: { code: 'ServerNotActive', details: { servers: ['fs'] } } },
  ]);
  await s.run(3_000);
  expect(calls.filter(({ settled }) => settled[0]?.outcome === 'succeeded')).toHaveLength(1_000);
});

const late = { servers: { fs: { tools, later: { 1: { startMs: 5000 } } } }, timing: { connectMs: 1000 } };
scenario('a process that starts too slowly for its time-out is ended and tried again', late, async (s) => {
  await s.up(s.timing.connectMs + 10);
  expect(s.heard('computer', 'client.changed').at(-1)?.failure.message).toContain('launch within 1000 ms');
  expect(await stageAfter(s, 2000)).toBe('ready');
  expect(s.servers.alive).toBe(1);
});
