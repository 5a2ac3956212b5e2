import type { Address } from '../../../machines/kernel/address.ts';
import type { Judge, Invariant, Said } from '../invariant.ts';
import { story, tells } from '../record-builders.ts';

const rungs = ['', 'child.closeStdin', 'SIGTERM', 'SIGKILL'];

function open(): Judge {
  const reached = new Map<Address, string>();
  return {
    take(record) {
      if (record.k !== 'out' || record.port !== 'process') return undefined;
      const { type, signal } = record.ev as Said<{ signal: string }>;
      if (type === 'leaf.open' || type === 'leaf.close') return void reached.delete(record.a);
      const [last, next] = [reached.get(record.a) ?? '', signal ?? type];
      reached.set(record.a, next);
      if (rungs.indexOf(next) > rungs.indexOf(last)) return undefined;
      return { at: record.a, what: `${next} after ${last}` };
    },
  };
}

const child = 'p#1/process#1';
const closesStdin = tells('process', child, 'child.closeStdin');
const signals = (signal: string) => tells('process', child, 'child.signal', { signal });

export const shutdownOrder: Invariant = {
  invariant: 'a process is shut down step by step',
  why: 'Closed stdin, SIGTERM, SIGKILL: no step twice, none backwards (ladder).',
  sees: ['out leaf.open', 'out leaf.close', 'out child.closeStdin', 'out child.signal'],
  open,
  violating: [
    {
      how: 'a process machine that closes stdin after it has signalled',
      seen: story(signals('SIGTERM'), closesStdin),
      said: 'child.closeStdin after SIGTERM',
    },
    {
      how: 'one that signals twice',
      seen: story(closesStdin, signals('SIGTERM'), signals('SIGTERM')),
      said: 'SIGTERM after SIGTERM',
    },
  ],
  passing: [
    { how: 'the whole way down', seen: story(closesStdin, signals('SIGTERM'), signals('SIGKILL')) },
    { how: 'a group that its leader left behind', seen: story(signals('SIGTERM'), signals('SIGKILL')) },
  ],
};
