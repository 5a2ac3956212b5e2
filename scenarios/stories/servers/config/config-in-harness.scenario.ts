/** A changed config in every state of a server, which no plan can express. */
import { expect } from 'vitest';
import { broken, eldest } from '../../../fixtures/altered.ts';
import { scenario } from '../../../stage/plan/index.ts';
import type { Script } from '../../../stage/scripted/script.ts';
import type { ServerOptions } from '../../../stage/server-plan.ts';
import type { Harness } from '../../../stage/harness.ts';
import {
  announcedBy,
  breaks,
  everybody,
  hello,
  kept,
  offeredBy,
  opensOf,
  order,
  reaches,
  seenOf,
  stageAfter,
  stepOf,
} from '../../../stage/watching.ts';

const tools = { read: { answers: hello } };
const lingering: Script = {
  tools: { read: { answers: hello, afterMs: 300 } },
  ignores: ['stdin'],
  ...{ startMs: 50, initialize: 50, listMs: 50 },
};
const others = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`s${n}`, { initialize: 5000 }]));
type Act = (s: Harness) => void | Promise<void>;
const nothing = (): void => {};
const once =
  (act: Act) =>
  async (s: Harness): Promise<void> => {
    await reaches(s, 'ready');
    await act(s);
  };
const dies = once((s) => s.servers.kill('fs', { code: 1 }));
const stops = (s: Harness): void => order(s, 'server.stop');
/** How to catch a server in a state, and its state after a change of its launch config, or of anything else. */
type Caught = readonly [state: string, seen: string, Act, changed: string, kept: string, ServerOptions?];
const states: readonly Caught[] = [
  ['idle', 'idle', nothing, 'idle', 'idle', { autoStart: false }],
  ['standby', 'standby', nothing, 'ready', 'standby', { isLazy: true, kept: kept('read') }],
  ['queued', 'queued', nothing, 'ready', 'ready'],
  ...['launching', 'handshaking', 'listing'].map((step): Caught => [
    step,
    step,
    (s) => reaches(s, step),
    'ready',
    'ready',
  ]),
  ['steady', 'ready', once(nothing), 'ready', 'ready'],
  ['draining', 'closing', once((s) => (s.call('read'), stops(s))), 'idle', 'idle'],
  ['closing', 'closing', once(stops), 'idle', 'idle'],
  ['disconnected', 'recovering', once((s) => breaks(s, 'disconnected')), 'ready', 'ready'],
  ['recovering', 'recovering', once((s) => breaks(s, 'recovering')), 'ready', 'ready'],
  ['waiting', 'waiting', dies, 'ready', 'ready'],
  ['open', 'open', dies, 'ready', 'open', { budget: 0 }],
];
let refuses = false;
const refusing: Script = { ...lingering, at: () => (refuses ? { initialize: 'error' } : {}) };
for (const [state, seen, meet, changed, unchanged, options = {}] of states)
  for (const [what, change, becomes] of [
    ['launch config', { generation: 2 }, changed],
    ['budget', { budget: 3 }, unchanged],
  ] as const)
    scenario(
      `a server that is ${state} takes another ${what}`,
      { servers: { ...(state === 'queued' && others), fs: refusing }, options: { fs: options } },
      async (s) => {
        refuses = false;
        s.computer();
        await meet(s);
        expect(stepOf(s)).toBe(seen);
        const rest = state === 'queued' ? Object.keys(others).map((name) => [name, {}]) : [];
        s.config({ ...Object.fromEntries(rest), fs: { ...options, ...change } });
        expect(await stageAfter(s, 10_000)).toBe(becomes);
        // What was taken holds at the next start: the launch config, or how often it is tried.
        refuses = what === 'budget';
        if (refuses) s.servers.kill('fs', { code: 1 });
        const before = opensOf(s, 'fs').length;
        order(s, 'server.start');
        await s.run(60_000);
        if (refuses) expect(opensOf(s, 'fs')).toHaveLength(before + 4);
        else expect(seenOf(s).specs.at(-1)).toBe(2);
      },
    );

const leaving = {
  servers: {
    fs: { ...lingering, tools: { read: { answers: hello, afterMs: 500 } } },
    other: { tools: { write: tools.read } },
  },
};
scenario('late news of a server that was taken out change nothing', leaving, async (s) => {
  await everybody(s, 1_100);
  const call = s.call('read');
  s.config({ other: {} });
  expect(offeredBy(s)).toEqual(['write']);
  const [before, told] = [s.heard('computer', 'tools.changed').length, announcedBy(s).length];
  s.servers.announce('fs');
  await s.run(5000);
  expect(s.heard('computer', 'tools.changed').length).toEqual(before);
  expect(offeredBy(s)).toEqual(['write']);
  expect(announcedBy(s)).toHaveLength(told + 1);
  expect(call.settled).toHaveLength(1);
  expect(s.heard('computer', 'server.removed')).toHaveLength(1);
});

const plain = { servers: { fs: { tools } } };
scenario('a config changed while its computer was away is announced when it is back', plain, async (s) => {
  await everybody(s, 1_100);
  s.network.faults.dropLink('c1');
  s.config({ fs: { budget: 1 } });
  s.config({ fs: { budget: 2 } });
  await s.run(5000);
  expect(announcedBy(s, 'server:update_config')).toHaveLength(1);
  expect(announcedBy(s)).toHaveLength(0);
  s.config({ fs: { budget: 2 } });
  await s.run(5000);
  expect(announcedBy(s, 'server:update_config')).toHaveLength(1);
});

const breaking = {
  servers: { fs: { tools } },
  kinds: broken('client', 'rememberInfo', eldest(6)),
  failing: 'client:fs',
};
scenario('a server whose machine was given up opens again when it is put back', breaking, async (s) => {
  await s.up(5000);
  expect(s.heard('computer', 'client.changed').at(-1)?.failure).toMatchObject({ code: 'Crashed' });
  s.config({});
  await s.run(1000);
  s.config({ fs: {} });
  expect(await stageAfter(s, 1000)).toBe('ready');
  expect(offeredBy(s)).toEqual(['read']);
});

const three = {
  servers: { fs: { tools }, other: { tools: { write: tools.read } }, twin: { tools: { write: tools.read } } },
};
scenario('a refused tool or another order of servers changes nothing on offer', three, async (s) => {
  await everybody(s, 1_100);
  const heard = (): number => s.heard('computer', 'tools.changed').length;
  const [before, told] = [heard(), announcedBy(s).length];
  s.config({ other: {}, fs: {} });
  await s.run(5000);
  expect(offeredBy(s)).toEqual(['write', 'read']);
  expect(heard()).toBe(before);
  // The new server has only a tool whose name is taken, so nothing changes.
  s.config({ other: {}, fs: {}, twin: {} });
  await s.run(5000);
  expect(heard()).toBe(before);
  expect(announcedBy(s).length).toBe(told);
});
