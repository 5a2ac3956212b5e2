/**
 * The launch spec of a client: asked for at each start, so that the child is launched with what its placeholders stand
 * for by then; and while its server runs, when a value may be another. The chart is in client.machine.ts.
 */
import { openCall } from './client.calls.ts';
import * as does from './client.effects.ts';
import { goal, eventAsParams, news, takePlan } from './client.effects.ts';
import { parts } from './client.setup.ts';
import type { ClientPlan, Context } from './client.events.ts';
import { specPort, type Resolve } from './spec-port.ts';

/** The same id again withdraws the older question. */
const askSpec = {
  type: 'request',
  params: ({ context: { server, generation } }: { context: Context }) => ({
    id: 'spec',
    target: specPort,
    method: 'resolve',
    params: { server, generation } satisfies Resolve,
  }),
} as const;
export const withdrawSpec = { type: 'cancel', params: { id: 'spec' } } as const;
/** Its plan has changed since it was resolved. */
export const askIfStale = parts.enqueueActions(({ check, enqueue }) => {
  if (check('isStale')) enqueue(askSpec);
});
const otherValues = {
  type: 'hasOtherValues',
  params: ({ event }: { event: { readonly plan: ClientPlan } }) => event,
} as const;
/** It starts already: whoever calls waits for that, within the time of the call. */
export const pending = { actions: ['holdCalls', 'countCall', openCall] } as const;
const takeSpec = { type: 'takeSpec', params: eventAsParams } as const;
const remember = { type: 'rememberFailure', params: eventAsParams } as const;

/** Values are asked for before its permit: nobody waits for a person in the place of others. */
export const resolving = parts.createStateConfig({
  tags: 'connecting',
  entry: ['forgetGoal', news('connecting'), askSpec],
  exit: withdrawSpec,
  on: {
    'ask.answered': { target: '#client.queued', actions: takeSpec },
    'ask.refused': [
      {
        guard: 'hasFallback',
        target: '#client.resolving',
        reenter: true,
        actions: [remember, does.tellRolledBack, 'rollBack'],
      },
      { target: '#client.open', actions: [remember, 'endHold', does.tellLost] },
    ],
    'call.request': pending,
    'server.start': {},
    'server.stop': { target: '#client.idle', actions: [goal('stop'), does.cancelCalls] },
    'server.update': [
      { guard: otherValues, target: '#client.resolving', reenter: true, actions: takePlan },
      { actions: takePlan },
    ],
    close: { target: '#client.closed', actions: [goal('end'), does.cancelCalls] },
  },
});
export const queued = parts.createStateConfig({
  tags: 'connecting',
  entry: does.wantPermit,
  on: {
    'permit.granted': [
      { guard: 'needsProcess', target: '#client.launching' },
      { target: '#client.connected' },
    ],
    'call.request': pending,
    'server.start': {},
    'server.stop': { target: '#client.idle', actions: [goal('stop'), does.cancelCalls] },
    'server.update': [
      { guard: otherValues, target: '#client.resolving', actions: [takePlan, does.releasePermit] },
      { actions: takePlan },
    ],
    close: { target: '#client.closed', actions: [goal('end'), does.releasePermit] },
  },
});

/** Its server runs: with another launch spec it is connected anew, and with the same it was asked for nothing. */
export const updated = {
  'ask.answered': [
    {
      guard: { type: 'isOtherSpec', params: eventAsParams },
      target: '#client.connected.draining',
      actions: goal('again'),
    },
    { guard: { type: 'isSpec', params: eventAsParams }, actions: takeSpec },
  ],
  'server.update': [
    { guard: does.other, target: '#client.connected.draining', actions: [takePlan, goal('again')] },
    { guard: otherValues, actions: [takePlan, askSpec] },
    { actions: takePlan },
  ],
} as const;
/** Nothing runs: with another plan it is tried at once. */
export const retried = [
  { guard: otherValues, target: '#client.resolving', actions: takePlan },
  { actions: takePlan },
] as const;
