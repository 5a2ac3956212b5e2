/** A question waits only for servers that it needs, and only once for one that hangs. */
import { expect } from 'vitest';
import { scenario } from '../../../stage/plan/index.ts';
import {
  answers,
  ask,
  collected,
  changes,
  now,
  read,
  reads,
  replyTo,
  saying,
  says,
  showing,
  shown,
  windows,
} from '../../../stage/showing.ts';

let isHanging = true;
const hanging = showing(['window://h/1', 'window://h/2'], (uri) =>
  uri.endsWith('1') && isHanging ? { never: true } : saying(uri),
);
const hung = { servers: { a: windows('window://a/1'), hangs: hanging }, timing: { aggregateMs: 8_000 } };
scenario('a window that hangs is waited for once, named, and told of when it comes', hung, async (s) => {
  says();
  isHanging = true;
  await s.up(2_000);
  await collected(s, 'desktop', {}, s.timing.aggregateMs - 10);
  expect(answers(s)).toEqual([]);
  await s.run(20);
  expect(shown(s).body.desktops).toEqual(['window://a/1\n\nshown at window://a/1', 'window://h/2\n\nbefore']);
  for (let n = 2; n < 5; n += 1) {
    await collected(s, 'desktop', {}, 20);
    expect(answers(s)).toHaveLength(n);
    expect(shown(s).missing).toEqual([
      { server: 'hangs', uri: 'window://h/1', reason: 'it could not be read within 8000 ms' },
    ]);
  }
  now.text = 'after';
  s.servers.update('hangs', 'window://h/2');
  await collected(s, 'desktop', {}, 20);
  expect(shown(s).body.desktops).toContain('window://h/2\n\nafter');
  isHanging = false;
  const told = changes(s, 'desktop');
  await s.run(30_000);
  expect(changes(s, 'desktop')).toBe(told + 1);
  await collected(s, 'desktop', {}, 20);
  expect(shown(s)).toMatchObject({ missing: [] });
  expect(shown(s).body.desktops).toHaveLength(3);
});

const forever = {
  servers: { hangs: showing(['window://h/1'], () => ({ never: true })) },
  timing: { aggregateMs: 1_000 },
};
scenario('a server that hangs for ever is asked ever more seldom; answers go on', forever, async (s) => {
  await s.up(2_000);
  await collected(s, 'desktop', {}, 600_000);
  ask(s, 'desktop');
  await s.run(10);
  expect(answers(s)).toHaveLength(2);
  expect(reads(s)).toBeGreaterThan(8);
  expect(reads(s)).toBeLessThan(20);
});

const unneeded = {
  servers: {
    a: windows('window://a/1', 'window://a/2'),
    b: showing(['window://b/1'], () => ({ never: true })),
  },
  timing: { aggregateMs: 8_000 },
};
scenario('an answer does not wait for a server that it does not need', unneeded, async (s) => {
  await s.up(2_000);
  ask(s, 'desktop', {}, 'all');
  await s.run(100);
  ask(s, 'desktop', { window: 'window://a/2' }, 'one');
  ask(s, 'desktop', { desktop_size: 2 }, 'two');
  ask(s, 'desktop', { desktop_size: 0 }, 'none');
  await s.run(10);
  expect(answers(s).map(({ body, missing }) => [body.desktops.length, missing])).toEqual([
    [1, []],
    [2, []],
    [0, []],
  ]);
});

const listless = {
  servers: {
    a: windows('window://a/1'),
    b: { ...windows('window://b/1'), methods: { 'resources/list': { never: true } } },
  },
  timing: { aggregateMs: 1_000, listMs: 30_000 },
} as const;
scenario('a list that does not come is waited for once; the next answer names it', listless, async (s) => {
  await s.up(500);
  await collected(s, 'desktop', {}, s.timing.aggregateMs + 10);
  expect(answers(s)).toHaveLength(1);
  await collected(s, 'desktop', {}, 10);
  expect(answers(s)).toHaveLength(2);
  expect(shown(s).missing).toEqual([{ server: 'b', reason: 'its list of resources has not come yet' }]);
});

const starting = {
  servers: {
    slow: { ...windows('window://s/1'), tools: { look: { never: true } }, startMs: 500 },
    mute: { initialize: 60_000 },
  },
} as const;
scenario('what is asked while servers start waits a moment, and for no mute one', starting, async (s) => {
  s.computer();
  const told = (type: string) => s.heard('computer', type) as unknown as Record<string, unknown>[];
  ask(s, 'desktop');
  s.order('computer', { type: 'tools.wanted', ticket: 't2', reqId: 'r2', replyTo });
  read(s, 'desktop', 'window://s/2');
  await s.run(1_000);
  read(s, 'desktop', 'window://s/1');
  await s.run(900);
  expect(told('resource.read')).toMatchObject([{ contents: [{ uri: 'window://s/1' }], failure: null }]);
  expect([...answers(s), ...told('tools.listed')]).toEqual([]);
  await s.run(200);
  expect(shown(s).body.desktops).toEqual(['window://s/1\n\nshown at window://s/1']);
  expect(told('tools.listed')).toMatchObject([{ tools: [{ name: 'look' }] }]);
  expect(told('resource.read').at(-1)).toMatchObject({ failure: { code: 404 } });
  await collected(s, 'desktop', {}, 20);
  expect(answers(s)).toHaveLength(2);
});
