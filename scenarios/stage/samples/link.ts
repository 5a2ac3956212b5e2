import type { LinkOrder } from '../../../machines/link/link.machine.ts';
import type { LinkContext } from '../../../machines/link/link.machine.ts';
import { rows, whats, type NotificationOrder } from '../../../machines/protocol/notifications.ts';
import { request, type OrdersOf, type Sample } from './sample.ts';

type Facts =
  | NotificationOrder['type']
  | 'tools.listed'
  | 'config.shown'
  | 'aggregate.shown'
  | 'resource.read'
  | 'call.settled'
  | 'call.progressed'
  | 'deadline.passed';

/** Of what there is news, and whether it has sat in the office: a walk over all marks would not end. */
const newsOf = ({ marks, announced }: Pick<LinkContext, 'marks' | 'announced'>): unknown => [
  whats.filter((what) => (marks[what] ?? null) !== (announced[what] ?? null)),
  Object.keys(announced).length,
];

export const link: Sample = {
  input: { url: 'u', role: 'agent', name: 'n', office: 'o' },
  orders: { close: [{}] } satisfies OrdersOf<LinkOrder, Facts>,
  leaves: {
    socket: [
      { type: 'link.up' },
      { type: 'link.refused', reason: 'x' },
      { type: 'link.refused', reason: 'x', refusal: 'version', version: '0.3.1' },
      { type: 'link.down', reason: 'x' },
      { type: 'join.accepted' },
      { type: 'join.refused', text: 'x' },
      { type: 'leave.done' },
      { type: 'agent.called', ...request },
      { ...request, type: 'agent.repeated' },
      { type: 'agent.cancelled', ticket: 't' },
      { type: 'agent.askedTools', ticket: 't', reqId: 'r' },
      { type: 'agent.askedConfig', ticket: 't', reqId: 'r' },
      { type: 'agent.askedCollection', collection: 'desktop', ticket: 't', reqId: 'r', query: {} },
      { type: 'agent.askedResource', collection: 'finder', ticket: 't', reqId: 'r', uri: 'dpe://h/d' },
      { type: 'agent.left', agent: 'a' },
      { type: 'computer.entered', computer: 'c' },
      { type: 'computer.left', computer: 'c' },
      ...rows.map(({ fact }) => ({ ...fact, computer: 'c' })),
    ],
  },
  told: [
    ...rows.map(({ order, mark }) => ({ ...order, [mark]: mark === 'revision' ? 1 : 'a' })),
    { type: 'tools.changed', signature: 'b' },
    { type: 'tools.listed', ticket: 't', reqId: 'r', tools: [], signature: 'a' },
    { type: 'config.shown', ticket: 't', config: {} },
    { type: 'aggregate.shown', ticket: 't', reqId: 'r', body: { desktops: [] }, missing: [], failure: null },
    { type: 'resource.read', ticket: 't', reqId: 'r', contents: [], failure: null },
    { type: 'call.progressed', ticket: 't', progress: 1 },
    {
      type: 'call.settled',
      ...request,
      server: 's',
      end: 'succeeded',
      outcome: 'succeeded',
      result: {},
      failure: null,
    },
  ],
  tellApart: (c) => newsOf(c as unknown as LinkContext),
  /** Only before `link.up`, and until then a close ends it at once. */
  notAfterClose: ['link.refused'],
  passedThrough: ['online.joined.announcing'],
};
