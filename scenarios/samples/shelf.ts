import type { ShelfOrder } from '../../machines/shelf.machine.ts';
import { answers, type OrdersOf, type Sample } from './sample.ts';

const contents = [{ uri: 'window://h/a', text: 'x' }];

export const shelf: Sample = {
  input: { server: 's', system: 'desktop', session: 'owner' },
  orders: {
    'shelf.list': [{ uris: ['window://h/a'] }, { uris: [] }],
    'shelf.spoil': [{ uris: ['window://h/a'] }],
    'shelf.fill': [{ anew: [] }, { anew: ['window://h/a'] }],
    close: [{}],
  } satisfies OrdersOf<ShelfOrder>,
  answers: [...answers, { type: 'ask.answered', result: { contents } }],
  tellApart: (c) => [c.uris, c.stale, c.asked, c.asks, c.later, Object.keys(c.held as object), c.isLate],
  passedThrough: ['reading.asking', 'late'],
};
