import type { Address } from '../../../machines/kernel/address.ts';
import { isOver } from './child.ts';
import type { Judge, Invariant } from '../invariant.ts';
import { hears, story, tells } from '../record-builders.ts';

function open(): Judge {
  /** Each until its port instance is closed, and whether it was seen to end by then. */
  const hasEnded = new Map<Address, boolean>();
  return {
    take(record) {
      if (record.k === 'out') {
        if (record.port !== 'process') return undefined;
        if (record.ev.type === 'leaf.open') hasEnded.set(record.a, false);
        else if (record.ev.type === 'leaf.close') hasEnded.delete(record.a);
        return undefined;
      }
      if (record.k !== 'in' || record.via !== 'leaf') return undefined;
      const known = hasEnded.get(record.a);
      if (known === undefined) return undefined;
      if (known && record.ev?.type === 'child.started')
        return { at: record.a, what: 'started after its end' };
      if (!isOver(record)) return undefined;
      hasEnded.set(record.a, true);
      return known ? { at: record.a, what: 'ended twice' } : undefined;
    },
    closed: () =>
      [...hasEnded]
        .filter(([, is]) => !is)
        .map(([at]) => ({ at, what: `${at} was never seen to end`, kind: 'liveness' })),
  };
}

const instance = 'c/client:fs/process#1/process#1';
const [launched, started] = [
  tells('process', instance, 'leaf.open'),
  hears(instance, 'child.started', { pid: 7 }),
];
const exits = (left: number) => hears(instance, 'child.exited', { code: 0, left });
const closed = tells('process', instance, 'leaf.close');

/** A child ends when its group is empty, when it never ran, or by force, when its port instance is closed before that. */
export const childEndsOnce: Invariant = {
  invariant: 'every child process that was started ends exactly once',
  why: 'A process that nobody waits for is an orphan (no-orphan).',
  sees: [
    'in child.started',
    'in child.exited',
    'in child.failed',
    'in group.emptied',
    'out leaf.open',
    'out leaf.close',
  ],
  open,
  violating: [
    {
      how: 'a machine that forgets a group whose leader is gone',
      seen: story(launched, started, exits(2)),
      until: 'closed',
      said: `${instance} was never seen to end`,
    },
    {
      how: 'a port that tells of one end twice',
      seen: story(launched, started, exits(0), hears(instance, 'group.emptied')),
      said: 'ended twice',
    },
    {
      how: 'a port that lets a child come back',
      seen: story(launched, hears(instance, 'child.failed', { message: 'ENOENT' }), started),
      said: 'started after its end',
    },
  ],
  passing: [
    { how: 'a life', seen: story(launched, started, exits(0), closed), until: 'closed' },
    {
      how: 'a group that outlives its leader',
      seen: story(launched, started, exits(2), hears(instance, 'group.emptied'), closed),
      until: 'closed',
    },
    { how: 'an end by force', seen: story(launched, started, closed), until: 'closed' },
    { how: 'a child from before the first record', seen: story(exits(0), exits(0)), until: 'closed' },
  ],
};
