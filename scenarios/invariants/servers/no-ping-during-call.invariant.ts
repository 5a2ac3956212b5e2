import type { Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { isAnswer, type Found, type Judge, type Invariant, type RecordOf, type Said } from '../invariant.ts';
import { serverIn } from '../places.ts';
import { asks, ends, learns, story, withdraws } from '../record-builders.ts';

class NoPingDuringCall implements Judge {
  /** Calls that were sent and are not over, by the name of their client. */
  readonly #running = new Map<Address, Set<Address>>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'out') return this.#out(record);
    if (record.k === 'end' || (record.k === 'in' && isAnswer(record))) this.#over(record.a);
    return undefined;
  }
  #over(a: Address): void {
    this.#running.get(serverIn(a) ?? '')?.delete(a);
  }
  #out({ a, ev }: RecordOf<'out'>): Found | undefined {
    const { type, method } = ev as Said<{ method: string }>;
    const server = serverIn(a) ?? '';
    if (type !== 'ask') this.#over(a);
    else if (method === 'tools/call') {
      const known = this.#running.get(server) ?? new Set();
      this.#running.set(server, known.add(a));
    } else if (method === 'ping') {
      const [busy] = this.#running.get(server) ?? [];
      if (busy !== undefined) return { at: a, what: `was pinged while ${busy} ran` };
    }
    return undefined;
  }
}

const client = 'c/client:fs#1';
const call = 'c/client:fs/call:t1#1';
const runs = asks(call, 'call', client, 'tools/call');
const ping = asks(client, 'ping', client, 'ping');

export const noPingDuringCall: Invariant = {
  invariant: 'no server is pinged while it handles a call',
  why: 'Who works may be too busy to answer, and would be ended for it.',
  sees: ['in ask', 'out ask', 'out ask.withdraw', 'end'],
  open: () => new NoPingDuringCall(),
  violating: [
    { how: 'a ping that does not wait', seen: story(runs, 10, ping), said: `was pinged while ${call}` },
  ],
  passing: [
    { how: 'a call that was answered', seen: story(runs, 10, learns(call, 'call'), ping) },
    { how: 'a call that was cancelled', seen: story(runs, withdraws(call, 'call'), ends(call), ping) },
    {
      how: 'a call of another server',
      seen: story(asks('c/client:git/call:t1#1', 'call', 'c/client:git#1', 'tools/call'), ping),
    },
  ],
};
