import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { serverIn } from '../places.ts';
import { ends, opens, posts, story, tells } from '../record-builders.ts';

interface Client {
  budget: number;
  /** Of all its plans: it may go back to any. */
  most: number;
  readonly trialMs: number;
  /** From when on it may be tried once; null: by order only. Undefined: it is not open. */
  due: number | null | undefined;
  /** Its trial has begun. */
  isTried: boolean;
}
type Fields = Said<{
  stage: string;
  attempt: number;
  nextTryMs: number | null;
  budget: number;
  plan: { budget?: number };
  timing: { trialMs?: number };
}>;
/** Timers of Node fire up to 1 ms early, and the times of records are rounded. */
const earlyMs = 2;

class Breaker implements Judge {
  readonly #clients = new Map<Address, Client>();

  take(record: DirectoryRecord, at: number): Found | undefined {
    if (record.k === 'out') return this.#launched(record, at);
    if (record.k === 'post') return this.#post(record, at);
    if (record.k === 'end') this.#clients.delete(record.a);
    else if (record.k === 'open' && record.kind === 'client') {
      const { timing, budget = Infinity } = record.input as Fields;
      const client = { budget, most: budget, trialMs: timing?.trialMs ?? 0, due: undefined, isTried: false };
      this.#clients.set(nameOf(record.a), client);
    }
    return undefined;
  }
  #post({ from, a, ev }: RecordOf<'post'>, at: number): Found | undefined {
    const { type, stage, nextTryMs, attempt = 0, plan } = ev as Fields;
    if (type === 'server.rolledBack') return this.#back(from);
    const isNews = type === 'client.changed';
    const client = this.#clients.get(nameOf(isNews ? from : a));
    if (!client) return undefined;
    client.budget = plan?.budget ?? client.budget;
    client.most = Math.max(client.most, client.budget);
    if (isNews && stage === 'waiting' && attempt > Math.max(1, client.budget))
      return { at: from, what: `waits for its try ${attempt} of ${client.budget}` };
    if (!isNews || stage === 'ready' || stage === 'idle') client.due = undefined;
    else if (stage === 'open') {
      client.due = nextTryMs === null || nextTryMs === undefined ? null : at + client.trialMs;
      client.isTried = false;
    } else if (stage === 'waiting' && client.due !== undefined)
      return { at: from, what: 'had an open circuit, failed in its trial, and waits for another try' };
    return undefined;
  }
  #back(from: Address): undefined {
    const client = this.#clients.get(nameOf(from));
    if (client) client.budget = client.most;
  }
  #launched({ a }: RecordOf<'out'>, at: number): Found | undefined {
    const client = this.#clients.get(serverIn(a) ?? '');
    if (!client || client.due === undefined) return undefined;
    const { due } = client;
    if (due === null) return { at: a, what: 'was launched though it had an open circuit for good' };
    if (at < due - earlyMs)
      return { at: a, what: `had an open circuit, and launched ${due - at} ms too early` };
    // Beside its process it has a session.
    if (a.includes('/session')) return undefined;
    if (client.isTried) return { at: a, what: 'had an open circuit, and launched twice for one trial' };
    client.isTried = true;
    return undefined;
  }
}

const client = 'c/client:fs#1';
const born = opens(client, 'client', 'c#1', { timing: { trialMs: 1000 }, budget: 2 });
const becomes = (stage: string, nextTryMs: number | null = null) =>
  posts(client, 'c#1', 'client.changed', { stage, nextTryMs });
const trips = becomes('open', 1500);
const launched = tells('process', 'c/client:fs/process#2/process#1', 'leaf.open');
const connected = tells('session', `${client}/session#2`, 'leaf.open');

export const breaker: Invariant = {
  invariant: 'a server that gave up has at most one trial after each pause',
  why: 'Who failed too often is left alone until its time or an order: it has one try, and rests again (breaker).',
  sees: [
    ...(['out leaf.open', 'post client.changed', 'post server.start', 'post server.update'] as const),
    'post server.rolledBack',
    ...(['open', 'end'] as const),
  ],
  open: () => new Breaker(),
  violating: [
    { how: 'a trial before its time', seen: story(born, trips, 900, launched), said: '100 ms too early' },
    {
      how: 'one that cannot be helped, and is tried',
      seen: story(born, becomes('open'), 9000, launched),
      said: 'though it had an open circuit for good',
    },
    {
      how: 'a budget that is never spent',
      seen: story(born, posts(client, 'c#1', 'client.changed', { stage: 'waiting', attempt: 3 })),
      said: 'waits for its try 3 of 2',
    },
    {
      how: 'two tries in one trial',
      seen: story(born, trips, 1000, launched, 10, launched),
      said: 'launched twice',
    },
    {
      how: 'a trial that fails and goes on trying',
      seen: story(born, trips, 1000, launched, becomes('waiting')),
      said: 'waits for another try',
    },
  ],
  passing: [
    {
      how: 'one that goes back to a plan with a larger budget',
      seen: story(
        ...[born, posts('c#1', 'c/client:fs', 'server.update', { plan: { budget: 1 } })],
        ...[posts(client, 'c#1', 'server.rolledBack', { generation: 1 })],
        posts(client, 'c#1', 'client.changed', { stage: 'waiting', attempt: 2 }),
      ),
    },
    {
      how: 'one trial after another',
      seen: story(born, trips, 1000, launched, connected, trips, 1000, launched),
    },
    {
      how: 'a start by hand',
      seen: story(born, becomes('open'), posts('c#1', 'c/client:fs', 'server.start'), launched),
    },
    {
      how: 'a trial that succeeds',
      seen: story(born, trips, 1000, launched, becomes('ready'), becomes('waiting')),
    },
    { how: 'one that ends', seen: story(born, becomes('open'), ends(client), born, launched) },
  ],
};
