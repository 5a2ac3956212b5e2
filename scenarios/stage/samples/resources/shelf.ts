import type { ShelfOrder } from '../../../../machines/resources/shelf.machine.ts';
import { answers, type OrdersOf, type Sample } from '../sample.ts';

const contents = [{ uri: 'window://h/a', text: 'x' }];

export const shelf: Sample = {
  input: { server: 's', system: 'desktop', session: 'owner' },
  orders: {
    'shelf.list': [{ uris: ['window://h/a'] }, { uris: [] }],
    'shelf.spoil': [{ uris: ['window://h/a'] }],
    'shelf.fill': [
      { n: 1, anew: [], isFresh: false },
      { n: 2, anew: ['window://h/a'], isFresh: true },
    ],
    'shelf.tell': [{ n: 1 }],
    close: [{}],
  } satisfies OrdersOf<ShelfOrder>,
  answers: [...answers, { type: 'ask.answered', result: { contents } }],
  tellApart: (c) => [
    ...[c.uris, c.stale, c.begun, c.asked, c.slow, c.probed, c.later, c.again],
    ...[Number(c.nextFill) > 0, Number(c.fill) > Number(c.told), Number(c.slowBefore) > 0],
  ],
  passedThrough: ['open.filling.over', 'open.retrying.probed'],
};
