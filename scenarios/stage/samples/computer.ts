import type { ComputerOrder } from '../../../machines/computer/computer.machine.ts';
import { addressFor } from '../../../machines/kernel/address.ts';
import { timing } from '../../../machines/kernel/timing.ts';
import { planOf } from '../server-plan.ts';
import { request, type OrdersOf, type Sample } from './sample.ts';

const plan = planOf('s', { budget: 2 }, timing, true);

export const computer: Sample = {
  input: {
    servers: [plan],
    link: null,
    shown: {},
  },
  orders: {
    'call.request': [request],
    'call.cancel': [{ ticket: 't', reason: 'x' }],
    'server.start': [{ server: 's' }],
    'server.stop': [{ server: 's' }],
    'aggregate.wanted': [
      { collection: 'desktop', ticket: 't', reqId: 'r', query: {}, replyTo: addressFor('host') },
    ],
    'resource.wanted': [
      { collection: 'finder', ticket: 't', reqId: 'r', uri: 'dpe://h/d', replyTo: addressFor('host') },
    ],
    'resources.watch': [{ server: 's', uris: ['u:a'], by: 'host' }],
    'servers.set': [
      { servers: [plan], shown: {} },
      { servers: [], shown: { a: 1 } },
    ],
    'office.join': [{ link: { url: 'u', role: 'computer', name: 'n', office: 'o' } }],
    'office.leave': [{}],
    close: [{}],
  } satisfies OrdersOf<ComputerOrder>,
  told: [
    {
      type: 'tool.approved',
      server: 's',
      tool: 'x',
      generation: 1,
      caller: { replyTo: addressFor('host'), agent: null },
    },
    { type: 'call.overdue', ticket: 't' },
    { type: 'questions.due' },
  ],
  owned: {
    client: {
      says: [
        ...['connecting', 'ready', 'waiting'].map((stage) => ({
          type: 'client.changed',
          server: 's',
          stage,
          isOffered: stage === 'ready',
          failure: null,
          attempt: stage === 'waiting' ? 1 : 0,
          nextTryMs: null,
        })),
        {
          type: 'client.waits',
          server: 's',
          waits: { for: 'initialize', since: '2026-11-23T05:00:00.000Z', came: '' },
        },
        { type: 'permit.wanted', server: 's', again: true },
        { type: 'permit.released', server: 's' },
        { type: 'server.proven', server: 's' },
        { type: 'server.rolledBack', server: 's', generation: 1, failure: null },
        { type: 'resource.updated', server: 's', uri: 'u:r' },
        { type: 'resources.watched', server: 's', by: 'desktop', uris: ['window://h/a'], isAnew: true },
        { type: 'server.shows', server: 's', resources: { listChanged: true, subscribe: true } },
        { type: 'catalog.listed', server: 's', list: 'resources', entries: [], failure: null },
        {
          type: 'catalog.restless',
          server: 's',
          list: 'tools',
          failure: { code: 'ListRestless', message: 'x' },
        },
        { type: 'catalog.restless', server: 's', list: 'tools', failure: null },
        {
          type: 'catalog.changed',
          server: 's',
          list: 'tools',
          entries: [],
          revision: 1,
          added: [],
          removed: [],
          changed: [],
          why: 'x',
          isWithdrawn: false,
        },
      ],
      outputs: [{ how: 'closed' }],
    },
    desktop: {
      says: [
        { type: 'aggregate.changed', collection: 'desktop', signature: 'a' },
        { type: 'aggregate.noticed', collection: 'desktop', text: 'x' },
        { type: 'resources.relist', server: 's', by: 'desktop', n: 1 },
      ],
    },
    finder: {
      says: [{ type: 'resources.watch', server: 's', uris: ['dpe://h/d'], by: 'finder' }],
    },
    link: {
      says: [
        { type: 'link.changed', stage: 'joined', reason: null, refusal: null },
        { type: 'tools.wanted', ticket: 't', reqId: 'r', replyTo: 'owner/it/link' },
        { type: 'config.wanted', ticket: 't', reqId: 'r', replyTo: 'owner/it/link' },
        { type: 'asker.lost', asker: 'owner/it/link' },
      ],
    },
  },
  tellApart: (c) => [
    c.open,
    c.reopens,
    c.link === null,
    (c.servers as unknown[]).length,
    (c.leaving as unknown[]).length,
  ],
  passedThrough: ['serving.judging'],
};
