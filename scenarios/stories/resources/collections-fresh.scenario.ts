/** Fresh reads must not be answered from the cache. */
import { expect } from 'vitest';
import type { HarnessOptions } from '../../stage/harness.ts';
import { scenario } from '../../stage/plan/index.ts';
import {
  answers,
  ask,
  collected,
  listing,
  now,
  reads,
  saying,
  says,
  showing,
  shown,
  windows,
} from '../../stage/showing.ts';

const tellsLate = { servers: { a: listing(saying), silent: listing(saying) } };
scenario('a fresh question asks for lists and contents, of forgetful servers, too', tellsLate, async (s) => {
  says('window://h/1');
  await s.up(2_000);
  await collected(s, 'desktop');
  says('window://h/1', 'window://h/2');
  now.text = 'after';
  await collected(s, 'desktop');
  expect(shown(s).body.desktops).toEqual(['window://h/1\n\nbefore', 'window://h/1\n\nbefore']);
  await collected(s, 'desktop', { fresh: true });
  expect(answers(s)).toHaveLength(3);
  expect(shown(s).missing).toEqual([]);
  expect(shown(s).body.desktops).toEqual([
    ...['window://h/1\n\nafter', 'window://h/2\n\nafter'],
    ...['window://h/1\n\nafter', 'window://h/2\n\nafter'],
  ]);
  // From then on the list is known; the servers announced the new resources only after they were read.
  await collected(s, 'desktop');
  const asked = reads(s);
  await collected(s, 'desktop');
  expect(reads(s)).toEqual(asked);
  expect(shown(s).body.desktops).toHaveLength(4);
});

let isMute = false;
const muted: HarnessOptions = {
  servers: {
    a: windows('window://a/1'),
    b: showing(['window://b/1'], (uri) => (isMute ? { never: true } : saying(uri))),
    c: {
      ...windows('window://c/1'),
      methods: {
        ...windows('window://c/1').methods,
        'resources/list': () =>
          isMute
            ? { never: true }
            : { answers: { resources: [{ uri: 'window://c/1', name: 'c' }] }, afterMs: 1 },
      },
    },
  },
  timing: { aggregateMs: 1_000 },
};
scenario('a fresh question of a server that answers no more ends in time, and names it', muted, async (s) => {
  says();
  isMute = false;
  await s.up(2_000);
  await collected(s, 'desktop');
  expect(shown(s)).toMatchObject({ missing: [] });
  isMute = true;
  await collected(s, 'desktop', { fresh: true }, s.timing.aggregateMs - 10);
  expect(answers(s)).toHaveLength(1);
  await s.run(20);
  expect(answers(s)).toHaveLength(2);
  expect(shown(s).missing).toEqual([
    { server: 'b', uri: 'window://b/1', reason: 'it could not be read within 1000 ms' },
    { server: 'c', reason: 'its list of resources did not come again within 1000 ms' },
  ]);
  await collected(s, 'desktop', { fresh: true, window: 'window://a/1' }, 20);
  expect(shown(s)).toMatchObject({ missing: [], body: { desktops: [expect.any(String)] } });
});

let isFailing = false;
const busy = {
  servers: {
    a: {
      ...windows('window://a/1', 'dpe://a/1'),
      methods: {
        ...windows('window://a/1').methods,
        'resources/list': () =>
          isFailing
            ? { errors: 'not now', afterMs: 10 }
            : { answers: { resources: [{ uri: 'window://a/1', name: 'a' }] }, afterMs: 300 },
      },
    },
  },
  timing: { aggregateMs: 1_000 },
};
scenario('a fresh question comes amid a first list, one that fails, another question', busy, async (s) => {
  isFailing = false;
  await s.up(250);
  ask(s, 'desktop', { fresh: true }, 'first');
  await s.run(900);
  await collected(s, 'desktop', { fresh: true });
  ask(s, 'finder', { fresh: true });
  await collected(s, 'desktop', { fresh: true }, 700);
  expect(answers(s).map(({ missing }) => missing)).toEqual([[], [], [], []]);
  isFailing = true;
  for (let n = 0; n < 4; n += 1) {
    await collected(s, 'desktop', { fresh: true }, 50);
    expect(shown(s).missing).toEqual([
      { server: 'a', reason: expect.stringMatching(/^its list of resources could not be had: .*not now$/) },
    ]);
  }
  isFailing = false;
  await collected(s, 'desktop', { fresh: true }, 400);
  expect(shown(s)).toMatchObject({ missing: [], body: { desktops: { length: 1 } } });
});
