import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import { toolsOnly } from '../../stage/scripted/script.ts';
import {
  announcedBy,
  asksOf,
  catalogOf,
  everybody,
  everything,
  hello,
  offeredBy,
  order,
  stageOf,
  toldOf,
  until,
} from '../../stage/watching.ts';

const tools = { read: { answers: hello } };
const growing = { tools, lists: (n: number) => ['read', ...(n > 1 ? [`new${n}`] : [])] };
const quiescent = { ...growing, info: { capabilities: { ...toolsOnly, tools: { listChanged: false } } } };
scenario(
  'a change that is told leads to one refresh, and everybody has the new tools',
  { servers: { fs: growing } },
  async (s) => {
    await everybody(s);
    await s.run(1000);
    s.servers.announce('fs');
    await s.run(1000);
    expect(asksOf(s, 'tools/list')).toHaveLength(2);
    expect(toldOf(s)).toEqual(['+read', '+new2']);
    expect(offeredBy(s)).toEqual(['read', 'new2']);
    expect(s.heard('agent', 'view.toolsChanged').at(-1)?.tools).toHaveLength(2);
  },
);

for (const [what, servers, options] of [
  ['was not declared', { fs: quiescent }, {}],
  ['the config says not to hear', { fs: growing }, { hearsChanges: false }],
] as const)
  scenario(
    `a notice that ${what} is ignored, and the change is found by the next look`,
    { servers, options: { fs: options }, timing: { pollMs: 60_000, pollDeclaredMs: 0 } },
    async (s) => {
      s.computer();
      await s.run(1000);
      s.servers.announce('fs');
      await s.run(50_000);
      expect(asksOf(s, 'tools/list')).toHaveLength(1);
      await s.run(10_000);
      expect(asksOf(s, 'tools/list')).toHaveLength(2);
      expect(offeredBy(s)).toEqual(['read', 'new2']);
    },
  );

scenario(
  'a notice about one list asks for that list only; templates change with the resources',
  {
    servers: {
      fs: {
        tools,
        info: { capabilities: everything },
        resources: [{ uri: 'u:r', name: 'r' }],
        prompts: [{ name: 'p' }],
      },
    },
  },
  async (s) => {
    const counts = (): number[] =>
      ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'].map(
        (m) => asksOf(s, m).length,
      );
    s.computer();
    await s.run(1000);
    expect(counts()).toEqual([1, 1, 1, 1]);
    s.servers.announce('fs', 'tools');
    await s.run(1000);
    expect(counts()).toEqual([2, 1, 1, 1]);
    s.servers.announce('fs', 'resources');
    await s.run(1000);
    expect(counts()).toEqual([2, 1, 2, 2]);
    s.servers.announce('fs', 'prompts');
    await s.run(1000);
    expect(counts()).toEqual([2, 2, 2, 2]);
    s.servers.update('fs', 'u:r');
    expect(s.heard('computer', 'resource.updated')).toMatchObject([{ server: 'fs', uri: 'u:r' }]);
  },
);

let truth = ['read'];
for (const [what, beforeMs] of [
  ['a server that was quiet', 1000],
  ['one that has just answered', 100],
] as const)
  scenario(
    `200 notices within 50 ms of ${what} lead to at most two questions, one announcement, and the right final state`,
    { servers: { fs: { tools, lists: () => truth }, other: { tools: { write: tools.read } } } },
    async (s) => {
      truth = ['read'];
      await everybody(s);
      await s.run(beforeMs);
      for (let n = 1; n <= 200; n += 1) {
        truth = ['read', `t${n}`];
        s.servers.announce('fs');
        if (n % 4 === 0) await s.run(1);
      }
      await s.run(3000);
      expect(asksOf(s, 'tools/list').length - 1).toBeLessThanOrEqual(2);
      expect(asksOf(s, 'tools/list', 'other')).toHaveLength(1);
      expect(announcedBy(s)).toHaveLength(1);
      expect(offeredBy(s)).toEqual(['read', 't200', 'write']);
    },
  );

scenario(
  'a list is asked for once without looks by the clock, however long nothing is told',
  { servers: { fs: quiescent } },
  async (s) => {
    s.computer();
    await s.run(24 * 3_600_000);
    expect(asksOf(s, 'tools/list')).toHaveLength(1);
  },
);

scenario(
  'looks by the clock come ten percent sooner or later, so that servers are not asked in step',
  {
    servers: Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`s${n}`, { ...quiescent, tools: {} }])),
    timing: { pollMs: 60_000 },
    seed: 7,
  },
  async (s) => {
    s.computer();
    await s.run(70_000);
    const looks = Array.from({ length: 12 }, (_, n) => asksOf(s, 'tools/list', `s${n}`)[1] ?? 0);
    expect(looks.every((at) => at >= 54_000 && at <= 67_000)).toBe(true);
    expect(new Set(looks).size).toBeGreaterThan(9);
  },
);

scenario(
  'a server that is down is not looked at, and that it was not asked counts neither way',
  { servers: { fs: { ...quiescent, listMs: 50 } }, timing: { pollMs: 1_000 } },
  async (s) => {
    s.computer();
    await until(s, () => asksOf(s, 'tools/list').length === 2);
    s.servers.kill('fs', { code: 1 });
    expect(catalogOf(s)).toMatchObject({ state: 'standby', failures: 0 });
    order(s, 'server.stop');
    await s.run(60_000);
    expect(stageOf(s)).toBe('idle');
    expect(asksOf(s, 'tools/list')).toHaveLength(2);
  },
);

scenario('a list that is as it was is no news', { servers: { fs: { tools } } }, async (s) => {
  await everybody(s);
  await s.run(1000);
  const before = s.news.length;
  s.servers.announce('fs');
  await s.run(5000);
  expect(asksOf(s, 'tools/list')).toHaveLength(2);
  expect(s.news.length).toEqual(before);
  expect(announcedBy(s)).toEqual([]);
  expect(catalogOf(s)?.revision).toBe(1);
});

scenario(
  'a list that never comes ends after its time, and holds up no other server',
  {
    servers: { mute: { tools, listMs: 'never' }, fs: { tools: { write: tools.read } } },
    timing: { listMs: 10_000 },
  },
  async (s) => {
    s.computer();
    await s.run(100);
    expect(offeredBy(s)).toEqual(['write']);
    await s.run(9_910);
    expect(s.heard('computer', 'client.changed').at(-1)).toMatchObject({
      server: 'mute',
      failure: { message: "Server 'mute': no answer to tools/list within 10000 ms" },
    });
  },
);
