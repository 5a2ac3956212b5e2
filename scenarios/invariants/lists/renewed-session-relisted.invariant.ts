import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { rootOf, serverIn } from '../places.ts';
import { asks, hears, posts, story, tells } from '../record-builders.ts';

interface Client {
  /** Lists and subscriptions that its session was asked for. */
  readonly asked: Set<string>;
  /** Those that the next session has to be asked for. */
  readonly owing: Set<string>;
}
type Capabilities = Readonly<Record<string, object | null>>;
type Fields = Said<{
  isExpired: boolean;
  stage: string;
  method: string;
  params: { uri?: string };
  uris: readonly string[];
  info: { capabilities?: Capabilities };
}>;
const subscribing = 'resources/subscribe';
/** `resources` of `resources/templates/list`. */
const kindOf = (what: string): string => what.slice(0, what.indexOf('/'));

class RenewedSessionRelisted implements Judge {
  /** By name. */
  readonly #clients = new Map<Address, Client>();

  take(record: DirectoryRecord): undefined {
    if (record.k === 'in') this.#heard(record);
    else if (record.k === 'out') this.#did(record);
    else if (record.k === 'post') this.#told(record);
    else if (record.k === 'end') this.#clients.delete(nameOf(record.a));
  }
  #clientOf(name: Address): Client {
    const known = this.#clients.get(name);
    if (known) return known;
    const client = { asked: new Set<string>(), owing: new Set<string>() };
    this.#clients.set(name, client);
    return client;
  }
  #heard({ a, ev }: RecordOf<'in'>): void {
    const { type, isExpired, info } = ev as Fields;
    const client = this.#clients.get(nameOf(rootOf(a)));
    if (!client) return;
    if (type === 'session.lost') {
      if (isExpired === true) for (const what of client.asked) client.owing.add(what);
      client.asked.clear();
      return;
    }
    // What it does not offer any more is nothing to ask for.
    for (const what of client.owing) if (!info?.capabilities?.[kindOf(what)]) client.owing.delete(what);
  }
  #did({ a, ev }: RecordOf<'out'>): void {
    const server = serverIn(a);
    const { method = '', params } = ev as Fields;
    if (server === undefined || !/\/list$|^resources\/(un)?subscribe$/.test(method)) return;
    const { asked, owing } = this.#clientOf(server);
    const uri = params?.uri ?? '';
    const what = method.endsWith('/list') ? method : `${subscribing} ${uri}`;
    owing.delete(what);
    if (method === 'resources/unsubscribe') asked.delete(what);
    else asked.add(what);
  }
  #told({ from, a, ev }: RecordOf<'post'>): void {
    const { type, stage, uris = [] } = ev as Fields;
    const client = this.#clients.get(type === 'watch.set' ? (serverIn(a) ?? '') : nameOf(from));
    if (!client) return;
    if (type === 'watch.set') {
      const wanted = new Set(uris.map((uri) => `${subscribing} ${uri}`));
      for (const set of [client.asked, client.owing])
        for (const what of set) if (what.startsWith(subscribing) && !wanted.has(what)) set.delete(what);
    } else if (stage !== 'connecting' && stage !== 'ready') {
      // It did not come to a new session: the next one is another life.
      client.asked.clear();
      client.owing.clear();
    }
  }
  quiescent(): readonly Found[] {
    return [...this.#clients].flatMap(([at, { owing }]) =>
      [...owing].map((what): Found => ({
        at,
        what: `asked the session that was forgotten for ${what}, and the next one not`,
        kind: 'liveness',
      })),
    );
  }
}

const client = 'c/client:fs#1';
const capabilities = { tools: {}, resources: {} };
const opened = (more: Capabilities = {}) =>
  hears(`${client}/session#1`, 'session.opened', { info: { capabilities: { ...capabilities, ...more } } });
const listed = (kind: string) => asks(`c/client:fs/catalog:${kind}#1`, 'list', client, `${kind}/list`);
const watched = (uri: string, what = 'subscribe') =>
  asks('c/client:fs/watch#1', 'watch', client, `resources/${what}`, { uri });
const lost = hears(`${client}/session#1`, 'session.lost', { reason: 'x', isExpired: true });
const becomes = (stage: string) => posts(client, 'c#1', 'client.changed', { stage });
const lived = [opened(), listed('tools'), listed('resources'), watched('a:1'), watched('a:2')];
const renews = [lost, becomes('connecting'), tells('session', `${client}/session#2`, 'leaf.open'), opened()];
const ready = becomes('ready');

export const renewedSessionRelisted: Invariant = {
  invariant: 'a renewed session is asked for everything that the forgotten one was asked for',
  why: 'Lists and subscriptions are those of a session: a server that forgot it forgot them (refresh after renewal).',
  sees: [
    ...([
      'in session.lost',
      'in session.opened',
      'out ask',
      'post client.changed',
      'post watch.set',
    ] as const),
    'end',
  ],
  open: () => new RenewedSessionRelisted(),
  violating: [
    {
      how: 'a list that is taken for what it was',
      seen: story(...lived, ...renews, listed('tools'), watched('a:1'), watched('a:2'), ready),
      until: 'quiescent',
      said: 'for resources/list, and the next one not',
    },
    {
      how: 'a subscription that is forgotten',
      seen: story(...lived, ...renews, listed('tools'), listed('resources'), watched('a:2'), ready),
      until: 'quiescent',
      said: 'for resources/subscribe a:1, and the next one not',
    },
  ],
  passing: [
    {
      how: 'everything anew',
      seen: story(...lived, ...renews, ...lived.slice(1), ready),
      until: 'quiescent',
    },
    {
      how: 'a server that has no resources any more',
      seen: story(...lived, ...renews.slice(0, 3), opened({ resources: null }), listed('tools'), ready),
      until: 'quiescent',
    },
    {
      how: 'what nobody wants to hear of any more',
      seen: story(
        ...[...lived, watched('a:1', 'unsubscribe'), ...renews, listed('tools'), listed('resources')],
        ...[posts(client, 'c/client:fs/watch', 'watch.set', { uris: [] }), ready],
      ),
      until: 'quiescent',
    },
    {
      how: 'one that failed instead',
      seen: story(...lived, lost, becomes('recovering')),
      until: 'quiescent',
    },
    { how: 'a moment at which it may be under way', seen: story(...lived, ...renews) },
  ],
};
