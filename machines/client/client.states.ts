/** Phases of a client: it rests; connected it gets to know its server, serves, and goes down. The chart is in client.machine.ts. */
import { not } from 'xstate';
import { openCall } from './client.calls.ts';
import * as does from './client.effects.ts';
import {
  callEnded,
  goal,
  eventAsParams,
  news,
  other,
  ownProcess,
  refuse,
  takePlan,
} from './client.effects.ts';
import { parts } from './client.setup.ts';
import { askIfStale, updated, withdrawSpec } from './client.launch.ts';
import { waiting } from './client.waits.ts';
import { watchNow } from './client.watch.ts';

export const handshaking = parts.createStateConfig({
  tags: 'connecting',
  on: {
    ...waiting,
    'session.opened': [
      {
        guard: { type: 'hasTools', params: eventAsParams },
        target: '#client.connected.listing',
        actions: [{ type: 'rememberInfo', params: eventAsParams }, ...does.openLists],
      },
      {
        target: '#client.connected.ready',
        actions: [{ type: 'rememberInfo', params: eventAsParams }, ...does.openLists],
      },
    ],
  },
  after: { connectTimeout: does.slow('initialize', 'connectMs'), slow: { actions: does.releasePermit } },
});
/** Its list has a time-out of its own. */
export const listing = parts.createStateConfig({
  tags: 'connecting',
  on: {
    'catalog.settled': [
      { guard: { type: 'isSettled', params: eventAsParams }, target: '#client.connected.ready' },
      {
        guard: { type: 'isLostList', params: eventAsParams },
        target: '#client.connected.unlisted',
        actions: { type: 'rememberFailure', params: eventAsParams },
      },
      { guard: { type: 'isOptionalList', params: eventAsParams }, target: '#client.connected.ready' },
      {
        guard: { type: 'isToolList', params: eventAsParams },
        target: '#client.recovering',
        actions: { type: 'rememberFailure', params: eventAsParams },
      },
    ],
  },
  after: { slow: { actions: does.releasePermit } },
});
/** Was its session lost with its list? It gets a moment to say so. */
export const unlisted = parts.createStateConfig({
  tags: 'connecting',
  after: { exitGrace: '#client.recovering' },
});

export const ready = parts.createStateConfig({
  tags: 'ready',
  entry: [does.releaseCalls, 'markReady', news('ready'), does.tellResources, askIfStale],
  exit: withdrawSpec,
  on: {
    ...updated,
    'call.request': { actions: ['countCall', openCall] },
    'resources.watch': watchNow,
  },
  after: { provenStable: { actions: ['markProven', does.tellProven] } },
  type: 'parallel',
  states: {
    health: {
      initial: 'steady',
      states: {
        steady: {
          entry: does.awaitTick,
          exit: does.noDeadline,
          on: {
            'deadline.passed': [
              { guard: 'mayRest', target: '#client.connected.draining', actions: goal('rest') },
              { guard: 'mayPing', target: 'pinging', actions: 'noteTick' },
              { target: 'steady', reenter: true, actions: 'noteTick' },
            ],
          },
        },
        /** Never in the midst of a call: whoever works may be too busy to answer. */
        pinging: {
          entry: does.askPing,
          exit: does.withdrawPing,
          on: {
            'call.request': { target: 'steady', actions: ['countCall', openCall] },
            'ask.answered': [
              { guard: { type: 'isPing', params: eventAsParams }, target: 'steady', actions: 'notePong' },
            ],
            'ask.refused': [
              { guard: { type: 'isLost', params: eventAsParams } },
              /** Any answer is a sign of life. */
              { guard: { type: 'isPing', params: eventAsParams }, target: 'steady', actions: 'notePong' },
            ],
          },
          after: {
            pong: [
              { guard: 'hasPonged', ...does.slow('ping', 'pingMs') },
              { target: 'steady', actions: 'stopPings' },
            ],
          },
        },
      },
    },
    lists: {
      initial: 'known',
      states: {
        known: { always: { guard: 'isRefreshing', target: 'refreshing' } },
        refreshing: {
          tags: 'refreshing',
          always: { guard: not('isRefreshing'), target: 'known' },
        },
      },
    },
  },
});

const down = { target: '#client.closing', actions: does.tellLost } as const;
export const draining = parts.createStateConfig({
  tags: 'closing',
  entry: news('closing'),
  always: { guard: 'isIdleOfCalls', target: '#client.closing' },
  on: {
    'call.request': { actions: refuse('closing') },
    /** Whatever happens to it now, it goes where it was sent. */
    'session.lost': down,
    'session.failed': down,
    'process.lost': down,
    'owned.ended': [
      callEnded,
      {
        guard: ownProcess,
        target: '#client.closing',
        actions: [{ type: 'forgetProcess', params: eventAsParams }, does.tellLost],
      },
      {
        guard: { type: 'isCatalog', params: eventAsParams },
        actions: { type: 'forgetList', params: eventAsParams },
      },
    ],
    'server.start': [{ guard: 'isEnding' }, { actions: goal('again') }],
    'server.stop': [{ guard: 'isStopping', target: '.cancelling' }, { actions: goal('stop') }],
    'server.update': { actions: takePlan },
    close: { target: '.cancelling', actions: goal('end') },
  },
  initial: 'serving',
  states: {
    /** Calls that wait for a start would wait in vain. */
    serving: { always: { guard: 'isHolding', target: 'cancelling' }, after: { drain: 'cancelling' } },
    cancelling: {
      entry: does.cancelCalls,
      on: {
        'server.stop': [
          { guard: 'isEnding' },
          { guard: 'isStopping', target: '#client.closing' },
          { actions: goal('stop') },
        ],
        close: { actions: goal('end') },
      },
      after: { cancelGrace: '#client.closing' },
    },
  },
});

export const again = { target: '#client.resolving', actions: 'resetAttempts' } as const;
/** In a stage in which nothing runs: another plan is tried at once, anything else is remembered. */
export const replaced = [
  { guard: other, target: '#client.resolving', actions: takePlan },
  { actions: takePlan },
] as const;
/** The name of an action or guard that takes the event as its params. */
export const withEvent = <T extends string>(type: T) => ({ type, params: eventAsParams }) as const;
export const idle = {
  entry: ['settleDown', news('idle')],
  on: {
    'call.request': { actions: refuse('idle') },
    'server.start': again,
    'server.stop': {},
    'server.update': { actions: takePlan },
    close: 'closed',
  },
} as const;
export const standby = {
  entry: ['settleDown', news('standby')],
  on: {
    /** Started for it once nothing stands against it: a call that is refused starts nothing. */
    'call.request': { actions: ['holdCalls', 'countCall', openCall] },
    'server.wanted': 'resolving',
    'server.start': again,
    'server.stop': { target: 'idle', actions: [goal('stop'), does.cancelCalls] },
    'server.update': replaced,
    close: 'closed',
  },
} as const;
