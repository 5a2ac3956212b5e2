import type { ReadOrder } from '../../../../machines/resources/read.machine.ts';
import { answers, type OrdersOf, type Sample } from '../sample.ts';

export const read: Sample = {
  input: {
    ticket: 't',
    reqId: 'r',
    collection: 'finder',
    server: 's',
    uri: 'dpe://h/d',
    session: 'owner',
    replyTo: 'host',
  },
  orders: { close: [{}] } satisfies OrdersOf<ReadOrder>,
  answers: [...answers, { type: 'ask.answered', result: { contents: [] } }],
};
