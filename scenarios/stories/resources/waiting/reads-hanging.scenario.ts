/** They delay only themselves, and a question for one window waits for that window. */
import { expect } from 'vitest';
import type { Harness } from '../../../stage/harness.ts';
import { scenario } from '../../../stage/plan/index.ts';
import {
  answers,
  ask,
  collected,
  changes,
  document,
  given,
  reads,
  showing,
  shown,
} from '../../../stage/showing.ts';

const scheme = { desktop: 'window', finder: 'dpe' } as const;
const partly = (collection: keyof typeof scheme, server: string, count: number, hanging: number) =>
  showing(
    Array.from({ length: count }, (_, n) => `${scheme[collection]}://${server}/${n}`),
    (uri) => {
      if (Number(uri.slice(uri.lastIndexOf('/') + 1)) < hanging) return { never: true };
      return given(uri, { text: contentOf(collection, uri) }, 2);
    },
  );
const contentOf = (collection: keyof typeof scheme, uri: string): string =>
  collection === 'desktop' ? uri : JSON.stringify(document(uri, '2026-01-01T00:00:00Z'));
const shownOf = (s: Harness, collection: keyof typeof scheme): number =>
  collection === 'desktop' ? shown(s).body.desktops.length : shown(s).body.total_count;
const cancelled = (s: Harness): number =>
  s.seen.filter(({ record: r }) => r.k === 'out' && r.ev.type === 'ask.withdraw').length;
for (const [servers, hanging] of [
  [1, 1],
  [1, 3],
  [2, 3],
] as const)
  for (const collection of ['desktop', 'finder'] as const)
    scenario(
      `${hanging} reads that hang cost ${servers} × ${hanging} of ${servers} × 200 entries of a ${collection}, once its time, and are cancelled`,
      {
        servers: Object.fromEntries(
          Array.from({ length: servers }, (_, n) => [`s${n}`, partly(collection, `s${n}`, 200, hanging)]),
        ),
      },
      async (s) => {
        await s.up(2_000);
        for (let n = 1; n <= 3; n += 1) {
          ask(s, collection);
          await s.run(n === 1 ? 8_010 : 1_000);
          expect(answers(s)).toHaveLength(n);
          expect(shownOf(s, collection)).toBe(servers * (200 - hanging));
          expect(shown(s).missing).toEqual(
            Array.from({ length: servers }, (_, at) => `s${at}`).flatMap((server) =>
              Array.from({ length: hanging }, (_, n) => ({
                server,
                uri: `${scheme[collection]}://${server}/${n}`,
                reason: 'it could not be read within 8000 ms',
              })),
            ),
          );
          await s.run(5_000);
        }
        expect(cancelled(s)).toBeGreaterThanOrEqual(servers * hanging);
      },
    );

const crowded = { servers: { a: partly('desktop', 'a', 200, 6) } };
scenario('more reads that hang than are made at a time hold up others to their limit', crowded, async (s) => {
  await s.up(2_000);
  await collected(s, 'desktop', {}, 8_010);
  expect(shownOf(s, 'desktop')).toBe(0);
  const reasons = shown(s).missing.map(({ reason }) => reason);
  expect(reasons).toHaveLength(21);
  expect(reasons.slice(0, 4)).toEqual(Array(4).fill('it could not be read within 8000 ms'));
  expect(new Set(reasons.slice(4, 20))).toEqual(
    new Set(['its turn did not come within 8000 ms: other reads of its server took as long']),
  );
  expect(shown(s).missing.at(-1)).toEqual({ server: 'a', reason: 'and 180 more could not be taken in' });
  const told = changes(s, 'desktop');
  await collected(s, 'desktop', {}, 8_000);
  expect(shownOf(s, 'desktop')).toBe(194);
  expect(shown(s).missing).toHaveLength(6);
  expect(changes(s, 'desktop')).toBe(told + 1);
  await collected(s, 'desktop', {}, 10);
  expect(answers(s)).toHaveLength(3);
});

const thirty = { servers: { a: partly('desktop', 'a', 30, 30) } };
scenario('a server is asked for four windows at a time, however long each takes', thirty, async (s) => {
  await s.up(2_000);
  await collected(s, 'desktop', {}, s.timing.aggregateMs - 100);
  expect(reads(s)).toBe(4);
});

const eager = {
  servers: {
    a: showing(
      Array.from({ length: 40 }, (_, n) => `window://a/${n}`),
      (uri) => given(uri, { text: uri }, 1_000),
    ),
    hangs: partly('desktop', 'hangs', 4, 1),
  },
};
scenario('a question for one window waits for it alone, and it is read first', eager, async (s) => {
  await s.up(2_000);
  ask(s, 'desktop', { window: 'window://a/9' }, 'first');
  await s.run(1_010);
  expect(answers(s)).toHaveLength(1);
  expect(reads(s)).toBe(1);
  ask(s, 'desktop', {}, 'all');
  await s.run(100);
  const asked = reads(s);
  ask(s, 'desktop', { window: 'window://a/9' }, 'known');
  await s.run(10);
  expect(answers(s)).toHaveLength(2);
  expect(reads(s)).toEqual(asked);
  ask(s, 'desktop', { window: 'window://a/39' }, 'last');
  ask(s, 'desktop', { window: 'window://a/38', fresh: true }, 'fresh');
  await s.run(2_000);
  expect(answers(s).map(({ body, missing }) => [body.desktops, missing])).toEqual([
    [['window://a/9\n\nwindow://a/9'], []],
    [['window://a/9\n\nwindow://a/9'], []],
    [['window://a/38\n\nwindow://a/38'], []],
    [['window://a/39\n\nwindow://a/39'], []],
  ]);
  ask(s, 'desktop', { window: 'window://hangs/0' }, 'hangs');
  await s.run(s.timing.aggregateMs + 10);
  expect(shown(s)).toMatchObject({
    body: { desktops: [] },
    missing: [{ server: 'hangs', uri: 'window://hangs/0', reason: 'it could not be read within 8000 ms' }],
  });
  ask(s, 'desktop', { window: 'window://hangs/0' }, 'again');
  await s.run(10);
  expect(shown(s).missing).toHaveLength(1);
});
