import type { ComputerOrder } from '../../machines/computer.machine.ts';
import { timing } from '../../machines/timing.ts';
import { request, type OrdersOf, type Sample } from './sample.ts';

export const computer: Sample = {
  input: {
    servers: [
      {
        rules: { server: 's', forbiddenTools: [], toolMeta: {}, defaultToolMeta: null },
        client: { autoStart: true, restart: true, budget: 2, timing },
      },
    ],
    link: null,
    shown: {},
  },
  orders: {
    'tool.call': [{ call: request, replyTo: 'host' }],
    'call.cancel': [{ ticket: 't', reason: 'x' }],
    'server.start': [{ server: 's' }],
    'server.stop': [{ server: 's' }],
    'office.join': [{ link: { url: 'u', role: 'computer', name: 'n', office: 'o' } }],
    'office.leave': [{}],
    close: [{}],
  } satisfies OrdersOf<ComputerOrder>,
  owned: {
    client: {
      says: ['connecting', 'ready', 'waiting'].map((stage) => ({
        type: 'client.changed',
        server: 's',
        stage,
        tools: [],
        failure: null,
        attempt: 0,
      })),
      outputs: [{ how: 'closed' }],
    },
    link: {
      says: [
        { type: 'link.changed', stage: 'joined', reason: null, refused: false },
        { type: 'tools.wanted', ticket: 't', reqId: 'r', replyTo: 'owner/it/link' },
        { type: 'config.wanted', ticket: 't', reqId: 'r', replyTo: 'owner/it/link' },
        { type: 'asker.lost', asker: 'owner/it/link' },
      ],
    },
  },
  tellApart: (c) => [c.open, c.reopens, c.link === null],
  passedThrough: ['serving.judging'],
};
