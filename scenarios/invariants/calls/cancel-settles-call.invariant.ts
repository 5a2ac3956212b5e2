import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { isClient } from '../places.ts';
import { asks, learns, orders, posts, story } from '../record-builders.ts';

/** What somebody asked somebody for, and waits for. */
interface Asked {
  readonly by: Address;
  readonly of: Address;
  readonly ticket: string;
  waiting: number;
}
type Fields = Said<{ ticket: string; replyTo: Address }>;

const requests = new Set(['call.request', 'agent.call', 'agent.query']);

class CancelSettlesCall implements Judge {
  readonly #asked = new Map<string, Asked>();
  /** By what the machines work on now. */
  readonly #cancelled: Asked[] = [];

  take(record: DirectoryRecord): readonly Found[] | undefined {
    if (record.k === 'in') return this.#cancelled.length > 0 ? this.quiescent() : undefined;
    if (record.k === 'post' && record.dead === undefined) this.#hear(record, record.ev);
    else if (record.k === 'post' && record.ev.type === 'call.settled') this.#settle(record.a, record.ev);
    return undefined;
  }
  #hear({ from, a }: RecordOf<'post'>, ev: Fields): void {
    if (ev.type === 'call.settled') return this.#settle(a, ev);
    if (ev.type === 'call.cancel') return this.#cancel(from, a, ev.ticket);
    const { ticket } = ev;
    if (!requests.has(ev.type) || ticket === undefined || isClient(a)) return;
    const key = `${ev.replyTo} ${ticket}`;
    const known = this.#asked.get(key);
    if (known) known.waiting += 1;
    else this.#asked.set(key, { by: from, of: nameOf(a), ticket, waiting: 1 });
  }
  #settle(to: Address, { ticket }: Fields): void {
    const key = `${to} ${ticket}`;
    const asked = this.#asked.get(key);
    if (asked && (asked.waiting -= 1) <= 0) this.#asked.delete(key);
  }
  /** What an edge passes on to the call itself has no ticket, and whoever passes it on has asked for nothing. */
  #cancel(by: Address, of: Address, ticket: string | undefined): void {
    if (ticket === undefined) return;
    for (const asked of this.#asked.values())
      if (asked.ticket === ticket && asked.by === by && asked.of === nameOf(of)) this.#cancelled.push(asked);
  }
  quiescent(): readonly Found[] {
    return this.#cancelled
      .splice(0)
      .filter(({ waiting }) => waiting > 0)
      .map(({ of, ticket }) => ({ at: of, what: `${ticket} was cancelled and is in flight still` }));
  }
  closed(): readonly Found[] {
    return this.quiescent();
  }
}

const call = { ticket: 't1', replyTo: 'host:c' };
const asked = posts('host', 'computer', 'call.request', call);
const queried = posts('host', 'agent', 'agent.query', { ticket: 't1', replyTo: 'host:a' });
const cancels = (a: Address, from = 'host') => posts(from, a, 'call.cancel', { ticket: 't1' });
const settled = (to: Address) => posts('c/client:fs/call:t1#1', to, 'call.settled', { ticket: 't1' });

/** Confirmed, sent or cut off: nothing that a call may wait for keeps it from whoever does not want it any more. */
export const cancelSettlesCall: Invariant = {
  invariant: 'a cancel settles its call at once',
  why: 'Who cancels its own call has its answer before anything else is worked on (settle-once).',
  sees: ['in', 'post call.request', 'post agent.query', 'post call.cancel', 'post call.settled'],
  open: () => new CancelSettlesCall(),
  violating: [
    {
      how: 'a call that forgets its cancel',
      seen: story(asked, orders('computer', 'call.cancel'), cancels('computer'), learns('c/call#1', 'call')),
      said: 't1 was cancelled and is in flight still',
    },
    {
      how: 'an agent that does not pass it on',
      seen: story(queried, cancels('agent')),
      until: 'closed',
      said: 't1 was cancelled',
    },
    {
      how: 'a call that waits for the server to agree',
      seen: story(
        ...[posts('c/link#1', 'c#1', 'call.request', { ...call, replyTo: 'c/link#1' })],
        ...[cancels('c#1', 'c/link#1'), 5, learns('c/call#1', 'call'), settled('c/link#1')],
      ),
      said: 't1 was cancelled',
    },
  ],
  passing: [
    {
      how: 'one that is settled with it',
      seen: story(asked, cancels('computer'), settled('host:c'), orders('computer', 'close')),
      until: 'closed',
    },
    {
      how: 'one that came too late',
      seen: story(asked, settled('host:c'), cancels('computer'), orders('computer', 'close')),
    },
    {
      how: 'one for the call of somebody else',
      seen: story(asked, cancels('computer', 'c/link#1'), orders('computer', 'close')),
    },
    { how: 'one that reached nobody', seen: story(queried, { ...cancels('agent'), dead: 'lost' }) },
    { how: 'another question', seen: story(asks('c/client:fs#1', 'tools', 'c/client:fs#1', 'tools/list')) },
  ],
};
