import type { Crossing } from '../../../machines/trace/channels.ts';
import { askerOf, crossingsOf, hostCalls, settles, ticketIn } from '../crossings.ts';
import type { Boundary, FoundViolation, Judge } from '../invariant.ts';
import { RecentMap } from '../recent-map.ts';

interface Entry {
  readonly at: string;
  readonly ticket: string;
  asked: number;
  answered: number;
}
const settledTimes = ({ at, ticket, answered }: Entry, kind: 'safety' | 'liveness'): FoundViolation => ({
  at,
  what: `${ticket} was settled ${answered} times`,
  kind,
});

function open(): Judge<Crossing> {
  const waiting = new Map<string, Entry>();
  const answered = new RecentMap<string, Entry>();
  return {
    take(crossing) {
      const { k, ev } = crossing;
      const [at, ticket] = [askerOf(crossing), ticketIn(ev)];
      const key = `${at} ${ticket}`;
      const entry = waiting.get(key) ?? answered.get(key) ?? { at, ticket, asked: 0, answered: 0 };
      if (k === 'in') entry.asked += 1;
      else entry.answered += 1;
      if (entry.answered < entry.asked) waiting.set(key, entry);
      else if (waiting.delete(key)) answered.set(key, entry);
      return entry.asked > 0 && entry.answered > entry.asked ? settledTimes(entry, 'safety') : undefined;
    },
    closed: () => [...waiting.values()].map((entry) => settledTimes(entry, 'liveness')),
  };
}

const [called, settled] = [hostCalls('host:computer'), settles('host:computer')];

export const callSettledOnce: Boundary = {
  reads: 'boundary',
  invariant: 'every call is settled exactly once',
  why: 'Who asks always hears what became of it, and once (settle-once).',
  sees: ['in callTool', 'in ask', 'said call.settled'],
  open,
  violating: [
    {
      how: 'a call that is answered twice',
      seen: crossingsOf(called, settled, settled),
      said: 'host.r1 was settled 2 times',
    },
  ],
  passing: [
    { how: 'an id that is used again', seen: crossingsOf(called, settled, called, settled), until: 'closed' },
  ],
};
