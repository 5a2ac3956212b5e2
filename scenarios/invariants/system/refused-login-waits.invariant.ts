import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { rootOf, serverIn } from '../places.ts';
import { ends, hears, learns, posts, story, tells } from '../record-builders.ts';

const isDoor = (failure: Failure | undefined): boolean =>
  failure?.code === 'Unauthorized' || failure?.code === 'AccessDenied';

class RefusedLoginWaits implements Judge {
  /** Clients by name that were not let in. */
  readonly #barred = new Set<Address>();
  /** Those that had an order since they connected: it is not the same again. */
  readonly #changed = new Set<Address>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'in' && record.via === 'ask') this.#answered(record);
    else if (record.k === 'in') this.#failed(record);
    else if (record.k === 'out') return this.#opened(record);
    else if (record.k === 'post') this.#ordered(record);
    else if (record.k === 'end') this.#barred.delete(nameOf(record.a));
    return undefined;
  }
  /** Somebody has logged in. */
  #answered({ a, ev }: RecordOf<'in'>): void {
    if (ev?.type === 'ask.answered' && (ev as Said<{ id: string }>).id === 'login')
      this.#barred.delete(nameOf(a));
  }
  #failed({ a, ev }: RecordOf<'in'>): void {
    const client = nameOf(rootOf(a));
    if (isDoor((ev as Said<{ failure: Failure }>).failure) && !this.#changed.has(client))
      this.#barred.add(client);
  }
  #ordered({ from, a, ev }: RecordOf<'post'>): void {
    // It goes back to what it was by itself.
    const client = nameOf(ev.type === 'server.rolledBack' ? from : a);
    this.#changed.add(client);
    this.#barred.delete(client);
  }
  #opened({ port, a }: RecordOf<'out'>): Found | undefined {
    if (port !== 'session') return undefined;
    const client = serverIn(a) ?? '';
    this.#changed.delete(client);
    return this.#barred.delete(client)
      ? { at: rootOf(a), what: 'was not let in, and asks again though nobody has changed anything' }
      : undefined;
  }
}

const client = 'c/client:fs#1';
const named = 'c/client:fs';
const connects = tells('session', `${client}/session#1`, 'leaf.open');
const refused = (code = 'Unauthorized') =>
  hears(`${client}/session#1`, 'session.failed', { failure: { code, message: 'no' } });
const again = 'asks again though nobody';

export const refusedLoginWaits: Invariant = {
  invariant: 'a refused login is not repeated until somebody changes something',
  why: 'The same login is refused again, and too often locks somebody out: 401 and 403 are for a person (not in a loop).',
  sees: [
    ...(['in session.failed', 'out leaf.open', 'post server.start', 'post server.update'] as const),
    ...(['post server.rolledBack', 'in ask', 'end'] as const),
  ],
  open: () => new RefusedLoginWaits(),
  violating: [
    {
      how: 'one that wants a login, after a pause',
      seen: story(connects, refused(), 5000, connects),
      said: again,
    },
    {
      how: 'one that refuses this login, at once',
      seen: story(connects, refused('AccessDenied'), connects),
      said: again,
    },
  ],
  passing: [
    {
      how: 'one that somebody has logged in to',
      seen: story(connects, refused(), learns(client, 'login'), connects),
    },
    {
      how: 'a start by hand',
      seen: story(connects, refused(), posts('c#1', named, 'server.start'), connects, refused()),
    },
    {
      how: 'another config, also while it connects',
      seen: story(
        ...[connects, refused(), posts('c#1', named, 'server.update'), connects],
        ...[posts('c#1', named, 'server.update'), refused(), connects],
      ),
    },
    {
      how: 'a rollback',
      seen: story(connects, refused(), posts(client, 'c#1', 'server.rolledBack'), connects),
    },
    { how: 'another client in its place', seen: story(connects, refused(), ends(client), connects) },
    { how: 'a server that cannot be reached', seen: story(connects, refused('ServerLost'), connects) },
  ],
};
