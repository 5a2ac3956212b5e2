import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { Harness } from '../../stage/harness.ts';
import type { Script } from '../../stage/scripted/script.ts';
import { hello, opensOf, order, reaches, stageOf, stagesOf, until } from '../../stage/watching.ts';

const tools = { read: { answers: hello } };
const timing = { backoffMs: 500, longestBackoffMs: 30_000, trialMs: 300_000 };
const refusing: Script = { tools, initialize: 'error' };
const failing = { servers: { fs: refusing }, timing };
/** As announced and as measured, between the end of one attempt and the next. */
const pausesOf = (s: Harness): number[] => {
  const [, ...later] = opensOf(s);
  const ends = s.news
    .filter(({ event }) => event.type === 'client.changed' && event.stage === 'waiting')
    .map(({ at }) => at);
  return later.map((at, n) => at - (ends[n] ?? at));
};

const ninefold = { servers: { fs: refusing }, options: { fs: { budget: 9 } }, timing };
scenario('each pause before a try is twice the one before, up to the longest', ninefold, async (s) => {
  s.computer();
  await reaches(s, 'waiting');
  await until(s, () => stageOf(s) === 'open', 300_000);
  expect(pausesOf(s)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

const random = { servers: { fs: refusing }, timing, seed: 3 };
scenario('a pause is by chance up to half as long again; the latest moment is told', random, async (s) => {
  await s.up(120_000);
  const pauses = pausesOf(s);
  expect(pauses).toHaveLength(5);
  for (const [n, ms] of pauses.entries()) {
    expect(ms).toBeGreaterThan(500 * 2 ** n);
    expect(ms).toBeLessThanOrEqual(750 * 2 ** n);
  }
  const told = s.heard('computer', 'client.changed').filter((e) => e.stage === 'waiting');
  expect(told.map((e) => e.nextTryMs)).toEqual([750, 1500, 3000, 6000, 12_000]);
});

const trying = { servers: { fs: { ...refusing, later: { 8: { initialize: 1 } } } }, timing };
scenario('a server whose circuit is open has one trial, and one after each failure', trying, async (s) => {
  s.computer();
  await reaches(s, 'open');
  expect(s.heard('computer', 'client.changed').at(-1)).toMatchObject({
    failure: { message: 'the server refused: not today' },
    nextTryMs: 450_000,
  });
  await s.run(s.timing.trialMs - 10);
  expect(opensOf(s)).toHaveLength(6);
  await s.run(5000);
  expect(stageOf(s)).toBe('open');
  expect(opensOf(s)).toHaveLength(7);
  await s.run(s.timing.trialMs);
  expect(stageOf(s)).toBe('ready');
  expect(opensOf(s)).toHaveLength(8);
  // The server has not proved stable, so one failure opens it again.
  s.servers.kill('fs', { code: 1 });
  await s.run(10);
  expect(stageOf(s)).toBe('open');
});

const absent = {
  servers: { fs: { tools, missing: true, later: { 2: { missing: undefined } as never } } },
  timing,
} as const;
scenario('a missing command is given up at once, untried; a start by hand tries it', absent, async (s) => {
  await s.up(3_600_000);
  expect(stagesOf(s)).toEqual(['connecting', 'open']);
  expect(opensOf(s)).toHaveLength(1);
  expect(s.heard('computer', 'client.changed').at(-1)).toMatchObject({
    nextTryMs: null,
    failure: { code: 'NotStartable' },
  });
  order(s, 'server.start');
  await s.run(1000);
  expect(stageOf(s)).toBe('ready');
});

const unspent = {
  servers: { fs: { tools, missing: true, later: { 3: { missing: undefined } as never } } },
  timing,
} as const;
scenario('a missing command spends no budget: put back it is tried once', unspent, async (s) => {
  await s.up(100);
  for (const stage of ['open', 'ready']) {
    s.config({});
    await s.run(100);
    s.config({ fs: {} });
    await s.run(1000);
    expect(stageOf(s)).toBe(stage);
  }
  expect(opensOf(s)).toHaveLength(3);
});

scenario('a breaker belongs to the launch config: a server put back goes on with it', failing, async (s) => {
  s.computer();
  await reaches(s, 'open');
  s.config({});
  await s.run(100);
  s.config({ fs: {} });
  await s.run(100);
  expect(stageOf(s)).toBe('open');
  expect(opensOf(s)).toHaveLength(6);
  expect(s.heard('computer', 'client.changed').at(-1)?.failure.message).toContain('not today');
  s.config({});
  await s.run(100);
  s.config({ fs: { fingerprint: 'another' } });
  await s.run(100);
  expect(opensOf(s)).toHaveLength(7);
});
