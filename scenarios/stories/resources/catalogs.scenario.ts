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
  until,
  reaches,
  signalsTo,
} from '../../stage/watching.ts';
import { broken } from '../../fixtures/altered.ts';
import { type Harness, type HarnessOptions } from '../../stage/harness.ts';

const tools = { read: { answers: hello } };
const growing = { tools, lists: (n: number) => ['read', ...(n > 1 ? [`new${n}`] : [])] };
const quiescent = { ...growing, info: { capabilities: { ...toolsOnly, tools: { listChanged: false } } } };
for (const [what, servers, options] of [
  ['was not declared', { fs: quiescent }, {}],
  ['the config says not to hear', { fs: growing }, { hearsChanges: false }],
] as const)
  scenario(
    `a notice that ${what} is ignored, and the change is found by the next look`,
    { servers, options: { fs: options }, timing: { pollMs: 60_000, pollDeclaredMs: 0 } },
    async (s) => {
      await s.up(1000);
      s.servers.announce('fs');
      await s.run(50_000);
      expect(asksOf(s, 'tools/list')).toHaveLength(1);
      await s.run(10_000);
      expect(asksOf(s, 'tools/list')).toHaveLength(2);
      expect(offeredBy(s)).toEqual(['read', 'new2']);
    },
  );

const full = {
  servers: {
    fs: {
      tools,
      info: { capabilities: everything },
      resources: [{ uri: 'u:r', name: 'r' }],
      prompts: [{ name: 'p' }],
    },
  },
};
scenario('a notice about one list asks for it only; templates change with resources', full, async (s) => {
  const counts = (): number[] =>
    ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'].map(
      (m) => asksOf(s, m).length,
    );
  await s.up(1000);
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
});

let truth = ['read'];
const noticed: HarnessOptions = {
  servers: { fs: { tools, lists: () => truth }, other: { tools: { write: tools.read } } },
};
for (const [what, beforeMs] of [
  ['a server that was quiet', 1000],
  ['one that has just answered', 100],
] as const)
  scenario(`200 notices within 50 ms of ${what}: two questions at most, one change`, noticed, async (s) => {
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
  });

scenario('a list is asked for once without looks by the clock', { servers: { fs: quiescent } }, async (s) => {
  await s.up(24 * 3_600_000);
  expect(asksOf(s, 'tools/list')).toHaveLength(1);
});

const twelve = {
  servers: Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`s${n}`, { ...quiescent, tools: {} }])),
  timing: { pollMs: 60_000 },
  seed: 7,
};
scenario('looks by the clock come ten percent sooner or later, not in step', twelve, async (s) => {
  await s.up(70_000);
  const looks = Array.from({ length: 12 }, (_, n) => asksOf(s, 'tools/list', `s${n}`)[1] ?? 0);
  expect(looks.every((at) => at >= 54_000 && at <= 67_000)).toBe(true);
  expect(new Set(looks).size).toBeGreaterThan(9);
});

const polled = { servers: { fs: { ...quiescent, listMs: 50 } }, timing: { pollMs: 1_000 } };
scenario('a server that is down is not looked at, which counts neither way', polled, async (s) => {
  s.computer();
  await until(s, () => asksOf(s, 'tools/list').length === 2);
  s.servers.kill('fs', { code: 1 });
  expect(catalogOf(s)).toMatchObject({ state: 'standby', failures: 0 });
  order(s, 'server.stop');
  await s.run(60_000);
  expect(stageOf(s)).toBe('idle');
  expect(asksOf(s, 'tools/list')).toHaveLength(2);
});

scenario('a list that is as it was is no news', { servers: { fs: { tools } } }, async (s) => {
  await everybody(s, 1_100);
  const before = s.news.length;
  s.servers.announce('fs');
  await s.run(5000);
  expect(asksOf(s, 'tools/list')).toHaveLength(2);
  expect(s.news.length).toEqual(before);
  expect(announcedBy(s)).toEqual([]);
  expect(catalogOf(s)?.revision).toBe(1);
});

const muted = {
  servers: { mute: { tools, listMs: 'never' }, fs: { tools: { write: tools.read } } },
  timing: { listMs: 10_000 },
} as const;
scenario('a list that never comes ends in its time, and holds up no other server', muted, async (s) => {
  await s.up(100);
  expect(offeredBy(s)).toEqual(['write']);
  await s.run(9_910);
  expect(s.heard('computer', 'client.changed').at(-1)).toMatchObject({
    server: 'mute',
    failure: { message: "Server 'mute': no answer to tools/list within 10000 ms" },
  });
});
const slow = { tools, listMs: 100 };
const slowly = { servers: { fs: slow } };
const listing: Readonly<Record<string, (s: Harness) => Promise<void>>> = {
  connecting: (s) => reaches(s, 'listing'),
  refreshing: async (s) => {
    await s.run(150);
    s.servers.announce('fs');
    await until(s, () => asksOf(s, 'tools/list').length === 2);
  },
};

for (const [state, meet] of Object.entries(listing)) {
  scenario(`a list that is ${state} when its computer closes is asked for no more`, slowly, async (s) => {
    s.computer();
    await meet(s);
    const asked = asksOf(s, 'tools/list').length;
    s.close();
    s.servers.announce('fs');
    await s.run(1000);
    expect(asksOf(s, 'tools/list')).toHaveLength(asked);
    expect(s.directory.size).toBe(0);
  });

  const breaking = { servers: { fs: slow }, kinds: broken('client', 'noteWatch'), failing: '/client:' };
  scenario(`a list that is ${state} when the machine of its client fails is cut off`, breaking, async (s) => {
    s.computer();
    await meet(s);
    const asked = asksOf(s, 'tools/list').length;
    s.order('computer', { type: 'resources.watch', server: 'fs', uris: [], by: 'host' });
    expect(signalsTo(s)).toEqual(['force']);
    await s.run(1000);
    expect([stageOf(s), offeredBy(s)]).toEqual(['ready', ['read']]);
    expect(asksOf(s, 'tools/list')).toHaveLength(asked + 1);
  });
}

const halfMute: HarnessOptions = {
  servers: { fs: { ...slow, info: { capabilities: everything } } },
  timing: { listMs: 1_000 },
  mend: (ports) => {
    let asked = 0;
    return {
      ...ports,
      request: (from, question, emit) =>
        question.method === 'prompts/list' && (asked += 1) > 1
          ? () => {}
          : ports.request(from, question, emit),
    };
  },
};
scenario('a client is refreshing until the last of its lists is there', halfMute, async (s) => {
  const refreshing = (): boolean[] =>
    (['tools', 'prompts'] as const).map((list) => catalogOf(s, 'fs', list)?.state === 'refreshing');
  await s.up(500);
  expect(stageOf(s)).toBe('ready');
  expect(refreshing()).toEqual([false, false]);
  s.servers.announce('fs', 'tools');
  await s.run(50);
  s.servers.announce('fs', 'prompts');
  await until(s, () => refreshing()[0] === true);
  await until(s, () => refreshing()[0] === false);
  expect(refreshing()).toEqual([false, true]);
  await s.run(s.timing.listMs);
  expect(refreshing()).toEqual([false, false]);
});
