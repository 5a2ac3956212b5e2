import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import { collections } from '../../../machines/resources/collections/index.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { rootOf } from '../places.ts';
import { asks, opens, posts, story } from '../record-builders.ts';

interface Server {
  /** Of the kind of its whole; null: it takes no part. */
  listed: readonly string[] | null;
  /** When each was asked for last, as a count of records. */
  readonly asked: Map<string, number>;
  /** Told to be others since they were asked for last, and when. */
  readonly old: Map<string, number>;
  /** It spoke of one that it has not listed, and its list was not asked for since. */
  unlisted: string | null;
}
type Fields = Said<{
  server: string;
  uri: string;
  resources: readonly { readonly uri: string }[] | null;
  query: { readonly window?: unknown; readonly desktop_size?: unknown };
  ticket: string;
  missing: readonly { readonly server: string }[];
  failure: unknown;
  method: string;
  params: { readonly uri?: string };
}>;
const schemes = { desktop: 'window', finder: 'dpe' } as const;
/** Its host and path, taken apart in another way than the machines do; undefined: it is of another scheme. */
function placeOf(uri: string, scheme: string): readonly string[] | undefined {
  const [, written = '', rest = ''] = /^([^:]*):\/\/([^?#]*)/.exec(uri) ?? [];
  if (written.toLowerCase() !== scheme || rest === '' || /[?&](priority|fullscreen|depth|limit)=/.test(uri))
    return undefined;
  const [host = '', ...path] = rest.split('/');
  return [host.toLowerCase(), ...path.filter((part) => part !== '').map((part) => decodeURIComponent(part))];
}
const isWithin = (whole: readonly string[], part: readonly string[]): boolean =>
  whole.length <= part.length && whole.every((each, at) => each === part[at]);

class EveryUpdateRefreshes implements Judge {
  /** By the name of a whole, then by server. */
  readonly #wholes = new Map<Address, Map<string, Server>>();
  readonly #caches = new Map<Address, Server>();
  readonly #ofPart = new Set<string>();
  /** By whole and ticket: when each question came, as a count of records. */
  readonly #came = new Map<string, number>();
  #count = 0;
  readonly #slackMs: number;

  constructor(slackMs: number) {
    this.#slackMs = slackMs;
  }
  take(record: DirectoryRecord, at: number): readonly Found[] | undefined {
    this.#count += 1;
    if (record.k === 'post') return this.#post(record, at);
    if (record.k === 'out') this.#asked(record);
    else if (record.k === 'open') this.#open(record);
    else if (record.k === 'end') this.#caches.delete(record.a);
    return undefined;
  }
  quiescent(): Found[] {
    return [...this.#wholes].flatMap(([at, servers]) =>
      [...servers].flatMap(([name, { unlisted }]) => {
        const what = `${name} spoke of ${unlisted ?? ''}, and was not asked for its list`;
        return unlisted === null ? [] : [{ at, what, kind: 'liveness' as const }];
      }),
    );
  }
  #open({ a, kind, input }: RecordOf<'open'>): void {
    if (kind === 'desktop' || kind === 'finder') this.#wholes.set(nameOf(a), new Map());
    if (kind !== 'cache') return;
    const server = this.#server(nameOf(rootOf(a)), (input as { readonly server: string }).server);
    if (!server) return;
    server.asked.clear();
    server.old.clear();
    this.#caches.set(a, server);
  }
  #server(whole: Address, name: string): Server | undefined {
    const servers = this.#wholes.get(whole);
    const known = servers?.get(name);
    if (!servers || known) return known;
    const server = {
      listed: null,
      asked: new Map<string, number>(),
      old: new Map<string, number>(),
      unlisted: null,
    };
    servers.set(name, server);
    return server;
  }
  #asked({ a, ev }: RecordOf<'out'>): void {
    const { method, params } = ev as Fields;
    if (method === 'resources/list') {
      const [, server = ''] = /\/client:([^/#]+)/.exec(a) ?? [];
      for (const servers of this.#wholes.values()) {
        const known = servers.get(server);
        if (known) known.unlisted = null;
      }
    }
    const cache = this.#caches.get(a);
    if (method !== 'resources/read' || !cache || params?.uri === undefined) return;
    cache.asked.set(params.uri, this.#count);
    cache.old.delete(params.uri);
  }
  #post({ from, a, ev }: RecordOf<'post'>, at: number): readonly Found[] | undefined {
    const {
      type,
      server = '',
      uri = '',
      resources,
      query,
      ticket = '',
      missing = [],
      failure,
    } = ev as Fields;
    const to = nameOf(a);
    if (type === 'aggregate.wanted') {
      const isPart = (query?.window ?? query?.desktop_size ?? null) !== null;
      this.#ofPart[isPart ? 'add' : 'delete'](`${to} ${ticket}`);
      this.#came.set(`${to} ${ticket}`, this.#count);
    } else if (type === 'aggregate.shown') {
      const [by, question] = [nameOf(from), `${nameOf(from)} ${ticket}`];
      const came = this.#came.get(question) ?? 0;
      this.#came.delete(question);
      if (failure === null && !this.#ofPart.has(question)) return this.#shown(by, at, came, missing);
    } else if (type === 'resources.listed') {
      const known = this.#server(to, server);
      if (known) known.listed = resources?.map((each) => each.uri) ?? null;
      if (known && resources === null) known.unlisted = null;
    } else this.#updated(to, server, uri, at);
    return undefined;
  }
  #updated(whole: Address, name: string, uri: string, at: number): void {
    const server = this.#wholes.get(whole)?.get(name);
    const scheme = whole.endsWith('/desktop') ? schemes.desktop : schemes.finder;
    const changed = placeOf(uri, scheme);
    if (!server?.listed) return;
    const meant = server.listed.filter((each) => {
      const place = placeOf(each.replace(/\?.*$/s, ''), scheme);
      return each === uri || (place && changed && isWithin(place, changed));
    });
    for (const each of meant) if (server.asked.has(each)) server.old.set(each, at);
    if (meant.length === 0 && changed && changed.length > 1) server.unlisted = uri;
  }
  /** What was asked for since the question came is how it was then: one that changes all the time is not read for ever. */
  #shown(
    whole: Address,
    now: number,
    came: number,
    missing: readonly { readonly server: string }[],
  ): Found[] {
    const named = new Set(missing.map(({ server }) => server));
    // A catalogue is not shown beside documents that are listed.
    const { toRead, urisIn } = collections[whole.endsWith('/desktop') ? 'desktop' : 'finder'];
    const isShown = (uri: string, listed: readonly string[] | null): boolean =>
      toRead(urisIn((listed ?? []).map((each) => ({ uri: each })))).includes(uri);
    return [...(this.#wholes.get(whole) ?? [])].flatMap(([name, { listed, old, asked }]) =>
      [...old]
        .filter(([uri, at]) => at + this.#slackMs < now && !named.has(name) && isShown(uri, listed))
        .filter(([uri]) => (asked.get(uri) ?? 0) < came)
        .map(([uri]) => ({ at: whole, what: `shows ${uri} as it was before ${name} said that it changed` })),
    );
  }
}

const [whole, cache, log] = ['c/desktop', 'c/desktop/cache:fs#2', 'window://h/log?priority=90'];
const born = [
  opens('c/desktop#1', 'desktop', 'c#1'),
  posts('c#1', whole, 'resources.listed', { server: 'fs', resources: [{ uri: log }] }),
  opens(cache, 'cache', 'c/desktop#1', { server: 'fs', collection: 'desktop' }),
];
const reads = asks(cache, `read ${log}`, 'c/client:fs', 'resources/read', { uri: log });
const updates = (uri: string) => posts('c#1', whole, 'resource.updated', { server: 'fs', uri });
const wants = (query: object = {}, ticket = 't') =>
  posts('c#1', whole, 'aggregate.wanted', { ticket, query });
const shown = (ticket: string, ...missing: readonly object[]) =>
  posts('c/desktop#1', 'host:c', 'aggregate.shown', { ticket, missing, failure: null });
const shows = (...missing: readonly object[]) => shown('t', ...missing);
const lists = asks('c/client:fs/catalog:resources#1', 'list', 'c/client:fs', 'resources/list');
const known = [...born, wants(), reads, shows(), 10];
const said = `shows ${log} as it was before fs said that it changed`;

export const everyUpdateRefreshes: Invariant = {
  invariant: 'every update of a window or a document causes a refresh',
  why: 'A server that says that something changed is believed, in whatever way it writes which: seeds 000 and 001 take any valid URI.',
  sees: [
    ...(['open', 'end', 'out ask', 'post resources.listed', 'post resource.updated'] as const),
    ...(['post aggregate.wanted', 'post aggregate.shown'] as const),
  ],
  open: ({ slackMs }) => new EveryUpdateRefreshes(slackMs),
  violating: [
    {
      how: 'one without its query',
      seen: story(...known, updates('window://h/log'), 10, wants(), shows()),
      said,
    },
    {
      how: 'one with another host',
      seen: story(...known, updates('window://H/log'), 10, wants(), shows()),
      said,
    },
    {
      how: 'one that another question has had read, before it changed',
      seen: story(...known, wants(), reads, updates(log), 10, wants({}, 'late'), shows(), shown('late')),
      said,
    },
    { how: 'a part of it', seen: story(...known, updates('window://h/log/7'), 10, wants(), shows()), said },
    {
      how: 'one that nobody has listed',
      seen: story(...known, updates('window://h/new')),
      until: 'quiescent',
      said: 'fs spoke of window://h/new',
    },
  ],
  passing: [
    {
      how: 'one that is read',
      seen: story(...known, updates('window://h/log'), 10, wants(), reads, shows()),
    },
    {
      how: 'one that changes each time it is read',
      seen: story(...known, wants(), reads, updates(log), reads, updates(log), 10, shows()),
    },
    { how: 'one that is missing', seen: story(...known, updates(log), 10, wants(), shows({ server: 'fs' })) },
    { how: 'another window', seen: story(...known, updates('window://h/lo'), 10, wants(), shows()) },
    {
      how: 'one that nobody has listed',
      seen: story(...known, updates('window://h/new'), lists),
      until: 'quiescent',
    },
    { how: 'what is no window', seen: story(...known, updates('note://h/log')), until: 'quiescent' },
    {
      how: 'a question for another one',
      seen: story(...known, updates(log), 10, wants({ window: 'window://x' }), shows()),
    },
    { how: 'one from before the first record', seen: story(updates(log), shows()), until: 'quiescent' },
  ],
};
