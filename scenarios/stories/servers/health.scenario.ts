import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { HarnessOptions } from '../../stage/harness.ts';
import type { Act } from '../../stage/scripted/script.ts';
import { after, asksOf, counting, hello, opensOf, stageOf, stagesOf, until } from '../../stage/watching.ts';

const timing = { pingEveryMs: 10_000, pingMs: 1_000 };
const pinged = (ping: (n: number) => Act): HarnessOptions => ({
  timing,
  servers: {
    fs: {
      tools: { read: { answers: hello, afterMs: 25_000 } },
      at: () => ({ methods: { ping: counting(ping) } }),
    },
  },
});
const answers = { answers: {} };
const silent = { never: true } as const;
const answering = pinged(() => answers);
const mute = pinged(() => silent);
const mutedLater = pinged((n) => (n === 1 ? answers : silent));

scenario('a server is pinged when it is idle, and never while it works', answering, async (s) => {
  await s.up(3 * s.timing.pingEveryMs + 1_000);
  expect(asksOf(s, 'ping')).toHaveLength(3);
  const call = await after(s, 25_001, s.call('read'));
  expect(asksOf(s, 'ping')).toHaveLength(3);
  expect(call.settled[0]?.outcome).toBe('succeeded');
  await s.run(25_000);
  expect(asksOf(s, 'ping').length).toBeGreaterThan(3);
  expect(stagesOf(s)).toEqual(['connecting', 'ready']);
});

scenario('a server that answered once and then does not is lost, and comes back', mutedLater, async (s) => {
  await s.up(2 * s.timing.pingEveryMs + s.timing.pingMs + 10);
  expect(s.heard('computer', 'client.changed').at(-1)).toMatchObject({
    failure: { message: "Server 'fs': no answer to ping within 1000 ms" },
  });
  await s.run(5000);
  expect(stageOf(s)).toBe('ready');
  expect(opensOf(s)).toHaveLength(2);
  expect(s.servers.alive).toBe(1);
});

scenario('a server that answers no ping is no longer asked, and stays', mute, async (s) => {
  await s.up(120_000);
  expect(asksOf(s, 'ping')).toHaveLength(1);
  expect(stageOf(s)).toBe('ready');
  expect(opensOf(s)).toHaveLength(1);
});

const refusing: HarnessOptions = pinged(() => ({ errors: 'Method not found', code: -32_601 }));
scenario('any answer is a sign of life, and a refusal is one', refusing, async (s) => {
  await s.up(60_000);
  expect(asksOf(s, 'ping')).toHaveLength(5);
  expect(stageOf(s)).toBe('ready');
});

scenario('a call during a ping is taken at once, and the ping counts no more', mutedLater, async (s) => {
  s.computer();
  await until(s, () => asksOf(s, 'ping').length === 2);
  await s.run(10);
  const call = await after(s, 10, s.call('read'));
  expect(stageOf(s)).toBe('ready');
  expect(s.servers.heard).toEqual(['call read at fs']);
  await s.run(25_000);
  expect(call.settled).toMatchObject([{ outcome: 'succeeded' }]);
  expect(stagesOf(s)).toEqual(['connecting', 'ready']);
});

for (const [what, more] of [
  ['without a time for them', { pingMs: 0 }],
  ['without a pause between them', { pingEveryMs: 0 }],
] as const)
  scenario(`pings are off ${what}`, { ...answering, timing: { ...timing, ...more } }, async (s) => {
    await s.up(600_000);
    expect(asksOf(s, 'ping')).toEqual([]);
  });
