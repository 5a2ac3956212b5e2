import type { ClientOrder } from '../../machines/client.machine.ts';
import { answers, failure, request, type OrdersOf, type Sample } from './sample.ts';

const end = { how: 'exited', pid: 1, code: 0, signal: null, stderr: '', message: null };

export const client: Sample = {
  input: { server: 's', autoStart: true, restart: true, budget: 2 },
  orders: {
    'call.request': [request],
    'call.cancel': [{ ticket: 't', reason: 'x' }],
    'server.start': [{}],
    'server.stop': [{}],
    close: [{}],
  } satisfies OrdersOf<ClientOrder, 'asker.lost'>,
  leaves: {
    session: [
      { type: 'session.opened', info: { offers: { tools: {} } } },
      { type: 'session.opened', info: { offers: { tools: null } } },
      { type: 'session.failed', failure },
      { type: 'session.failed', failure: { code: 400, message: 'no' } },
      { type: 'session.lost', reason: 'x' },
      { type: 'list.changed', list: 'tools' },
    ],
  },
  owned: {
    process: {
      says: [
        { type: 'process.started', from: 'p#1', pid: 1 },
        { type: 'process.lost', end },
      ],
      outputs: [end, { ...end, how: 'killed' }],
    },
    call: {},
  },
  answers,
  told: [{ type: 'asker.lost', asker: 'host' }],
  tellApart: (c) => [c.attempt, c.inFlight === 0],
  passedThrough: ['deciding', 'gone'],
};
