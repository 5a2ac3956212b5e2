import type { Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { naming } from '../pair-map.ts';
import { isClient, rootOf } from '../places.ts';
import { RecentMap } from '../recent-map.ts';
import { asks, hears, learns, opens, posts, story } from '../record-builders.ts';
import { unread, wasUnread } from '../unread.ts';

interface Count {
  readonly place: Address;
  accepted: number;
  passedOn: number;
  /** It was sent to a server that had not read it, and may be sent once more. */
  isUnread?: true;
  /** Of the same ticket at another place. */
  readonly next: Count | undefined;
}

/** At each place where a call comes in and goes out: out at most as often as in, and once more where its server had not read it. */
class CallSentOnce implements Judge {
  /** By ticket: its places, which are the door of a link, a computer, a client, an agent. */
  readonly #counts = new RecentMap<string, Count>();
  /** Of the machines of calls. */
  readonly #calls = new Map<Address, Count>();
  readonly #nameOf = naming();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'post') return record.dead === undefined ? this.#post(record) : undefined;
    if (record.k === 'out') return this.#asked(record);
    if (record.k === 'open') this.#open(record);
    else if (record.k === 'end') this.#calls.delete(record.a);
    else if (record.k === 'in') return this.#heard(record);
    return undefined;
  }
  #heard({ via, a, ev }: RecordOf<'in'>): Found | undefined {
    const { type, ticket } = ev as Said<{ ticket: string }>;
    if (via !== 'ask') return this.#accept(rootOf(a), ticket);
    const count = this.#calls.get(a);
    // What waits for its turn has not left, and may be taken back.
    if (type === 'ask.waiting' && count) count.passedOn -= 1;
    if (count && !count.isUnread && wasUnread(ev)) {
      count.isUnread = true;
      count.passedOn -= 1;
    }
    return type === 'ask.began' ? this.#passOn(count, a) : undefined;
  }
  #post({ from, a, ev }: RecordOf<'post'>): Found | undefined {
    const { type, ticket } = ev as Said<{ ticket: string }>;
    this.#accept(this.#nameOf(a), ticket);
    if (type !== 'call.request') return undefined;
    // Links are the doors: by their incarnation, for one may have the tickets of another.
    return this.#passOn(this.#countOf(isClient(a) ? this.#nameOf(from) : from, ticket), from);
  }
  #open({ a, kind, from, input }: RecordOf<'open'>): undefined {
    if (kind !== 'call') return;
    const count = this.#countOf(this.#nameOf(from), (input as { readonly ticket?: string }).ticket);
    if (count) this.#calls.set(a, count);
  }
  #asked({ a, ev }: RecordOf<'out'>): Found | undefined {
    const { method } = ev as Said<{ method: string }>;
    if (method !== 'tools/call' && method !== 'client:tool_call') return undefined;
    return this.#passOn(this.#calls.get(a), a);
  }
  #countOf(place: Address, ticket: string | undefined): Count | undefined {
    let count = ticket === undefined ? undefined : this.#counts.get(ticket);
    while (count && count.place !== place) count = count.next;
    return count;
  }
  #accept(place: Address, ticket: string | undefined): undefined {
    if (ticket === undefined) return;
    const count = this.#countOf(place, ticket);
    if (count) count.accepted += 1;
    else this.#counts.set(ticket, { place, accepted: 1, passedOn: 0, next: this.#counts.get(ticket) });
  }
  #passOn(count: Count | undefined, at: Address): Found | undefined {
    // Of one that was accepted before the first record nobody knows.
    if (!count) return undefined;
    count.passedOn += 1;
    if (count.passedOn <= count.accepted) return undefined;
    return { at, what: `a call went out ${count.passedOn} times, and came in ${count.accepted} times` };
  }
}

const [computer, client, link] = ['computer#1', 'computer/client:fs', 'computer/link#1'];
const called = hears(`${link}/link#1`, 'agent.called', { ticket: '1.r1' });
const toComputer = posts(link, computer, 'call.request', { ticket: '1.r1' });
const toClient = posts(computer, client, 'call.request', { ticket: '1.r1' });
const opened = (n: number) => opens(`${client}/call:1.r1#${n}`, 'call', `${client}#1`, { ticket: '1.r1' });
const toServer = (n: number) => asks(`${client}/call:1.r1#${n}`, 'call', `${client}#1`, 'tools/call');
const waiting = learns(`${client}/call:1.r1#1`, 'call', 'ask.waiting', { ahead: 0 });
const began = learns(`${client}/call:1.r1#1`, 'call', 'ask.began', {});
const forgotten = learns(`${client}/call:1.r1#1`, 'call', 'ask.refused', unread);
const agentCalled = posts('host', 'agent', 'agent.call', { ticket: 'r1' });
const made = opens('agent/call:r1#1', 'call', 'agent#1', { ticket: 'r1' });
const toOffice = asks('agent/call:r1#1', 'call', 'agent/link', 'client:tool_call');

export const callSentOnce: Invariant = {
  invariant: 'a call is sent at most once',
  why: 'What was sent may have taken effect: it is never sent again by itself (no-blind-retry), but once after HTTP 404 to a session, which says that it was not read.',
  sees: ['in agent.called', 'in ask', 'post call.request', 'post agent.call', 'out ask', 'open', 'end'],
  open: () => new CallSentOnce(),
  violating: [
    {
      how: 'a call that asks again when it hears nothing',
      seen: story(called, toComputer, toClient, opened(1), toServer(1), toServer(1)),
      said: 'a call went out 2 times, and came in 1 times',
    },
    {
      how: 'a call whose turn has come, and which asks again',
      seen: story(toClient, opened(1), toServer(1), waiting, began, toServer(1)),
      said: 'a call went out 2 times, and came in 1 times',
    },
    {
      how: 'a call that is sent for the third time',
      seen: story(toClient, opened(1), toServer(1), forgotten, toServer(1), forgotten, toServer(1)),
      said: 'a call went out 2 times, and came in 1 times',
    },
    {
      how: 'a client that makes a second machine for a call',
      seen: story(toClient, opened(1), toServer(1), opened(2), toServer(2)),
      said: 'a call went out 2 times, and came in 1 times',
    },
    {
      how: 'a computer that tries another server',
      seen: story(
        toComputer,
        toClient,
        posts(computer, 'computer/client:git', 'call.request', { ticket: '1.r1' }),
      ),
      said: 'a call went out 2 times, and came in 1 times',
    },
    {
      how: 'a link that passes on a call twice',
      seen: story(called, toComputer, toComputer),
      said: 'a call went out 2 times, and came in 1 times',
    },
    {
      how: 'an agent that sends again when its link is back',
      seen: story(agentCalled, made, toOffice, toOffice),
      said: 'a call went out 2 times, and came in 1 times',
    },
  ],
  passing: [
    { how: 'the whole way', seen: story(called, toComputer, toClient, opened(1), toServer(1)) },
    {
      how: 'a call whose server had forgotten its session',
      seen: story(toClient, opened(1), toServer(1), forgotten, toServer(1)),
    },
    {
      how: 'a ticket that is used again',
      seen: story(toClient, opened(1), toServer(1), toClient, opened(2), toServer(2)),
    },
    {
      how: 'a call that is taken out of the line and waits in another',
      seen: story(toClient, opened(1), toServer(1), waiting, toServer(1), waiting, began),
    },
    { how: 'a call from before the first record', seen: story(toServer(1), toServer(1)) },
    { how: 'an agent that asks once', seen: story(agentCalled, made, toOffice) },
  ],
};
