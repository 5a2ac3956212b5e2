import { Holding } from './holding.ts';
import type { Structural } from '../invariant.ts';
import { timerCleared, timerFired, openRecord, timerSet, recordsOf } from '../record-builders.ts';

const client = 'c/client:fs#1';
const born = openRecord(client, 'client', 'c#1');

export const bounded: Structural = {
  reads: 'inside',
  invariant: 'what a machine holds is bounded, and released when it ends',
  why: 'Timers, leaves, questions and owned machines do not grow with time, and none outlives its owner (bounded).',
  sees: [
    'in',
    'out ask',
    'out ask.withdraw',
    'out leaf.open',
    'out leaf.close',
    'post servers.set',
    'post client.changed',
    'timer',
    'open',
    'end',
  ],
  open: () => new Holding(),
  violating: [
    {
      how: 'a client that sets timers without end',
      seen: recordsOf(born, ...[1, 2, 3, 4].map((n) => timerSet(client, n, 5))),
      said: 'a client has 4 timers',
    },
  ],
  passing: [
    {
      how: 'one timer after another',
      seen: recordsOf(
        born,
        timerSet(client, 1, 5),
        timerSet(client, 2, 5),
        5,
        timerFired(client, 1),
        timerSet(client, 3, 5),
        timerCleared(client, 2),
        timerSet(client, 4, 5),
      ),
    },
  ],
};
