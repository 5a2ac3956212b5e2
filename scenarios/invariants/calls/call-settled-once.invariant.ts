import type { Address } from '../../../machines/kernel/address.ts';
import type { Found, Judge, Invariant, Said } from '../invariant.ts';
import { PairMap } from '../pair-map.ts';
import { RecentMap } from '../recent-map.ts';
import { isClient } from '../places.ts';
import { posts, story } from '../record-builders.ts';

interface Entry {
  readonly at: Address;
  readonly ticket: string;
  asked: number;
  answered: number;
}
type Fields = Said<{ ticket: string; replyTo: Address }>;
const settledTimes = ({ at, ticket, answered }: Entry, kind: 'safety' | 'liveness' = 'safety'): Found => ({
  at,
  what: `${ticket} was settled ${answered} times`,
  kind,
});

function open(): Judge {
  const waiting = new PairMap<Entry>();
  /** By who waited: its tickets that have all their answers. A second one may come later. */
  const answered = new Map<Address, RecentMap<string, Entry>>();
  const entryOf = (at: Address, ticket: string): Entry =>
    waiting.get(at, ticket) ?? answered.get(at)?.get(ticket) ?? { at, ticket, asked: 0, answered: 0 };
  const settled = (entry: Entry): Found | undefined => {
    const { at, ticket } = entry;
    entry.answered += 1;
    if (entry.answered < entry.asked) return undefined;
    waiting.delete(at, ticket);
    let known = answered.get(at);
    if (!known) answered.set(at, (known = new RecentMap()));
    known.set(ticket, entry);
    return entry.asked > 0 && entry.answered > entry.asked ? settledTimes(entry) : undefined;
  };
  return {
    take(record) {
      if (record.k !== 'post') return undefined;
      const ev = record.ev as Fields;
      const { ticket } = ev;
      if (ticket === undefined) return undefined;
      if (ev.type === 'call.settled') return settled(entryOf(record.a, ticket));
      if (ev.replyTo === undefined || record.dead !== undefined || isClient(record.a)) return undefined;
      const entry = entryOf(ev.replyTo, ticket);
      entry.asked += 1;
      if (entry.answered < entry.asked) waiting.set(ev.replyTo, ticket, entry);
      return undefined;
    },
    closed: () => [...waiting.values()].map((entry) => settledTimes(entry, 'liveness')),
  };
}

const asked = posts('host', 'computer', 'call.request', { ticket: 't1', replyTo: 'host:c' });
const settled = posts('computer/client:fs#1/call:t1#1', 'host:c', 'call.settled', { ticket: 't1' });

/** Each request with a `replyTo` and a ticket has one answer, and none has a second. */
export const callSettledOnce: Invariant = {
  invariant: 'every call is settled exactly once',
  why: 'Who asks always hears what became of it, and once (settle-once).',
  sees: ['post call.request', 'post agent.call', 'post agent.query', 'post call.settled'],
  open,
  violating: [
    {
      how: 'a call that is answered twice',
      seen: story(asked, settled, settled),
      said: 't1 was settled 2 times',
    },
    {
      how: 'a call that nobody answers',
      seen: story(asked),
      until: 'closed',
      said: 't1 was settled 0 times',
    },
    {
      how: 'a question to the office that nobody answers',
      seen: story(posts('host', 'agent', 'agent.query', { ticket: 'q1', replyTo: 'host:a' })),
      until: 'closed',
      said: 'q1 was settled 0 times',
    },
  ],
  passing: [
    { how: 'a ticket that is used again', seen: story(asked, settled, asked, settled), until: 'closed' },
    { how: 'a call that was there before the first record', seen: story(settled, settled), until: 'closed' },
    { how: 'a call that reached nobody', seen: story({ ...asked, dead: 'lost' }), until: 'closed' },
  ],
};
