import type { ClientOrder } from '../../../machines/client/client.events.ts';
import { timing } from '../../../machines/kernel/timing.ts';
import { planOf } from '../server-plan.ts';
import { failure, refusals, request, type OrdersOf, type Sample } from './sample.ts';

const end = { how: 'exited', pid: 1, code: 0, signal: null, stderr: '', message: null };
const { client: plan } = planOf('s', { isLazy: true, budget: 1 }, { ...timing, idleStopMs: 2 }, true);
const capabilities = { tools: { listChanged: true }, resources: null, prompts: null };

export const client: Sample = {
  input: { ...plan, server: 's', cached: {}, spent: { attempt: 0, failure: null } },
  orders: {
    'call.request': [request],
    'call.cancel': [{ ticket: 't', reason: 'x' }],
    'resources.watch': [{ uris: ['u:a'], by: 'host' }],
    'resources.relist': [
      { server: 's', by: 'desktop', n: 0 },
      { server: 's', by: 'desktop', n: 1 },
    ],
    'server.start': [{}],
    'server.stop': [{}],
    'server.update': [
      { plan },
      { plan: { ...plan, values: 1 } },
      { plan: { ...plan, generation: 2, hasProcess: false } },
    ],
    close: [{}],
  } satisfies OrdersOf<ClientOrder, 'asker.lost' | 'permit.granted' | 'server.wanted'>,
  leaves: {
    session: [
      { type: 'session.opened', info: { capabilities } },
      { type: 'session.opened', info: { capabilities: { ...capabilities, tools: null } } },
      { type: 'session.opened', info: { capabilities: { ...capabilities, prompts: { listChanged: true } } } },
      { type: 'session.failed', failure },
      { type: 'session.failed', failure: { code: 'Unauthorized', message: 'no' } },
      { type: 'session.waits', waits: { for: 'initialize', since: '2026-11-23T05:00:00.000Z', came: '' } },
      { type: 'session.lost', reason: 'x' },
      { type: 'session.lost', reason: 'x', isExpired: true },
      { type: 'list.changed', list: 'tools' },
      { type: 'resource.updated', uri: 'u:r' },
    ],
  },
  owned: {
    process: {
      says: [
        { type: 'process.started', from: 'p#1', pid: 1 },
        { type: 'process.lost', end },
        { type: 'process.lost', end: { ...end, how: 'failed', code: 1 } },
      ],
      outputs: [end, { ...end, how: 'killed' }],
    },
    catalog: {
      says: [
        { type: 'catalog.settled', list: 'tools', failure: null, lost: false },
        { type: 'catalog.settled', list: 'tools', failure, lost: false },
        { type: 'catalog.settled', list: 'tools', failure, lost: true },
        { type: 'catalog.refreshing', list: 'tools', isOver: false },
        { type: 'catalog.refreshing', list: 'tools', isOver: true },
      ],
    },
    watch: {
      says: [{ type: 'resources.watched', server: 's', by: 'desktop', uris: ['window://h/a'], isAnew: true }],
    },
    call: { says: [{ type: 'server.wanted' }] },
  },
  answers: [
    { type: 'ask.answered', result: { spec: 1 } },
    { type: 'ask.answered', result: { spec: 2 } },
    { type: 'ask.progress', progress: 0, message: 'https://as' },
    { type: 'ask.began' },
    ...refusals,
  ],
  told: [{ type: 'asker.lost', asker: 'host' }, { type: 'permit.granted' }],
  tellApart: (c, value) => {
    const state = JSON.stringify(value);
    const isReady = state.includes('ready');
    const isGoingDown = /draining|closing/.test(state);
    return [
      c.inFlight === 0,
      /waiting|open|queued|resolving|launching|handshaking|recovering|disconnected/.test(state) && c.attempt,
      isGoingDown && c.goal,
      /recovering|disconnected|gone/.test(state) &&
        (c.failure as { readonly code: string } | null)?.code === 'Unauthorized',
      state.includes('resolving') && c.fallback !== null,
      !isReady && !isGoingDown && c.isHolding,
      isReady && [
        (c.refreshing as readonly string[]).length,
        c.hasProcess,
        c.pings === 'answered',
        (c.idleMs as number) > 0,
      ],
      /queued|closing|recovering|disconnected/.test(state) && c.ownsProcess,
    ];
  },
  passedThrough: ['deciding', 'renewing', 'gone'],
};
