import type { ProcessOrder } from '../../../machines/process/process.machine.ts';
import { type OrdersOf, type Sample, answers, failure, refusals, request, waits } from './sample.ts';
import type { CatalogOrder } from '../../../machines/catalog/catalog.machine.ts';
import { timing } from '../../../machines/kernel/timing.ts';
import type { ClientOrder } from '../../../machines/client/client.events.ts';
import type { ConnectionOrder } from '../../../machines/client/connection.machine.ts';
import { planOf } from '../server-plan.ts';
import type { CallOrder } from '../../../machines/call/call.rules.ts';

export const process: Sample = {
  input: { server: 's' },
  orders: { close: [{}], 'process.hurry': [{}] } satisfies OrdersOf<ProcessOrder>,
  leaves: {
    child: [
      { type: 'child.started', pid: 1 },
      { type: 'child.failed', message: 'no' },
      { type: 'child.exited', code: 0, signal: null, stderr: '', left: 0 },
      { type: 'child.exited', code: 1, signal: null, stderr: '', left: 2 },
      { type: 'group.emptied' },
    ],
  },
  passedThrough: ['died'],
};

const tool = { name: 'read', inputSchema: { type: 'object' } };

export const catalog: Sample = {
  input: {
    server: 's',
    list: 'tools',
    session: 'owner',
    reader: 'host',
    cached: null,
    refreshFailures: 3,
    timing,
  },
  orders: {
    'catalog.open': [{ isDeclared: true }, { isDeclared: false }, { isDeclared: true, isOptional: true }],
    'catalog.rest': [{}],
    'catalog.forget': [{ why: 'x' }],
    'list.changed': [{}],
    'list.wanted': [{ by: 'desktop', n: 1 }],
    close: [{}],
  } satisfies OrdersOf<CatalogOrder>,
  answers: [
    ...answers,
    { type: 'ask.answered', result: { tools: [tool] } },
    { type: 'ask.refused', sent: true, failure: { ...failure, details: { code: -32601 } } },
  ],
  tellApart: (c) => [
    Math.min(c.failures as number, 4),
    c.isOptional,
    c.isFirst,
    Object.keys(c.owed as object).length,
  ],
  passedThrough: ['between.judging'],
};

const end = { how: 'exited', pid: 1, code: 0, signal: null, stderr: '', message: null };
const { client: plan } = planOf('s', { isLazy: true, budget: 1 }, { ...timing, idleStopMs: 2 }, true);
const capabilities = { tools: { listChanged: true }, resources: null, prompts: null };

const withPrompts = { ...capabilities, prompts: { listChanged: true } };
const connectionEnd = { how: 'lost', failure, hasExitedWell: false, isExpired: false };

export const client: Sample = {
  input: { ...plan, server: 's', cached: {}, spent: { attempt: 0, failure: null } },
  orders: {
    'call.request': [request, { ...request, timeoutMs: 0 }],
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
  owned: {
    connection: {
      says: [
        { type: 'connection.slow' },
        { type: 'connection.launched' },
        { type: 'connection.waits', waits },
        { type: 'connection.opened', info: { capabilities } },
        { type: 'connection.opened', info: { capabilities: { ...capabilities, tools: null } } },
        { type: 'connection.opened', info: { capabilities: withPrompts } },
        { type: 'connection.broken', failure },
        { type: 'connection.lost', failure },
        { type: 'connection.lost', failure: { code: 'Unauthorized', message: 'no' } },
        { type: 'list.changed', list: 'tools' },
        { type: 'resource.updated', uri: 'u:r' },
      ],
      outputs: [
        connectionEnd,
        { ...connectionEnd, hasExitedWell: true },
        { ...connectionEnd, how: 'closed', isExpired: true },
        { ...connectionEnd, how: 'closed', failure: null },
        { ...connectionEnd, how: 'killed', failure: null },
      ],
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
      says: [
        { type: 'resources.watched', server: 's', by: 'desktop', uris: ['window://h/a'], isUnderWay: true },
      ],
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
    const isGoingDown = state.includes('leaving');
    return [
      c.inFlight === 0,
      !isReady && !isGoingDown && c.attempt,
      (isGoingDown || state.includes('lost')) && c.goal,
      state.includes('lost') && (c.failure as { readonly code: string } | null)?.code === 'Unauthorized',
      state.includes('resolving') && c.fallback !== null,
      isReady && [
        (c.refreshing as readonly string[]).length,
        c.hasProcess,
        c.pings === 'answered',
        Math.sign(c.idleMs as number),
      ],
    ];
  },
  passedThrough: ['deciding'],
};

export const connection: Sample = {
  input: { server: 's', generation: 1, spec: 1, hasProcess: true, timing },
  orders: { close: [{}], 'process.hurry': [{}] } satisfies OrdersOf<ConnectionOrder>,
  leaves: {
    session: [
      { type: 'session.opened', info: { capabilities } },
      { type: 'session.failed', failure },
      { type: 'session.failed', failure: { code: 'Unauthorized', message: 'no' } },
      { type: 'session.waits', waits },
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
  },
  tellApart: (c) => [c.wasOpen],
  passedThrough: ['trying.deciding'],
};

export const call: Sample = {
  input: {
    ...request,
    // Its limit goes on while a person is asked, so that it can pass there.
    agent: 'a',
    mostMs: 99,
    timeoutMs: 9,
    totalMs: 0,
    idleMs: 5,
    server: 's',
    request: { target: 's', method: 'm', params: {} },
    keeper: 'computer',
    policy: {
      isConfirmed: false,
      generation: 1,
      confirmMs: 5,
      meta: null,
      isPostProcessed: false,
      lookMs: 7,
      resultBytes: 24,
    },
    isPending: true,
    outlivesLoss: true,
    withdrawal: { method: 'm', params: {}, ms: 3 },
  },
  orders: {
    'call.cancel': [{ reason: 'x' }],
    close: [{}],
  } satisfies OrdersOf<CallOrder, 'asker.lost' | 'call.go' | 'call.hold' | 'server.lost'>,
  answers: [
    ...answers,
    { type: 'ask.refused', failure, sent: true, lost: true, alone: true },
    { type: 'ask.answered', id: 'withdrawal', result: {} },
    { type: 'ask.progress', progress: 1 },
    { type: 'ask.held', method: 'elicitation/create' },
    { type: 'ask.freed', ms: 5 },
    { type: 'ask.waiting', ahead: 0 },
    { type: 'ask.began' },
    { type: 'ask.refused', failure: { code: 'Busy', message: 'full' }, sent: false },
    {
      type: 'ask.refused',
      failure: { code: 'ServerLost', message: 'forgotten', details: { http_status: 404 } },
      sent: false,
    },
    ...(['allow', 'ask', 'deny'] as const).map((decision) => ({
      type: 'ask.answered',
      result: { problems: [], decision, reason: 'x' },
    })),
    { type: 'ask.answered', result: { problems: ['x'], decision: 'allow', reason: 'x' } },
    { type: 'ask.answered', result: { decision: 'allowForSession' } },
    { type: 'ask.answered', result: 'no object' },
    { type: 'ask.answered', result: { isError: true } },
    { type: 'ask.answered', result: { isError: true, content: ['too large to be given'] }, bytes: 99 },
    { type: 'ask.answered', result: { content: ['too large to be given'] }, bytes: 99 },
  ],
  told: [
    { type: 'call.go' },
    { type: 'call.hold' },
    { type: 'asker.lost', asker: 'host' },
    { type: 'asker.lost', asker: 'another' },
    { type: 'server.lost', failure },
    { type: 'owner.ended', why: 'failed' },
    { type: 'owner.ended', why: 'done' },
  ],
  tellApart: (c) => [c.isPending, c.outlivesLoss, JSON.stringify(c.result ?? null).includes('isError')],
  // The permission rule has less time than the call, so `judging.watched` is reached, in which more can happen.
  passedThrough: [
    ...['unsent.deciding', 'unsent.judging.inTime'],
    ...['running.patient', 'cancelling.deciding', 'answered'],
  ],
};
