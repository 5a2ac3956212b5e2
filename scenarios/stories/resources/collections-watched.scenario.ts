import { expect } from 'vitest';
import type { HarnessOptions } from '../../stage/harness.ts';
import { scenario } from '../../stage/plan/index.ts';
import { toolsOnly, type Script } from '../../stage/scripted/script.ts';
import { planOf } from '../../stage/server-plan.ts';
import {
  answers,
  ask,
  collected,
  changes,
  documents,
  given,
  read,
  reads,
  showing,
  shown,
  windows,
  now,
  says,
  listing,
} from '../../stage/showing.ts';
import { announcedBy, asksOf, everybody } from '../../stage/watching.ts';
import { follow } from '../../stage/following.ts';

const silent: Script = {
  info: { capabilities: { ...toolsOnly, resources: { listChanged: true, subscribe: false } } },
};

let content: object = {};
const showingContent = showing(['window://a/1'], (uri) => given(uri, content));
const untold = { servers: { a: { ...showingContent, ...silent } } };
scenario('a server that tells of no change takes part only where its config says so', untold, async (s) => {
  content = { text: 'first' };
  const set = (participation: 'resources' | 'subscribe'): void =>
    s.order('computer', {
      type: 'servers.set',
      servers: [{ ...planOf('a', {}, s.timing, true), participation }],
      shown: { participation },
    });
  await s.up(2_000);
  await collected(s, 'desktop');
  expect(shown(s).body.desktops).toEqual([]);
  expect(reads(s)).toBe(0);
  set('resources');
  await s.run(100);
  await collected(s, 'desktop');
  content = { text: 'second' };
  await collected(s, 'desktop');
  expect(answers(s).map(({ body }) => body.desktops)).toEqual([
    [],
    ['window://a/1\n\nfirst'],
    ['window://a/1\n\nsecond'],
  ]);
  expect(changes(s, 'desktop')).toBe(1);
  set('subscribe');
  await s.run(1_000);
  await collected(s, 'desktop');
  expect(shown(s).body.desktops).toEqual([]);
  expect(changes(s, 'desktop')).toBe(2);
  expect(reads(s)).toBe(2);
});

const notices = (s: Parameters<typeof answers>[0]): unknown[] =>
  s.heard('computer', 'aggregate.noticed').map(({ text }) => text);
const blobs = { servers: { a: showingContent } };
scenario('a window that has a blob is told to the host once for each blob', blobs, async (s) => {
  content = { blob: 'AAAA' };
  await s.up(2_000);
  const asked = async (): Promise<void> => {
    s.servers.update('a', 'window://a/1');
    await s.run(300);
    await collected(s, 'desktop', {}, 300);
  };
  await asked();
  await asked();
  expect(notices(s)).toEqual([expect.stringContaining("'window://a/1' of server 'a'")]);
  content = { blob: 'BBBB' };
  await asked();
  expect(notices(s)).toHaveLength(2);
  s.servers.kill('a', { code: 1 });
  await s.run(5_000);
  await asked();
  expect(notices(s)).toHaveLength(2);
  expect(shown(s).body.desktops).toEqual([]);
});

scenario(
  'a host of documents that two servers have is told to the host of the computer once, when it is asked for',
  { servers: { a: documents('dpe://h/1'), b: documents('dpe://h/2'), c: documents('dpe://other/1') } },
  async (s) => {
    await s.up(2_000);
    for (const uri of ['dpe://other/1', 'dpe://h/1', 'dpe://h/2', 'dpe://h/1/pages/0']) {
      read(s, 'finder', uri);
      await s.run(100);
    }
    expect(notices(s)).toEqual([expect.stringContaining("'a' and 'b' have documents of the host 'h'")]);
    expect(s.heard('computer', 'resource.read').map(({ failure }) => failure)).toEqual([
      null,
      null,
      null,
      null,
    ]);
  },
);

const manyWindows = showing(
  Array.from({ length: 20 }, (_, n) => `window://a/${n + 1}`),
  (uri) => given(uri, content),
);
const slowly = {
  servers: {
    a: {
      ...manyWindows,
      methods: { ...manyWindows.methods, 'resources/subscribe': { answers: {}, afterMs: 1_000 } },
    },
    refuses: {
      ...showing(['window://r/1'], (uri) => given(uri, { text: 'r' })),
      methods: {
        'resources/read': given('window://r/1', content),
        'resources/subscribe': { errors: 'not for you', afterMs: 1 },
      },
    },
  },
};
scenario('a window read before its subscription was asked for is read once more', slowly, async (s) => {
  content = { text: 'before' };
  await s.up(500);
  const asked = async (window: string): Promise<void> => {
    await collected(s, 'desktop', { window });
  };
  // Only the first sixteen subscriptions are under way.
  for (const window of ['window://a/1', 'window://a/20']) await asked(window);
  expect(reads(s)).toBe(2);
  content = { text: 'after' };
  await s.run(3_000);
  for (const window of ['window://a/1', 'window://a/20', 'window://a/20']) await asked(window);
  const texts = ['1\n\nbefore', '20\n\nbefore', '1\n\nbefore', '20\n\nafter', '20\n\nafter'];
  expect(answers(s).map(({ body }) => body.desktops)).toEqual(texts.map((text) => [`window://a/${text}`]));
  expect(reads(s)).toBe(3);
  s.servers.update('a', 'window://a/1');
  await asked('window://a/1');
  expect(shown(s).body.desktops).toEqual(['window://a/1\n\nafter']);
  // The server that refuses subscriptions is read for each question about all windows.
  await collected(s, 'desktop');
  ask(s, 'desktop');
  await s.run(100);
  expect(reads(s)).toBe(4 + 18 + 2);
});

const both = windows('window://a/1', 'window://a/2');
const echoing: HarnessOptions = {
  servers: {
    a: {
      ...both,
      methods: {
        ...both.methods,
        'resources/subscribe': ({ arguments: { uri }, update }) => {
          update(String(uri));
          return { answers: {}, afterMs: 1 };
        },
      },
    },
  },
};
scenario('a server that answers subscriptions with changes is read and told of once', echoing, async (s) => {
  await s.up(500);
  for (let n = 0; n < 5; n += 1) {
    await collected(s, 'desktop', {}, 2_000);
  }
  // Two announcements: that the windows are there, and both changes together.
  expect(asksOf(s, 'resources/subscribe', 'a')).toHaveLength(2);
  expect(reads(s)).toBe(2);
  expect(changes(s, 'desktop')).toBe(2);
  expect(answers(s).every(({ body }) => body.desktops.length === 2)).toBe(true);
});

const kinds = ['server:update_desktop', 'server:update_finder'];
const leaving = {
  servers: { a: windows('window://a/1'), b: documents('dpe://b/1') },
  timing: { linkBackoffMs: 5_000 },
};
scenario('what changed while its computer was away is announced once it is back', leaving, async (s) => {
  await s.office();
  s.computer({ linked: true });
  await s.run(3_000);
  const told = (): number[] => kinds.map((event) => announcedBy(s, event).length);
  const [desktop = 0, finder = 0] = told();
  s.network.faults.dropLink('c1');
  await s.run(10);
  for (let n = 0; n < 3; n += 1) {
    s.servers.update('a', 'window://a/1');
    await s.run(300);
  }
  expect(told()).toEqual([desktop, finder]);
  await s.run(8_000);
  expect(told()).toEqual([desktop + 1, finder]);
  s.network.faults.dropLink('c1');
  await s.run(10);
  s.servers.kill('b', { code: 1 });
  await s.run(10_000);
  // The server is back with its old resources, and the office was told of nothing else before.
  expect(told()).toEqual([desktop + 1, finder]);
  s.network.faults.dropLink('c1');
  await s.run(10);
  s.servers.update('b', 'dpe://b/1');
  await s.run(10_000);
  expect(told()).toEqual([desktop + 1, finder + 1]);
});

const shows = listing((uri) => ({ answers: { contents: [{ uri, text: uri }] } }));
let renewed = 0;
const renewing: Script = {
  ...shows,
  methods: {
    ...shows.methods,
    'resources/read': ({ arguments: { uri }, announce }) => {
      renewed += 1;
      says('window://a/0', `window://a/${renewed}`);
      announce('resources');
      return { answers: { contents: [{ uri: String(uri), text: now.text }] } };
    },
  },
};

const neverSame = { servers: { a: renewing }, timing: { pollMs: 60_000 } };
scenario('a list that is another at each read is read ever less often, told once', neverSame, async (s) => {
  renewed = 0;
  says('window://a/0');
  await everybody(s);
  follow(s, 'desktop');
  await s.run(60_000);
  const [lists, before] = [asksOf(s, 'resources/list', 'a').length, reads(s)];
  expect(s.heard('computer', 'list.restless')).toMatchObject([{ failure: { code: 'ListRestless' } }]);
  // Requested after 0.2, 0.4, 0.8 … s; one in each 0.6 s would make 100.
  expect(lists).toBeLessThan(14);
  await s.run(300_000);
  expect(asksOf(s, 'resources/list', 'a').length - lists).toBeLessThan(8);
  expect(reads(s) - before).toBeLessThan(16);
  expect(changes(s, 'desktop')).toBeLessThan(24);
});
