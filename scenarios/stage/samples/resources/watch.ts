import type { WatchOrder } from '../../../../machines/resources/watch.machine.ts';
import { refusals, type OrdersOf, type Sample } from '../sample.ts';

export const watch: Sample = {
  input: { server: 's', session: 'owner' },
  orders: {
    'watch.set': [
      { uris: ['u:a'], by: 'host' },
      { uris: [], by: 'host' },
    ],
    'watch.open': [{}],
    close: [{}],
  } satisfies OrdersOf<WatchOrder>,
  answers: [{ type: 'ask.answered', result: {} }, ...refusals],
  tellApart: (c) => [c.wanted, c.subscribed, c.refused, c.step],
  passedThrough: ['ready.judging'],
};
