import type { Structural } from '../invariant.ts';
import { endRecord, recordsOf } from '../record-builders.ts';

export const noMachineFails: Structural = {
  reads: 'inside',
  invariant: 'no machine fails',
  why: 'A machine that throws leaves behind what it held: machines never throw.',
  sees: ['end'],
  open: () => ({
    take: (r) =>
      r.k === 'end' && r.why === 'failed' ? { at: r.a, what: `${r.a} failed: ${r.error}` } : undefined,
  }),
  violating: [
    {
      how: 'a call whose action throws',
      seen: recordsOf(endRecord('call#1', 'failed', { error: 'Error: not now' })),
      said: 'call#1 failed: Error: not now',
    },
  ],
  passing: [
    {
      how: 'one that is done, and one that is ended',
      seen: recordsOf(endRecord('a#1'), endRecord('a#2', 'closed')),
    },
  ],
};
