import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { HarnessOptions } from '../../stage/harness.ts';
import { after, everybody, hello, offeredBy, order, toldOf } from '../../stage/watching.ts';

const prefix = { onConflict: 'prefix' } as const;
const x = { tools: { x: { answers: hello } } };
const both = (options: NonNullable<HarnessOptions['options']>[string]): HarnessOptions => ({
  servers: { A: { tools: { ...x.tools, y: { answers: hello } } }, B: x },
  options: { A: options, B: options },
});

scenario('a refused tool is nobody’s with reject while the first server is down', both({}), async (s) => {
  await s.up(1_000);
  order(s, 'server.stop', 'A');
  await s.run(1_000);
  expect(offeredBy(s)).toEqual([]);
  const call = await after(s, 100, s.call('x'));
  expect(call.settled).toMatchObject([{ outcome: 'failed', failure: { code: 'ServerNotActive' } }]);
});

const later = { servers: { A: x, B: { initialize: 2_000, ...x } }, options: { A: prefix, B: prefix } };
scenario('a name with prefix is told again when the other comes, and when it goes', later, async (s) => {
  await everybody(s, 1_100);
  expect(toldOf(s)).toEqual(['+x']);
  await s.run(5_000);
  // The list of B arrives before B is ready, and A's tool is renamed by then.
  expect(toldOf(s)).toEqual(['+x', '+A_x', '-x', '+B_x']);
  order(s, 'server.stop', 'B');
  await s.run(1_000);
  expect(toldOf(s).slice(4)).toEqual(['-B_x']);
  s.config({ A: prefix });
  await s.run(1_000);
  expect(toldOf(s).slice(5)).toEqual(['+x', '-A_x']);
  expect(s.heard('agent', 'view.toolsChanged').at(-1)?.tools).toMatchObject([{ name: 'x' }]);
});

const lastRun = {
  servers: { A: x, B: { initialize: 2_000, ...x } },
  options: { A: prefix, B: { ...prefix, lastTools: ['x'] } },
};
scenario('the last run counts with prefix before a server is up: names stay', lastRun, async (s) => {
  await s.up(5_000);
  expect(toldOf(s)).toEqual(['+A_x', '+B_x']);
});

const leaving = {
  servers: { A: x, B: { ...x, lists: (n: number) => (n > 1 ? ['z'] : ['x']) } },
  options: { A: prefix, B: prefix },
};
scenario('a tool that is listed no more leaves the name of the other with its prefix', leaving, async (s) => {
  await s.up(1_000);
  s.servers.announce('B');
  await s.run(1_000);
  expect(offeredBy(s)).toEqual(['A_x', 'z']);
});

scenario('a change of onConflict is in force at once, and asks no server anything', both({}), async (s) => {
  await s.up(1_000);
  s.config({ A: prefix, B: prefix });
  expect(offeredBy(s)).toEqual(['A_x', 'y', 'B_x']);
  s.config({ A: {}, B: prefix });
  expect(offeredBy(s)).toEqual(['x', 'y', 'B_x']);
  s.config({ A: {}, B: {} });
  expect(offeredBy(s)).toEqual(['x', 'y']);
});
