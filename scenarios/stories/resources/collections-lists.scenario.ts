import { expect } from 'vitest';
import { scenario } from '../../stage/plan/index.ts';
import type { Act, Script } from '../../stage/scripted/script.ts';
import {
  answers,
  ask,
  collected,
  changes,
  document,
  documents,
  given,
  read,
  reads,
  replyTo,
  showing,
  shown,
  windows,
} from '../../stage/showing.ts';

const listing = (script: Script, list: Act): Script => ({
  ...script,
  methods: { ...script.methods, 'resources/list': list },
});
const entries = (...uris: readonly string[]): object => ({
  resources: uris.map((uri) => ({ uri, name: uri })),
});
const slowly = (script: Script, ms: number, ...uris: readonly string[]): Script =>
  listing(script, () => ({ answers: entries(...uris), afterMs: ms }));

let failsNow = true;
const notNow = {
  servers: {
    a: windows('window://a/1'),
    slow: slowly(windows(), 20_000, 'window://s/1'),
    fails: listing(windows(), () =>
      failsNow ? { errors: 'no list today', afterMs: 1 } : { answers: entries(), afterMs: 1 },
    ),
  },
  timing: { aggregateMs: 1_000, relistMs: 15_000 },
};
scenario('a list is missing in the answer while it does not come or cannot be had', notNow, async (s) => {
  failsNow = true;
  await s.up(500);
  await collected(s, 'desktop', {}, s.timing.aggregateMs - 1);
  expect(answers(s)).toEqual([]);
  await s.run(50);
  expect(shown(s).body.desktops).toHaveLength(1);
  expect(shown(s).missing).toEqual([
    { server: 'fails', reason: 'its list of resources could not be had: no list today' },
    { server: 'slow', reason: 'its list of resources has not come yet' },
  ]);
  failsNow = false;
  await s.run(30_000);
  await collected(s, 'desktop');
  expect(shown(s)).toMatchObject({ missing: [], body: { desktops: { length: 2 } } });
});

let listedNow = ['window://a/1', 'window://a/never'];
const vanishing = {
  servers: {
    a: listing(
      showing([], (uri) => (uri.endsWith('1') ? given(uri, { text: 'x' }) : { never: true })),
      () => ({ answers: entries(...listedNow), afterMs: 1 }),
    ),
  },
  timing: { aggregateMs: 1_000 },
};
scenario('a window that is listed no more while it is read is waited for no longer', vanishing, async (s) => {
  listedNow = ['window://a/1', 'window://a/never'];
  await s.up(500);
  await collected(s, 'desktop', {}, 500);
  expect(answers(s)).toEqual([]);
  listedNow = ['window://a/1'];
  s.servers.announce('a', 'resources');
  await s.run(300);
  expect(shown(s)).toMatchObject({ missing: [], body: { desktops: ['window://a/1\n\nx'] } });
});

const twoLists = { servers: { a: documents('dpe://a/1'), slow: slowly(documents(), 3_000, 'dpe://s/1') } };
scenario('a resource that nobody lists yet is read or refused with the last list', twoLists, async (s) => {
  await s.up(500);
  read(s, 'finder', 'dpe://s/1/pages/0');
  read(s, 'finder', 'dpe://nobody/1');
  read(s, 'finder', 'dpe://a/1');
  await s.run(100);
  expect(s.heard('computer', 'resource.read')).toMatchObject([{ failure: null }]);
  await s.run(3_000);
  expect(s.heard('computer', 'resource.read').map(({ failure }) => failure)).toMatchObject([
    null,
    { code: 4201, details: { host: 'nobody' } },
    null,
  ]);
});

const neverLists = {
  servers: { never: listing(documents(), () => ({ never: true })) },
  timing: { aggregateMs: 1_000 },
};
scenario('a resource is waited for no longer than a list, or than its computer', neverLists, async (s) => {
  await s.up(500);
  read(s, 'finder', 'dpe://s/1');
  await s.run(500);
  read(s, 'finder', 'dpe://s/2');
  await s.run(600);
  expect(s.heard('computer', 'resource.read')).toMatchObject([
    { failure: { code: 4201 } },
    { failure: { code: 4201 } },
  ]);
  read(s, 'finder', 'dpe://s/3');
  await s.run(10);
  s.close('computer');
  await s.run(5_000);
  expect(s.heard('computer', 'resource.read').at(-1)).toMatchObject({
    failure: { code: 500, message: 'The computer is closing' },
  });
});

let listed: readonly string[] = [];
const tied = { servers: { a: listing(windows(), () => ({ answers: entries(...listed), afterMs: 1 })) } };
scenario('the order of a list is that of what ties; another order is no news', tied, async (s) => {
  listed = ['window://a/2', 'window://a/1', 'window://a/3?priority=1'];
  await s.up(2_000);
  await collected(s, 'desktop');
  const uris = (): string[] => shown(s).body.desktops.map((window) => window.split('\n')[0] ?? '');
  expect(uris()).toEqual(['window://a/3?priority=1', 'window://a/2', 'window://a/1']);
  const [told, asked] = [changes(s, 'desktop'), reads(s)];
  listed = listed.toReversed();
  s.servers.announce('a', 'resources');
  await s.run(5_000);
  await collected(s, 'desktop');
  expect(uris()).toEqual(['window://a/3?priority=1', 'window://a/1', 'window://a/2']);
  expect(changes(s, 'desktop')).toEqual(told);
  expect(reads(s)).toEqual(asked);
});

let nonsense: unknown;
const placed = (...of: readonly [uri: string, priority?: unknown, fullscreen?: unknown][]): object => ({
  resources: of.map(([uri, priority, fullscreen]) => ({
    ...{ uri, name: uri, annotations: { priority }, _meta: { fullscreen } },
  })),
});
let list: object;
const placing = { servers: { a: listing(windows(), () => ({ answers: list, afterMs: 1 })) } };
scenario('the place of a window is what its URI says, then what its list says of it', placing, async (s) => {
  const uris = async (): Promise<readonly string[]> => {
    await collected(s, 'desktop');
    return shown(s).body.desktops.map((window) => window.split('\n')[0] ?? '');
  };
  list = placed(
    ['window://a/1?priority=10', 1],
    ['window://a/2', 0.2],
    ['window://a/3', 0.05],
    ['window://a/4', 5],
    ['window://a/5?fullscreen=0', 'high', true],
  );
  await s.up(2_000);
  expect(await uris()).toEqual([
    ...['window://a/2', 'window://a/1?priority=10', 'window://a/3', 'window://a/4'],
    'window://a/5?fullscreen=0',
  ]);
  const told = changes(s, 'desktop');
  list = placed(
    ['window://a/1?priority=10'],
    ['window://a/2', 0.2, true],
    ...[3, 4].map((n): [string] => [`window://a/${n}`]),
    ['window://a/5?fullscreen=0'],
  );
  s.servers.announce('a', 'resources');
  await s.run(5_000);
  expect(changes(s, 'desktop')).toBe(told + 1);
  expect(await uris()).toEqual(['window://a/2']);
});

const lying = {
  servers: {
    a: showing(['window://a/1'], () => ({ answers: nonsense, afterMs: 1 })),
    b: showing(['dpe://b/1'], (uri) => given(uri, { text: JSON.stringify(document(uri, 'soon')) })),
  },
};
scenario('a server may answer a read with anything, and no machine breaks', lying, async (s) => {
  await s.up(2_000);
  for (nonsense of [{}, { contents: 'x' }, { contents: [null] }]) {
    ask(s, 'desktop');
    read(s, 'desktop', 'window://a/1');
    await s.run(100);
    expect(shown(s)).toMatchObject({
      body: { desktops: [] },
      missing: [{ server: 'a', reason: expect.stringContaining('did not answer with contents') }],
    });
    expect(s.heard('computer', 'resource.read').at(-1)).toMatchObject({ failure: { code: 500 } });
  }
  await collected(s, 'finder');
  expect(shown(s).body.total_count).toBe(1);
  expect(s.heard('computer', 'machine.failed')).toEqual([]);
  expect(replyTo).toBe('host:computer');
});

const hanging = {
  servers: {
    a: { ...showing(['window://a/1'], () => ({ never: true })), later: { 2: windows('window://a/1') } },
  },
};
scenario('a ticket is used once; a server cache not opened is opened next time', hanging, async (s) => {
  await s.up(2_000);
  read(s, 'desktop', 'window://a/1');
  read(s, 'desktop', 'window://a/1');
  await s.run(100);
  expect(s.heard('computer', 'resource.read').map(({ failure }) => failure)).toMatchObject([{ code: 409 }]);
  await collected(s, 'desktop', {}, 10);
  // What its server hangs with is still being cut off when the server is back.
  s.config({});
  s.config({ a: {} });
  await collected(s, 'desktop', {}, 2_000);
  ask(s, 'desktop');
  await s.run(100);
  expect(shown(s)).toMatchObject({ missing: [], body: { desktops: { length: 1 } } });
});
