import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { PairMap } from '../pair-map.ts';
import { rootOf } from '../places.ts';
import { asks, ends, hears, learns, opens, story, tells } from '../record-builders.ts';

type Declared = Readonly<Record<string, { readonly listChanged?: boolean } | null>>;
interface Client {
  hears: boolean;
  /** What its server said that it would say. */
  capabilities: Declared;
  /** Lists that it declared and does not know. */
  readonly none: Set<string>;
}
type Fact = Said<{ list: string; computer: string; collection: string; info: { capabilities?: Declared } }>;
/** What a view of a kind asks, and the kinds that a notice is for. */
const viewed: Readonly<Record<string, string>> = {
  view: 'client:get_tools',
  desktopView: 'client:get_desktop',
  finderView: 'client:get_finder',
};
const questions: ReadonlySet<unknown> = new Set(Object.values(viewed));
const keyOf = (kind: string, computer: string): string => `${kind} ${computer}`;
function kindTold(type: string, collection = ''): string | undefined {
  if (type === 'computer.toolsChanged' || type === 'computer.configChanged') return 'view';
  return type === 'computer.collectionChanged' ? `${collection}View` : undefined;
}
const methodNotFound = -32_601;

class Changes implements Judge {
  /** Lists and views that were told of a change and have not asked since, and whose they are. */
  readonly #owing = new Map<Address, Address>();
  readonly #clients = new Map<Address, Client>();
  /** By link, and by kind and computer: who looks at it. */
  readonly #views = new PairMap<Address>();
  readonly #living = new Set<Address>();

  take(record: DirectoryRecord): undefined {
    if (record.k === 'in') this.#in(record);
    else if (record.k === 'out') this.#did(record);
    else if (record.k === 'end') {
      this.#clients.delete(record.a);
      this.#ended(record.a);
    } else if (record.k === 'open') this.#opened(record);
    else if (record.k === 'post') this.#updated(record);
    return undefined;
  }
  #in({ via, a, ev }: RecordOf<'in'>): void {
    if (!ev) return;
    if (via === 'leaf') this.#told(a, ev);
    else if (via === 'ask') this.#learned(a, ev);
  }
  #told(instance: Address, { type, list, computer, collection, info }: Fact): void {
    const client = this.#clients.get(rootOf(instance));
    if (type === 'session.opened' && client) {
      client.capabilities = info?.capabilities ?? {};
      client.none.clear();
    } else if (type === 'list.changed' && list !== undefined && client?.hears)
      if (client.capabilities[list]?.listChanged && !client.none.has(list))
        this.#owing.set(`${nameOf(rootOf(instance))}/catalog:${list}`, rootOf(instance));
    const kind = kindTold(type, collection);
    if (computer === undefined || kind === undefined) return;
    const view = this.#views.get(nameOf(rootOf(instance)), keyOf(kind, computer));
    if (view !== undefined && this.#living.has(view)) this.#owing.set(view, view);
  }
  #learned(a: Address, { failure }: Said<{ failure: { details?: { code?: unknown } } }>): void {
    if (failure?.details?.code !== methodNotFound) return;
    const [client = '', list = ''] = nameOf(a).split('/catalog:');
    for (const [at, { none }] of this.#clients) if (nameOf(at) === client) none.add(list);
    this.#owing.delete(nameOf(a));
  }
  #did({ port, a, ev }: RecordOf<'out'>): void {
    const { type, method } = ev as Said<{ method: string }>;
    if (type === 'ask') this.#owing.delete(questions.has(method) ? a : nameOf(a));
    if (port === 'session' && type === 'leaf.close') this.#ended(rootOf(a));
  }
  #opened({ a, kind, input }: RecordOf<'open'>): void {
    const {
      link = '',
      computer = '',
      hearsChanges,
    } = input as Said<{
      link: Address;
      computer: string;
      hearsChanges: boolean;
    }>;
    if (kind === 'client')
      this.#clients.set(a, { hears: hearsChanges !== false, capabilities: {}, none: new Set() });
    if (!Object.hasOwn(viewed, kind)) return;
    this.#views.set(link, keyOf(kind, computer), a);
    this.#living.add(a);
  }
  #updated({ a, ev }: RecordOf<'post'>): void {
    const { plan } = ev as Said<{ plan: { hearsChanges?: boolean } }>;
    for (const [at, client] of this.#clients)
      if (nameOf(at) === nameOf(a)) client.hears = plan?.hearsChanges !== false;
  }
  /** It, or its session. */
  #ended(a: Address): void {
    for (const [owing, owner] of this.#owing) if (owner === a) this.#owing.delete(owing);
    this.#living.delete(a);
  }
  quiescent(): readonly Found[] {
    return [...this.#owing.keys()].map((at) => ({
      at,
      what: `${at} was told of a change and has not asked since`,
      kind: 'liveness',
    }));
  }
}

const [client, view] = ['c/client:fs#1', 'a/view:c1#2'];
const session = `${client}/session#1`;
const list = 'c/client:fs/catalog:tools';
const changed = hears(session, 'list.changed', { list: 'tools' });
const born = (hearsChanges = true, listChanged = true) => [
  opens(client, 'client', 'c#1', { hearsChanges }),
  hears(session, 'session.opened', { info: { capabilities: { tools: { listChanged } } } }),
];
const fetches = asks(`${list}#1`, 'list', client, 'tools/list');
const unknown = { failure: { details: { code: methodNotFound } } };
const looks = opens(view, 'view', 'a#1', { computer: 'c1', link: 'a/link' });
const notice = hears('a/link#1/link#1', 'computer.toolsChanged', { computer: 'c1' });
const finder = 'a/finderView:c1#3';
const finds = opens(finder, 'finderView', 'a#1', { computer: 'c1', link: 'a/link' });
const found = hears('a/link#1/link#1', 'computer.collectionChanged', {
  computer: 'c1',
  collection: 'finder',
});
const findsAgain = asks(finder, 'view', 'a/link', 'client:get_finder');
const looksAgain = asks(view, 'tools', 'a/link', 'client:get_tools');

export const changeFetched: Invariant = {
  invariant: 'a reported list change is fetched',
  why: 'After a notice a question goes out, later than it, or what everybody is offered stays old (dirty-flag).',
  sees: [
    ...(['in list.changed', 'in session.opened', 'in ask', 'in computer.toolsChanged'] as const),
    ...([
      'in computer.configChanged',
      'in computer.collectionChanged',
      'post server.update',
      'out ask',
      'out leaf.close',
      'open',
      'end',
    ] as const),
  ],
  open: () => new Changes(),
  violating: [
    {
      how: 'a list that is told while it asks, and forgets it',
      seen: story(...born(), changed, fetches, changed),
      until: 'quiescent',
      said: `${list} was told of a change`,
    },
    {
      how: 'a view that ignores a notice',
      seen: story(looks, looksAgain, notice),
      until: 'quiescent',
      said: `${view} was told of a change`,
    },
    {
      how: 'a view of documents that ignores its notice',
      seen: story(finds, findsAgain, found),
      until: 'quiescent',
      said: `${finder} was told of a change`,
    },
  ],
  passing: [
    { how: 'a view of documents that asks', seen: story(finds, found, findsAgain), until: 'quiescent' },
    {
      how: 'one that asks',
      seen: story(...born(), changed, fetches, looks, notice, looksAgain),
      until: 'quiescent',
    },
    { how: 'a notice that nobody declared', seen: story(...born(true, false), changed), until: 'quiescent' },
    { how: 'one that is not to be heard', seen: story(...born(false), changed), until: 'quiescent' },
    {
      how: 'a list that its server does not know',
      seen: story(...born(), fetches, learns(`${list}#1`, 'list', 'ask.refused', unknown), changed),
      until: 'quiescent',
    },
    {
      how: 'a session that ended before',
      seen: story(...born(), changed, tells('session', session, 'leaf.close')),
      until: 'quiescent',
    },
    { how: 'a view that ended before', seen: story(looks, notice, ends(view), notice), until: 'quiescent' },
    { how: 'a computer at which nobody looks', seen: story(notice), until: 'quiescent' },
    { how: 'a moment at which it may be under way', seen: story(...born(), changed) },
  ],
};
