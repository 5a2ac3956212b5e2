import type { CacheOrder } from '../../../../machines/resources/server-cache.machine.ts';
import { answers, type OrdersOf, type Sample } from '../sample.ts';

const contents = [{ uri: 'window://h/a', text: 'x' }];

export const cache: Sample = {
  input: { server: 's', collection: 'desktop', session: 'owner' },
  orders: {
    'cache.list': [{ uris: ['window://h/a'] }, { uris: [] }],
    'cache.invalidate': [{ uris: ['window://h/a'] }],
    'cache.refresh': [
      { n: 1, anew: [], isFresh: false },
      { n: 2, anew: ['window://h/a'], isFresh: true },
    ],
    'cache.tell': [{ n: 1 }],
    close: [{}],
  } satisfies OrdersOf<CacheOrder>,
  answers: [...answers, { type: 'ask.answered', result: { contents } }],
  tellApart: (c) => [
    ...[c.uris, c.stale, c.begun, c.asked, c.slow, c.probed, c.later, c.again],
    ...[Number(c.nextRefresh) > 0, Number(c.refresh) > Number(c.told), Number(c.slowBefore) > 0],
  ],
  passedThrough: ['open.refreshing.over', 'open.retrying.probed'],
};
