/** Phases of an aggregator: how a question for one resource finds its server, and the way down. The chart is in aggregator.machine.ts. */
import { toOwned } from '../kernel/effects.ts';
import type { ResourceWanted } from './aggregator.events.ts';
import { openPending, openRead, parts, refuseNow, refuseRead } from './aggregator.setup.ts';
import { cacheKind } from './cache/server-cache.events.ts';
import { readKind } from './read.machine.ts';

const resource = ({ event }: { readonly event: ResourceWanted }): ResourceWanted => event;

export const routing = parts.createStateConfig({
  initial: 'free',
  states: {
    free: {
      on: {
        'resource.wanted': [
          {
            guard: { type: 'mustWait', params: resource },
            target: 'holding',
            actions: { type: 'notePending', params: resource },
          },
          { actions: openRead },
        ],
      },
    },
    holding: {
      on: {
        'resource.wanted': [
          {
            guard: { type: 'mustWait', params: resource },
            actions: { type: 'notePending', params: resource },
          },
          { actions: openRead },
        ],
      },
      always: { guard: 'isListed', target: 'free', actions: openPending },
      after: { listLimit: { target: 'free', actions: openPending } },
    },
  },
});

export const closing = parts.createStateConfig({
  tags: 'closing',
  entry: [
    { type: 'tellOwned', params: toOwned(cacheKind, { type: 'close' }) },
    { type: 'tellOwned', params: toOwned(readKind, { type: 'close' }) },
  ],
  always: { guard: 'hasNone', target: '#aggregator.closed' },
  on: {
    'aggregate.wanted': { actions: refuseNow },
    'resource.wanted': { actions: refuseRead },
    'resources.listed': {},
    'resource.updated': {},
    'resources.watched': {},
    close: {},
  },
  after: { closeGrace: '#aggregator.killed' },
});
