import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import { collections } from '../../../machines/resources/collections/index.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { isAnswer, type Found, type Judge, type Invariant, type RecordOf, type Said } from '../invariant.ts';
import { ServerCaches, type ServerCache } from './server-caches.ts';
import { asks, ends, learns, opens, posts, story, withdraws } from '../record-builders.ts';

type Fields = Said<{
  server: string;
  resources: readonly { readonly uri: string }[] | null;
  missing: readonly { readonly server: string }[];
  failure: unknown;
  isAwaited: boolean;
  unheard: readonly { readonly uri: string }[];
  ticket: string;
  query: { readonly window?: unknown; readonly desktop_size?: unknown };
  n: number;
  upTo: number;
}>;
/** What its server lists, as it is read for the whole; and that it was listed otherwise since it was read last. */
interface Listed {
  uris: readonly string[];
  isOther: boolean;
}

class MissingServersNamed implements Judge {
  readonly #caches = new ServerCaches();
  /** By the name of a whole and its server. */
  readonly #listed = new Map<string, Listed>();
  /** Who lists something that breaks a rule: named, too. */
  readonly #refusing = new Set<string>();
  /** Whose list has not come or could not be had, and whose server cache has broken: named, whatever is known of them. */
  readonly #excused = new Set<string>();
  /** Whose list was asked for anew and has not come, and for which question. */
  readonly #owed = new Map<string, number>();
  /** By whole and ticket: questions for a part of it, which does not need all servers. */
  readonly #ofPart = new Set<string>();

  take(record: DirectoryRecord): Found | readonly Found[] | undefined {
    if (record.k === 'post') return this.#post(record);
    if (record.k === 'in' && isAnswer(record)) this.#caches.answered(record);
    else if (record.k === 'out') this.#asked(record);
    else if (record.k === 'open') this.#open(record);
    else if (record.k === 'end') this.#end(record);
    return undefined;
  }
  #open(record: RecordOf<'open'>): void {
    this.#caches.open(record);
    const cache = this.#caches.at(record.a);
    if (cache) this.#excused.delete(keyOf(cache.whole, cache.server));
  }
  #end({ a, why }: RecordOf<'end'>): void {
    const cache = this.#caches.at(a);
    if (cache && why === 'failed') this.#excused.add(keyOf(cache.whole, cache.server));
    this.#caches.end(a);
  }
  #asked(record: RecordOf<'out'>): void {
    const cache = this.#caches.at(record.a);
    const uri = this.#caches.asked(record);
    if (!cache || uri === undefined) return;
    // Who does not wait any more has it not.
    if (record.ev.type === 'ask.withdraw')
      cache.reads.set(uri, { isGood: false, isAsked: false, isInvalidated: false });
    else cache.reads.set(uri, { isGood: undefined, isAsked: true, isInvalidated: false });
  }
  #post({ from, a, ev }: RecordOf<'post'>): readonly Found[] | undefined {
    const { type, server = '', resources, missing = [], failure, isAwaited, unheard = [] } = ev as Fields;
    const { ticket = '', query, n = 0, upTo = 0 } = ev as Fields;
    if (type === 'aggregate.wanted') {
      const isPart = (query?.window ?? query?.desktop_size ?? null) !== null;
      this.#ofPart[isPart ? 'add' : 'delete'](keyOf(nameOf(a), ticket));
    } else if (type === 'resources.relist') {
      if (n > 0) this.#owed.set(keyOf(nameOf(from), server), n);
    } else if (type === 'resources.listed') {
      const key = keyOf(nameOf(a), server);
      const hasNone = isAwaited === true || (failure !== null && failure !== undefined);
      this.#excused[hasNone ? 'add' : 'delete'](key);
      const { refusedIn, urisIn } = collectionAt(nameOf(a));
      const isRefused = refusedIn(resources ?? []).length > 0 || urisIn(unheard).length > 0;
      this.#refusing[isRefused ? 'add' : 'delete'](key);
      if (upTo >= (this.#owed.get(key) ?? 0)) this.#owed.delete(key);
      this.#list(nameOf(a), server, resources ?? []);
    } else if (type === 'cache.refreshed') {
      const listed = this.#listed.get(keyOf(nameOf(a), server));
      if (listed) listed.isOther = false;
    } else if (failure === null && from.includes('/'))
      return this.#shown(nameOf(from), from, ticket, new Set(missing.map((each) => each.server)));
    return undefined;
  }
  #list(whole: Address, server: string, resources: readonly { readonly uri: string }[]): void {
    const key = keyOf(whole, server);
    const collection = collectionAt(whole);
    this.#listed.set(key, { uris: collection.toRead(collection.urisIn(resources)), isOther: true });
  }
  #shown(whole: Address, at: Address, ticket: string, named: ReadonlySet<string>): Found[] {
    const isPart = this.#ofPart.has(keyOf(whole, ticket));
    const caches = this.#caches.of(whole);
    const known = new Set(caches.map(({ server }) => server));
    return [
      ...[...named]
        .filter((server) => !known.has(server) && !this.#isExcused(whole, server))
        .map((server) => ({ at, what: `names ${server}, which has nothing to show` })),
      ...(isPart ? [] : [...this.#refusing])
        .flatMap((key) => (key.startsWith(keyOf(whole, '')) ? [key.slice(keyOf(whole, '').length)] : []))
        .filter((server) => !named.has(server))
        .map((server) => ({ at, what: `does not name ${server}, of which something is not taken in` })),
      ...caches.flatMap((cache) => {
        const isNamed = named.has(cache.server);
        return isPart && !isNamed ? [] : this.#judged(cache, at, isNamed);
      }),
    ];
  }
  #isExcused(whole: Address, server: string): boolean {
    return this.#excused.has(keyOf(whole, server)) || this.#refusing.has(keyOf(whole, server));
  }
  #judged({ whole, server, reads }: ServerCache, at: Address, isNamed: boolean): Found[] {
    const listed = this.#listed.get(keyOf(whole, server));
    // From before the first record, or not read since it changed.
    if (!listed || listed.isOther) return [];
    const given = listed.uris.map((uri) => reads.get(uri)?.isGood);
    if (isNamed)
      return !this.#isExcused(whole, server) &&
        !this.#owed.has(keyOf(whole, server)) &&
        given.every((isGood) => isGood === true)
        ? [{ at, what: `names ${server}, of which nothing is missing` }]
        : [];
    return given.includes(false)
      ? [{ at, what: `does not name ${server}, of which something is missing` }]
      : [];
  }
}
const collectionAt = (whole: Address) =>
  whole.endsWith('/desktop') ? collections.desktop : collections.finder;
const keyOf = (whole: Address, server: string): string => `${whole} ${server}`;

const [whole, cache, one, two] = ['c/desktop', 'c/desktop/cache:fs#2', 'window://h/1', 'window://h/2'];
const born = [
  posts('c#1', whole, 'resources.listed', { server: 'fs', resources: [{ uri: one }, { uri: two }] }),
  opens(cache, 'cache', 'c/desktop#1', { server: 'fs', collection: 'desktop' }),
];
const lists = (standing: object) =>
  posts('c#1', whole, 'resources.listed', {
    server: 'fs',
    resources: [],
    isAwaited: false,
    failure: null,
    ...standing,
  });
const asksFor = (uri: string) => asks(cache, `read ${uri}`, 'c/client:fs', 'resources/read', { uri });
const gives = (uri: string) =>
  learns(cache, `read ${uri}`, 'ask.answered', { result: { contents: [{ uri, text: 'x' }] } });
const gibberish = learns(cache, `read ${two}`, 'ask.answered', { result: { contents: 'none' } });
const refuses = learns(cache, `read ${two}`, 'ask.refused', { failure: { code: 404 } });
const refreshed = posts(cache, 'c/desktop', 'cache.refreshed', { server: 'fs' });
const shows = (...missing: readonly string[]) =>
  posts('c/desktop#1', 'host:c', 'aggregate.shown', {
    ticket: 't',
    failure: null,
    missing: missing.map((server) => ({ server, reason: 'x' })),
  });
const reading = [...born, asksFor(one), asksFor(two), gives(one)];

export const missingServersNamed: Invariant = {
  invariant: 'an answer names the servers of which something is missing, and no others',
  why: 'A slow or broken server costs its own windows and documents only, and who reads the answer knows that there is more.',
  sees: [
    ...(['open', 'end', 'in ask', 'out ask', 'out ask.withdraw'] as const),
    ...(['post resources.listed', 'post resources.relist', 'post cache.refreshed'] as const),
    ...(['post aggregate.wanted', 'post aggregate.shown'] as const),
  ],
  open: () => new MissingServersNamed(),
  violating: [
    {
      how: 'a refusal that is passed over',
      seen: story(...reading, refuses, refreshed, shows()),
      said: 'does not name fs',
    },
    {
      how: 'an answer that is none',
      seen: story(...reading, gibberish, refreshed, shows()),
      said: 'does not name fs',
    },
    {
      how: 'a server that was too slow',
      seen: story(...reading, withdraws(cache, `read ${two}`), refreshed, shows()),
      said: 'does not name fs',
    },
    {
      how: 'a server that gave all',
      seen: story(...reading, gives(two), refreshed, shows('fs')),
      said: 'nothing is missing',
    },
    {
      how: 'a window whose priority is out of range',
      seen: story(lists({ resources: [{ uri: 'window://h/1?priority=101' }] }), shows()),
      said: 'does not name fs',
    },
    {
      how: 'a server that has windows and does not say when they change',
      seen: story(lists({ resources: null, unheard: [{ uri: one }] }), shows()),
      said: 'does not name fs',
    },
    { how: 'a server that has nothing', seen: story(shows('other')), said: 'has nothing to show' },
    {
      how: 'a server whose list has come since',
      seen: story(lists({ isAwaited: true }), lists({}), shows('fs')),
      said: 'has nothing to show',
    },
  ],
  passing: [
    { how: 'all of it', seen: story(...reading, gives(two), refreshed, shows()) },
    { how: 'a part of it', seen: story(...reading, refuses, refreshed, shows('fs')) },
    {
      how: 'one that is given the next time',
      seen: story(...reading, refuses, refreshed, shows('fs'), asksFor(two), gives(two), refreshed, shows()),
    },
    { how: 'a list that came while others were waited for', seen: story(...born, shows()) },
    {
      how: 'a URI that breaks a rule, named',
      seen: story(lists({ resources: [{ uri: 'window:///1' }] }), shows('fs')),
    },
    {
      how: 'a server that has documents and does not say when they change',
      seen: story(lists({ resources: null, unheard: [{ uri: 'dpe://h/d' }] }), shows()),
    },
    { how: 'one whose list has not come', seen: story(lists({ isAwaited: true }), shows('fs')) },
    {
      how: 'one window, of a server that gave it',
      seen: story(
        ...reading,
        refuses,
        refreshed,
        posts('c#1', whole, 'aggregate.wanted', { ticket: 't', query: { window: one } }),
        shows(),
      ),
    },
    {
      how: 'one whose list was asked for anew and has not come',
      seen: story(
        ...reading,
        gives(two),
        refreshed,
        posts('c/desktop#1', 'c', 'resources.relist', { server: 'fs', n: 2 }),
        shows('fs'),
      ),
    },
    { how: 'one whose list could not be had', seen: story(lists({ failure: 'no' }), shows('fs')) },
    { how: 'one whose server cache has broken', seen: story(...reading, ends(cache, 'failed'), shows('fs')) },
    {
      how: 'a closing computer',
      seen: story(
        ...reading,
        posts('c/desktop#1', 'host:c', 'aggregate.shown', { failure: {}, missing: [] }),
      ),
    },
    { how: 'one from before the first record', seen: story(refreshed, shows()) },
  ],
};
