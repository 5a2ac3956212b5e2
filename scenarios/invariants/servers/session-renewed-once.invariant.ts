import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { rootOf } from '../places.ts';
import { ends, hears, opens, posts, story, tells } from '../record-builders.ts';

interface Client {
  /** Its session was forgotten, and it is not known yet what comes of it. */
  isForgotten: boolean;
  /** It was renewed, and has not proved itself since. */
  isRenewed: boolean;
}
type Fields = Said<{ isExpired: boolean; stage: string }>;

class SessionRenewedOnce implements Judge {
  /** By name; only those that were seen from their beginning. */
  readonly #clients = new Map<Address, Client>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'in') this.#lost(record);
    else if (record.k === 'out') return this.#opened(record);
    else if (record.k === 'post') return this.#told(record);
    else if (record.k === 'end') this.#clients.delete(nameOf(record.a));
    else if (record.k === 'open' && record.kind === 'client')
      this.#clients.set(nameOf(record.a), { isForgotten: false, isRenewed: false });
    return undefined;
  }
  #lost({ a, ev }: RecordOf<'in'>): void {
    const client = this.#clients.get(nameOf(rootOf(a)));
    if (client) client.isForgotten = (ev as Fields).isExpired === true;
  }
  #opened({ port, a }: RecordOf<'out'>): Found | undefined {
    const client = port === 'session' ? this.#clients.get(nameOf(rootOf(a))) : undefined;
    if (!client?.isForgotten) return undefined;
    const isAgain = client.isRenewed;
    client.isForgotten = false;
    client.isRenewed = true;
    if (!isAgain) return undefined;
    return {
      at: rootOf(a),
      what: 'was forgotten again before it had proved itself, and renewed without a pause',
    };
  }
  #told({ from, ev }: RecordOf<'post'>): Found | undefined {
    const client = this.#clients.get(nameOf(from));
    if (!client) return undefined;
    const { type, stage } = ev as Fields;
    const isMissed =
      type === 'client.changed' && stage === 'recovering' && client.isForgotten && !client.isRenewed;
    // That it is on its way is said before it is.
    if (type === 'client.changed' && stage !== 'connecting') client.isForgotten = false;
    if (type === 'server.proven' || stage === 'idle' || stage === 'standby') client.isRenewed = false;
    return isMissed ? { at: from, what: 'was forgotten, and recovers as if it had failed' } : undefined;
  }
}

const client = 'c/client:fs#1';
const born = opens(client, 'client', 'c#1');
const lost = (isExpired = true) =>
  hears(`${client}/session#1`, 'session.lost', { reason: 'x', ...(isExpired && { isExpired }) });
const opened = tells('session', `${client}/session#2`, 'leaf.open');
const becomes = (stage: string) => posts(client, 'c#1', 'client.changed', { stage });
const renews = [lost(), becomes('connecting'), opened, becomes('ready')];

export const sessionRenewedOnce: Invariant = {
  invariant: 'a forgotten session is renewed at once, and only once',
  why: 'A restart of a server behind a URL costs nobody a pause; one that forgets every session costs one (renew-once).',
  sees: [
    ...(['in session.lost', 'out leaf.open', 'post client.changed', 'post server.proven'] as const),
    ...(['open', 'end'] as const),
  ],
  open: () => new SessionRenewedOnce(),
  violating: [
    { how: 'one that is renewed for ever', seen: story(born, ...renews, ...renews), said: 'without a pause' },
    {
      how: 'one that counts as a failure',
      seen: story(born, lost(), becomes('recovering')),
      said: 'as if it had',
    },
  ],
  passing: [
    { how: 'one that is renewed', seen: story(born, ...renews) },
    {
      how: 'one that is forgotten again, and has its pause',
      seen: story(born, ...renews, lost(), ...['recovering', 'waiting', 'connecting'].map(becomes), opened),
    },
    {
      how: 'one that proved itself in between',
      seen: story(born, ...renews, posts(client, 'c#1', 'server.proven'), ...renews),
    },
    { how: 'one that was stopped in between', seen: story(born, ...renews, becomes('idle'), ...renews) },
    {
      how: 'one that goes down anyway',
      seen: story(
        born,
        ...renews,
        becomes('closing'),
        lost(),
        becomes('closing'),
        becomes('connecting'),
        opened,
      ),
    },
    { how: 'a session that broke', seen: story(born, lost(false), becomes('recovering')) },
    { how: 'another client in its place', seen: story(born, ...renews, ends(client), born, ...renews) },
    { how: 'one of which nobody knows how it began', seen: story(...renews, ...renews) },
  ],
};
