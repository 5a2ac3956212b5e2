import { Holding } from './holding.ts';
import type { Structural } from '../invariant.ts';
import { clears, fires, opens, sets, story } from '../record-builders.ts';

const client = 'c/client:fs#1';
const born = opens(client, 'client', 'c#1');

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
      seen: story(born, ...[1, 2, 3, 4].map((n) => sets(client, n, 5))),
      said: 'a client has 4 timers',
    },
  ],
  passing: [
    {
      how: 'one timer after another',
      seen: story(
        born,
        sets(client, 1, 5),
        sets(client, 2, 5),
        5,
        fires(client, 1),
        sets(client, 3, 5),
        clears(client, 2),
        sets(client, 4, 5),
      ),
    },
  ],
};
