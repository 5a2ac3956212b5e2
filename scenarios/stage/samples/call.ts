import type { CallOrder } from '../../../machines/call/messages.ts';
import { answers, failure, request, type OrdersOf, type Sample } from './sample.ts';

export const call: Sample = {
  input: {
    ...request,
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
  tellApart: (c) => [c.isPending, JSON.stringify(c.result ?? null).includes('isError')],
  // Its rule has less time than the call: `judging.watched`, in which more can happen.
  passedThrough: ['deciding', 'judging.inTime', 'running.patient', 'cancelling.deciding'],
};
