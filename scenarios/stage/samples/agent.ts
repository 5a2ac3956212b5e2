import type { AgentOrder } from '../../../machines/agent/agent.machine.ts';
import { rows } from '../../../machines/protocol/notifications.ts';
import { answers, request, type OrdersOf, type Sample } from './sample.ts';

const { timeoutMs: _, isConfirmed: __, meta: ___, hasOutput: ____, ...asked } = request;

const viewed = { computer: 'c', value: null, failure: null };

export const agent: Sample = {
  input: { link: { url: 'u', name: 'n', office: 'o' } },
  orders: {
    'agent.call': [{ ...asked, computer: 'c', timeoutMs: 1 }],
    'agent.query': [
      { ...asked, method: 'm', request: {} },
      { ...asked, method: 'client:get_desktop', request: { computer: 'c' } },
    ],
    'agent.follow': [{ collection: 'finder' }],
    'call.cancel': [{ ticket: 't', reason: 'x' }],
    close: [{}],
  } satisfies OrdersOf<AgentOrder>,
  owned: {
    link: {
      says: [
        ...['connecting', 'joined', 'waiting'].map((stage) => ({
          type: 'link.changed',
          stage,
          reason: null,
          refusal: null,
        })),
        { type: 'computer.entered', computer: 'c' },
        { type: 'computer.left', computer: 'c' },
        ...rows.map(({ fact }) => ({ ...fact, computer: 'c' })),
      ],
    },
    view: { says: [{ type: 'view.toolsChanged', computer: 'c', tools: [], failure: null }] },
    desktopView: { says: [{ type: 'view.collectionChanged', collection: 'desktop', ...viewed }] },
    finderView: { says: [{ type: 'view.collectionChanged', collection: 'finder', ...viewed }] },
    call: {},
  },
  answers: [
    ...answers,
    { type: 'ask.answered', result: { sessions: [{ name: 'c', role: 'computer' }], req_id: 'room.n.1' } },
  ],
  tellApart: (c) => [c.computers, Math.min(c.reopens as number, 5)],
};
