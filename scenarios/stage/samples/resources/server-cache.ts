import type { CacheOrder } from '../../../../machines/resources/server-cache.machine.ts';
import { timing } from '../../../../machines/kernel/timing.ts';
import { answers, type OrdersOf, type Sample } from '../sample.ts';

const contents = [{ uri: 'window://h/a', text: 'x' }];

const ages = ({ asked, ticks }: Record<string, unknown>): unknown =>
  (asked as readonly { uri: string; at: number; isAside: boolean }[]).map(({ uri, at, isAside }) => [
    ...[uri, Number(ticks) - at, isAside],
  ]);

export const cache: Sample = {
  input: {
    server: 's',
    collection: 'desktop',
    session: 'owner',
    // A read is over after so few ticks that the walk ends.
    timing: { ...timing, aggregateMs: 3 * timing.turnMs },
  },
  orders: {
    'cache.list': [{ uris: ['window://h/a'] }, { uris: [] }],
    'cache.invalidate': [{ uris: ['window://h/a'] }],
    'cache.refresh': [
      { n: 1, anew: [], isFresh: false },
      { n: 2, anew: ['window://h/a'], isFresh: true },
      { n: 3, anew: [], isFresh: false, only: 'window://h/a' },
      { n: 3, anew: [], isFresh: true, only: 'window://h/a' },
    ],
    'cache.tell': [{ n: 1 }, { n: 3 }],
    close: [{}, { isNow: true }],
  } satisfies OrdersOf<CacheOrder>,
  answers: [...answers, { type: 'ask.answered', result: { contents } }],
  told: [{ type: 'owner.ended', why: 'done' }],
  tellApart: (c) => [
    ...[c.uris, c.stale, c.begun, ages(c), c.slow, c.probed, c.later, c.again],
    ...[Number(c.nextRefresh) > 0, Number(c.refresh) > Number(c.told), Number(c.slowBefore) > 0],
    ...[c.isPinging, (c.wishes as unknown[]).length > 0],
  ],
  passedThrough: ['open.reading.over', 'open.retrying.probed', 'gone'],
};
