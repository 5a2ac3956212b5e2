import type { Structural } from '../invariant.ts';
import { postRecord, recordsOf } from '../record-builders.ts';

const hello = postRecord('host', 'nobody', 'hello');

export const noMessageLost: Structural = {
  reads: 'inside',
  invariant: 'no message is lost',
  why: 'Who sends to somebody who may be gone says so, or is answered otherwise (no-event-after-closed).',
  sees: ['post'],
  open: () => ({
    take: (r) =>
      r.k === 'post' && r.dead === 'lost'
        ? { at: r.a, what: `${r.from} -> ${r.a}: ${r.ev.type}` }
        : undefined,
  }),
  violating: [
    { how: 'an order to nobody', seen: recordsOf({ ...hello, dead: 'lost' }), said: 'host -> nobody: hello' },
  ],
  passing: [{ how: 'one who may be gone', seen: recordsOf({ ...hello, dead: 'expected' }) }],
};
