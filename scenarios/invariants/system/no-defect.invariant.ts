import type { Structural } from '../invariant.ts';
import { recordsOf } from '../record-builders.ts';

export const noDefect: Structural = {
  reads: 'inside',
  invariant: 'no defect is reported',
  why: 'What the directory itself calls impossible has not happened, such as a loop of messages without end.',
  sees: ['defect'],
  open: () => ({
    take: (r) =>
      r.k === 'defect'
        ? {
            at: r.a,
            what: `${r.a}: ${r.what}`,
            kind: r.what.startsWith('livelock') ? 'liveness' : 'safety',
          }
        : undefined,
  }),
  violating: [
    {
      how: 'two under one name',
      seen: recordsOf({ k: 'defect', a: 'computer', what: 'opened twice' }),
      said: 'computer: opened twice',
    },
  ],
  passing: [{ how: 'nothing at all', seen: [] }],
};
