import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { naming, PairMap } from '../pair-map.ts';
import { isClient } from '../places.ts';
import { ends, opens, orders, posts, story } from '../record-builders.ts';

interface Client {
  readonly a: Address;
  stage: string | undefined;
  /** The last of its orders. */
  order: 'server.start' | 'server.stop' | undefined;
}
interface Call {
  readonly at: Address;
  /** Of whom it was asked. */
  readonly whom: Address;
  readonly ticket: string;
  isCancelled: boolean;
}
type Fields = Said<{
  server: string;
  stage: string;
  ticket: string;
  replyTo: Address;
}>;

class OrdersObeyed implements Judge {
  /** By computer and server. */
  readonly #clients = new PairMap<Client>();
  readonly #clientAt = new Map<Address, Client>();
  /** By whom it was asked of, and by who waits for it, each with the ticket. */
  readonly #calls = new PairMap<Call>();
  readonly #waiting = new PairMap<Call>();
  readonly #nameOf = naming();
  /** Roots by name, and whether the host has told them to end. */
  readonly #roots = new Map<Address, { readonly a: Address; isClosing: boolean }>();

  take(record: DirectoryRecord): undefined {
    if (record.k === 'post') {
      if (record.dead === undefined) this.#post(record);
    } else if (record.k === 'open') this.#open(record);
    else if (record.k === 'end') {
      const client = this.#clientAt.get(record.a);
      // Whoever comes after it has heard no order.
      if (client) client.order = undefined;
      this.#clientAt.delete(record.a);
      if (!record.a.includes('/')) this.#roots.delete(nameOf(record.a));
    }
  }
  quiescent(): Found[] {
    const found: Found[] = [];
    const say = (at: Address, what: string): void => void found.push({ at, what, kind: 'liveness' });
    for (const { a, stage, order } of this.#clientAt.values())
      if (order === 'server.stop' && stage !== 'idle') say(a, `was stopped, and is ${stage}`);
      else if (order === 'server.start' && stage === 'idle') say(a, 'was started, and is idle');
    for (const { a, isClosing } of this.#roots.values()) if (isClosing) say(a, 'was told to end, and lives');
    for (const { at, ticket, isCancelled } of this.#waiting.values())
      if (isCancelled) say(at, `${ticket} was cancelled, and is not settled`);
    return found;
  }
  #open({ a, kind, from, input }: RecordOf<'open'>): void {
    if (!a.includes('/')) this.#roots.set(nameOf(a), { a, isClosing: false });
    if (kind !== 'client') return;
    const { server } = input as { readonly server: string };
    const client: Client = { a, stage: undefined, order: undefined };
    this.#clients.set(nameOf(from), server, client);
    this.#clientAt.set(a, client);
  }
  #post({ from, a, ev }: RecordOf<'post'>): void {
    const said = ev as Fields;
    switch (said.type) {
      case 'client.changed': {
        const client = this.#clientAt.get(from);
        if (!client) return;
        client.stage = said.stage;
        // It was started; should it end well by itself later, nobody was disobeyed.
        if (said.stage === 'ready' && client.order === 'server.start') client.order = undefined;
        return;
      }
      case 'server.start':
      case 'server.stop': {
        const client = this.#clients.get(nameOf(a), said.server ?? '');
        if (client) client.order = said.type;
        return;
      }
      case 'close': {
        const root = from === 'host' ? this.#roots.get(nameOf(a)) : undefined;
        if (root) root.isClosing = true;
        return;
      }
      case 'call.request':
      case 'agent.call':
      case 'agent.query':
        return isClient(a) ? undefined : this.#called(a, said.ticket, said.replyTo);
      case 'call.cancel': {
        const call = this.#calls.get(this.#nameOf(a), said.ticket ?? '');
        if (call) call.isCancelled = true;
        return;
      }
      case 'call.settled':
        this.#settled(a, said.ticket);
    }
  }
  #called(whom: Address, ticket: string | undefined, replyTo: Address | undefined): void {
    if (ticket === undefined || replyTo === undefined) return;
    const call = { at: replyTo, whom: this.#nameOf(whom), ticket, isCancelled: false };
    this.#calls.set(call.whom, ticket, call);
    this.#waiting.set(replyTo, ticket, call);
  }
  #settled(replyTo: Address, ticket = ''): void {
    const call = this.#waiting.get(replyTo, ticket);
    if (!call) return;
    this.#waiting.delete(replyTo, ticket);
    if (this.#calls.get(call.whom, ticket) === call) this.#calls.delete(call.whom, ticket);
  }
}

const [computer, client] = ['c#1', 'c/client:fs#2'];
const born = [opens(computer, 'computer', 'host'), opens(client, 'client', computer, { server: 'fs' })];
const order = (type: string, fields = {}) => [orders('c', type, fields), posts('host', 'c', type, fields)];
const stop = order('server.stop', { server: 'fs' });
const start = order('server.start', { server: 'fs' });
const becomes = (stage: string) => posts(client, computer, 'client.changed', { server: 'fs', stage });
const called = posts('host', 'c', 'call.request', { ticket: 't1', replyTo: 'host:c' });
const cancel = order('call.cancel', { ticket: 't1' });
const settled = posts('c/client:fs/call:t1#1', 'host:c', 'call.settled', { ticket: 't1' });

/** Of several orders to one server the last counts. One to whom nobody lives at does not. */
export const ordersObeyed: Invariant = {
  invariant: 'every order is obeyed',
  why: 'What is stopped rests, what is started does not, what is closed ends, what is cancelled is settled (no-ignored-command).',
  sees: [
    ...(['post server.start', 'post server.stop', 'post close', 'post client.changed'] as const),
    ...(['post call.request', 'post agent.call', 'post agent.query', 'post call.cancel'] as const),
    ...(['post call.settled', 'open', 'end'] as const),
  ],
  open: () => new OrdersObeyed(),
  violating: [
    {
      how: 'a client that starts anew after it was stopped',
      seen: story(...born, becomes('ready'), ...stop, becomes('idle'), becomes('ready')),
      until: 'quiescent',
      said: 'was stopped, and is ready',
    },
    {
      how: 'a client that does not hear the last of two orders',
      seen: story(...born, becomes('ready'), ...stop, ...start, becomes('closing'), becomes('idle')),
      until: 'quiescent',
      said: 'was started, and is idle',
    },
    {
      how: 'a computer that does not hear close',
      seen: story(...born, ...order('close')),
      until: 'quiescent',
      said: 'was told to end, and lives',
    },
    {
      how: 'a call that does not hear cancel',
      seen: story(...born, called, ...cancel),
      until: 'quiescent',
      said: 't1 was cancelled, and is not settled',
    },
  ],
  passing: [
    {
      how: 'each of them obeyed',
      seen: story(
        ...[
          ...born,
          becomes('ready'),
          ...stop,
          ...start,
          becomes('closing'),
          becomes('connecting'),
          becomes('ready'),
        ],
        ...[called, ...cancel, settled, ...stop, becomes('idle')],
      ),
      until: 'quiescent',
    },
    {
      how: 'one that came, and ended well by itself',
      seen: story(...born, ...start, becomes('ready'), becomes('idle')),
      until: 'quiescent',
    },
    {
      how: 'an end',
      seen: story(...born, ...stop, ...order('close'), ends(client), ends(computer)),
      until: 'quiescent',
    },
    {
      how: 'a cancel of what is settled, and one that comes first',
      seen: story(...born, called, settled, ...cancel, called),
      until: 'quiescent',
    },
    {
      how: 'an order to nobody',
      seen: story(...born, becomes('ready'), {
        ...posts('host', 'c', 'server.stop', { server: 'fs' }),
        dead: 'lost',
      }),
      until: 'quiescent',
    },
  ],
};
