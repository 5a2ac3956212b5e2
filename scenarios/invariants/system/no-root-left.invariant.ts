import type { Address } from '../../../machines/kernel/effects.ts';
import type { DirectoryRecord } from '../../../machines/trace/record.ts';
import type { Judge, Structural } from '../invariant.ts';
import { endRecord, openRecord, recordsOf } from '../record-builders.ts';

function open(): Judge<DirectoryRecord> {
  const living = new Set<Address>();
  return {
    take(record) {
      if (record.k === 'open') living.add(record.a);
      else living.delete(record.a);
      return undefined;
    },
    closed: () => [...living].map((at) => ({ at, what: `${at} is left`, kind: 'liveness' })),
  };
}

export const noRootLeft: Structural = {
  reads: 'inside',
  invariant: 'no root is left',
  why: 'Each machine that was opened ends once everything was told to (no-orphan).',
  sees: ['open', 'end'],
  open,
  violating: [
    {
      how: 'a computer that does not hear close',
      seen: recordsOf(openRecord('computer#1', 'computer', 'host')),
      until: 'closed',
      said: 'computer#1 is left',
    },
  ],
  passing: [
    {
      how: 'a life',
      seen: recordsOf(openRecord('computer#1', 'computer', 'host'), endRecord('computer#1')),
      until: 'closed',
    },
  ],
};
