import { expect } from 'vitest';
import { broken } from '../../../fixtures/altered.ts';
import { scenario } from '../../../stage/plan/index.ts';
import type { Script } from '../../../stage/scripted/script.ts';
import type { Harness, HarnessOptions } from '../../../stage/harness.ts';
import {
  computerStage,
  hello,
  kept,
  opensOf,
  order,
  stageAfter,
  stageOf,
  stagesOf,
  stepOf,
} from '../../../stage/watching.ts';

const tools = { read: { answers: hello } };
const many = (count: number, script: Script, name = 's'): Record<string, Script> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `${name}${n}`,
      { ...script, tools: { [`${name}${n}`]: tools.read } },
    ]),
  );
const launching = (s: Harness): number =>
  Array.from({ length: 40 }, (_, n) => stepOf(s, `s${n}`)).filter((step) => step === 'launching').length;

scenario('thirty servers that die together do not return at once', { servers: many(30, {}) }, async (s) => {
  await s.up(1000);
  expect(opensOf(s)).toHaveLength(30);
  for (let n = 0; n < 30; n += 1) s.servers.kill(`s${n}`, { code: 1 });
  await s.run(60_000);
  const back = opensOf(s).slice(30);
  expect(back).toHaveLength(30);
  expect(computerStage(s)).toBe('whole');
  // Five connect at once, and one more at each tick of the clock.
  expect(back.filter((at) => at < 2150)).toHaveLength(5);
  for (const from of back)
    expect(back.filter((at) => at >= from && at < from + 1000).length).toBeLessThanOrEqual(10);
});

const forty = { servers: many(40, { startMs: 1000 }) };
scenario('sixteen servers connect at a time, and who is ready makes room for the next', forty, async (s) => {
  await s.up(500);
  expect(opensOf(s)).toHaveLength(16);
  expect(launching(s)).toBe(16);
  await s.run(1000);
  expect(opensOf(s)).toHaveLength(32);
  expect(launching(s)).toBe(16);
  await s.run(2000);
  expect(computerStage(s)).toBe('whole');
});

for (const [what, script] of [
  ['in its start', { startMs: 60_000 }],
  ['in its handshake', { initialize: 60_000 }],
  ['with its list', { listMs: 60_000 }],
] as const)
  scenario(
    `a server that is slow ${what} lets others pass after a while, and is waited for all the same`,
    {
      servers: { ...many(16, script, 'slow'), fs: { tools } },
      timing: { slowMs: 15_000, bootMs: 15_000, listMs: 100_000 },
    },
    async (s) => {
      await s.up(s.timing.slowMs - 10);
      expect(stepOf(s)).toBe('queued');
      expect(opensOf(s, 'fs')).toEqual([]);
      expect(await stageAfter(s, 30)).toBe('ready');
      expect(computerStage(s)).toBe('degraded');
      await s.run(60_000);
      expect(computerStage(s)).toBe('whole');
    },
  );

/** `fs` has failed once and wants to start again, while sixteen others are connecting. */
const crowded = (others: Script, timing: HarnessOptions['timing'] = {}): HarnessOptions => ({
  servers: { fs: { tools, initialize: 'error', later: { 2: { initialize: 1 } } }, ...many(16, others) },
  timing: { slowMs: 5_000, ...timing },
});
for (const [what, others, backAt] of [
  ['is ready', { initialize: 3000 }, 3000],
  ['is slow', { initialize: 30_000 }, 5000],
] as const)
  scenario(`a server that comes back takes the place of one that ${what}`, crowded(others), async (s) => {
    await s.up(2900);
    expect(stepOf(s)).toBe('queued');
    expect(opensOf(s, 'fs')).toHaveLength(1);
    expect(await stageAfter(s, 2200)).toBe('ready');
    expect(Math.abs((opensOf(s, 'fs')[1] ?? 0) - backAt)).toBeLessThan(20);
  });

const queued: HarnessOptions = {
  servers: { ...many(16, { initialize: 30_000 }), fs: { tools, later: { 2: {} } } },
  options: { fs: { kept: kept('read') } },
};
const lazily = { ...queued, options: { fs: { isLazy: true, kept: kept('read') } } };
scenario('a call to a server that waits for its turn waits with it, despite a start', queued, async (s) => {
  await s.up(100);
  const { settled } = s.call('read');
  order(s, 'server.start');
  expect(stepOf(s)).toBe('queued');
  expect(stagesOf(s)).toEqual(['connecting']);
  expect(settled).toEqual([]);
  expect(await stageAfter(s, 20_000)).toBe('ready');
  expect(settled).toMatchObject([{ outcome: 'succeeded' }]);
});
scenario('a lazy server stopped while it waits for its turn answers who called', lazily, async (s) => {
  await s.up(100);
  const call = s.call('read');
  order(s, 'server.stop');
  expect(stageOf(s)).toBe('idle');
  expect(call.settled[0]?.end).toBe('cancelled');
  order(s, 'server.stop');
  expect(await stageAfter(s, 60_000)).toBe('idle');
  expect(opensOf(s, 'fs')).toEqual([]);
});
scenario('a call for a server in the line fails unsent when its computer closes', lazily, async (s) => {
  await s.up(100);
  const call = s.call('read');
  expect(stepOf(s)).toBe('queued');
  s.close();
  expect(call.settled).toMatchObject([{ end: 'cancelled', outcome: 'failed', phase: 'queued' }]);
});

const both = (s: Harness, count: number, more: object): void =>
  s.config({ ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`s${n}`, {}])), ...more });
const takenOut = { servers: { ...many(16, { initialize: 20_000 }), ...many(20, {}, 'gone'), fs: { tools } } };
scenario('servers taken out while they wait for a turn leave their turns to others', takenOut, async (s) => {
  s.computer({ servers: Array.from({ length: 16 }, (_, n) => `s${n}`) });
  const all = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`gone${n}`, {}]));
  both(s, 16, all);
  await s.run(100);
  both(s, 16, {});
  await s.run(100);
  both(s, 16, { fs: {} });
  expect(await stageAfter(s, 30_000)).toBe('ready');
  expect(computerStage(s)).toBe('whole');
});

const isBad = ({ server }: { readonly server: string }): boolean => server.startsWith('bad');
const badInTurn = {
  servers: { ...many(40, {}, 'bad'), fs: { tools } },
  kinds: broken('client', 'rememberInfo', isBad),
  failing: 'client:bad',
};
scenario('a server whose machine was given up in its turn keeps none from others', badInTurn, async (s) => {
  await s.up(10_000);
  expect(stageOf(s)).toBe('ready');
});
