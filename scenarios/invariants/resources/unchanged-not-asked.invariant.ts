import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import { collections } from '../../../machines/resources/collections/index.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { isAnswer, type Found, type Judge, type Invariant, type RecordOf, type Said } from '../invariant.ts';
import { ServerCaches, type ServerCache } from './server-caches.ts';
import { asks, ends, learns, opens, posts, story } from '../record-builders.ts';

type Fields = Said<{
  server: string;
  uri: string;
  resources: readonly { readonly uri: string }[] | null;
  changed: readonly string[];
  uris: readonly string[];
  isAnew: boolean;
  isRenewed: boolean;
  isFresh: boolean;
}>;

class UnchangedNotAsked implements Judge {
  readonly #caches = new ServerCaches();
  /** By the name of a whole and its server: of which it is told when they change. */
  readonly #watched = new Map<string, ReadonlySet<string>>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'out') return this.#asked(record);
    if (record.k === 'in' && isAnswer(record)) this.#caches.answered(record);
    else if (record.k === 'post') this.#post(record);
    else if (record.k === 'open') this.#caches.open(record);
    else if (record.k === 'end') this.#caches.end(record.a);
    return undefined;
  }
  #post({ a, ev }: RecordOf<'post'>): void {
    const said: Fields = ev;
    const { type, server = '', uri = '', resources, changed = [], isRenewed, isFresh } = said;
    if (type === 'cache.refresh') return isFresh ? this.#invalidateAll(a) : undefined;
    if (type === 'resources.watched') return this.#watch(nameOf(a), said);
    if (type === 'resources.listed') this.#unwatch(keyOf(nameOf(a), server), isRenewed ? null : resources);
    for (const cache of this.#caches.of(nameOf(a), server))
      if (type === 'resource.updated') invalidate(cache, [uri]);
      else {
        // What is listed and not to be read, such as a catalogue beside single documents, is not kept.
        const { toRead, urisIn } = collections[cache.collection];
        const listed = new Set(toRead(urisIn(resources ?? [])));
        for (const known of [...cache.reads.keys()]) if (!listed.has(known)) cache.reads.delete(known);
        invalidate(cache, changed);
      }
  }
  /** Somebody wants it as it is now. */
  #invalidateAll(a: Address): void {
    for (const cache of this.#caches.of(wholeOf(a)))
      if (nameOf(cache.a) === nameOf(a))
        for (const reading of cache.reads.values()) reading.isInvalidated = true;
  }
  /** What its server was told is forgotten with its session, and of what is listed no more nobody wants to hear. */
  #unwatch(key: string, resources: Fields['resources'] = null): void {
    const before = this.#watched.get(key);
    if (!before || !resources) return void this.#watched.delete(key);
    const listed = new Set(resources.map(({ uri }) => uri));
    this.#watched.set(key, new Set([...before].filter((uri) => listed.has(uri))));
  }
  /** What was read of one before its server was told to tell of it may be old. */
  #watch(whole: Address, { server = '', uris = [], isAnew }: Fields): void {
    const before = isAnew ? undefined : this.#watched.get(keyOf(whole, server));
    this.#watched.set(keyOf(whole, server), new Set(uris));
    for (const cache of this.#caches.of(whole, server))
      invalidate(
        cache,
        uris.filter((uri) => !before?.has(uri)),
      );
  }
  #asked(record: RecordOf<'out'>): Found | undefined {
    const cache = this.#caches.at(record.a);
    const uri = this.#caches.asked(record);
    if (!cache || uri === undefined) return undefined;
    const known = cache.reads.get(uri);
    if (record.ev.type === 'ask.withdraw') {
      cache.reads.delete(uri);
      return undefined;
    }
    cache.reads.set(uri, { isGood: undefined, isAsked: true, isInvalidated: false });
    const isWatched = this.#watched.get(keyOf(cache.whole, cache.server))?.has(uri) === true;
    return isWatched && known && known.isGood !== false && !known.isInvalidated
      ? { at: record.a, what: `asked for ${uri}, which it knows` }
      : undefined;
  }
}
const wholeOf = (cache: Address): Address => cache.slice(0, cache.lastIndexOf('/'));
const keyOf = (whole: Address, server: string): string => `${whole} ${server}`;
function invalidate({ collection, reads }: ServerCache, uris: readonly string[]): void {
  for (const uri of uris)
    for (const touched of collections[collection].touchedBy(uri, [...reads.keys()])) {
      const reading = reads.get(touched);
      if (reading) reading.isInvalidated = true;
    }
}

const [whole, cache, one, page] = ['c/finder', 'c/finder/cache:fs#2', 'dpe://h/1', 'dpe://h/1/pages/0'];
const born = opens(cache, 'cache', 'c/finder#1', { server: 'fs', collection: 'finder' });
const lists = (uris: readonly string[], ...changed: readonly string[]) =>
  posts('c#1', whole, 'resources.listed', {
    server: 'fs',
    changed,
    resources: uris.map((uri) => ({ uri })),
  });
const gone = posts('c#1', whole, 'resources.listed', { server: 'fs', resources: null });
const watches = (uris: readonly string[], isAnew = false) =>
  posts('c#1', whole, 'resources.watched', { server: 'fs', by: 'finder', uris, isAnew });
const updates = (uri: string) => posts('c#1', whole, 'resource.updated', { server: 'fs', uri });
const asksFor = asks(cache, `read ${one}`, 'c/client:fs', 'resources/read', { uri: one });
const text = JSON.stringify({
  doc_ref: '1',
  uri: one,
  file_uri: 'file:///1',
  file_type: 'md',
  title: '1',
  page_count: 1,
});
const catalogue = 'dpe://h';
const asksForAll = asks(cache, `read ${catalogue}`, 'c/client:fs', 'resources/read', { uri: catalogue });
const all = { contents: [{ uri: catalogue, text: JSON.stringify({ documents: [JSON.parse(text)] }) }] };
const givesAll = learns(cache, `read ${catalogue}`, 'ask.answered', { result: all });
const gives = (given: string) =>
  learns(cache, `read ${one}`, 'ask.answered', { result: { contents: [{ uri: one, text: given }] } });
const refuses = learns(cache, `read ${one}`, 'ask.refused', { failure: { code: 4201 } });
const told = watches([one], true);
const known = [born, lists([one]), told, asksFor, gives(text)];

export const unchangedNotAsked: Invariant = {
  invariant: 'an unchanged Desktop or Finder asks no server',
  why: 'Agents ask often, servers are slow: what was read is known until its server says that it changed, vanishes, or could not give it.',
  sees: [
    ...(['open', 'end', 'in ask', 'out ask', 'out ask.withdraw'] as const),
    ...(['post resources.listed', 'post resources.watched', 'post resource.updated'] as const),
    'post cache.refresh',
  ],
  open: () => new UnchangedNotAsked(),
  violating: [
    {
      how: 'the same question twice',
      seen: story(...known, asksFor),
      said: `asked for ${one}, which it knows`,
    },
    { how: 'the same list', seen: story(...known, lists([one]), asksFor), said: 'which it knows' },
    {
      how: 'a change of another one',
      seen: story(...known, updates('dpe://h/2'), asksFor),
      said: 'which it knows',
    },
    {
      how: 'one that is asked for already',
      seen: story(born, told, asksFor, asksFor),
      said: 'which it knows',
    },
  ],
  passing: [
    {
      how: 'one that was listed no more for a while, and is watched anew after it was read',
      seen: story(...known, lists([]), lists([one]), asksFor, gives(text), watches([one]), asksFor),
    },
    {
      how: 'somebody who wants it as it is now',
      seen: story(
        ...known,
        posts('c/finder#1', 'c/finder/cache:fs', 'cache.refresh', { isFresh: true }),
        asksFor,
      ),
    },
    { how: 'a change of it', seen: story(...known, updates(one), asksFor) },
    { how: 'a change of a part of it', seen: story(...known, updates(page), asksFor) },
    {
      how: 'a change while it is asked for',
      seen: story(born, told, asksFor, updates(one), gives(text), asksFor),
    },
    { how: 'another entry of the list', seen: story(...known, lists([one], one), asksFor) },
    { how: 'one that was away', seen: story(...known, lists([]), lists([one]), asksFor) },
    { how: 'one that was refused', seen: story(born, told, asksFor, refuses, asksFor) },
    { how: 'one that is none', seen: story(born, told, asksFor, gives('{'), asksFor) },
    { how: 'a server that came back', seen: story(...known, ends(cache), born, asksFor) },
    {
      how: 'a server that came back, and was not told yet of what it is to tell',
      seen: story(...known, gone, ends(cache), born, lists([one]), asksFor, gives(text), asksFor),
    },
    {
      how: 'a catalogue that was not wanted while a single document was listed beside it',
      seen: story(
        ...[born, lists([catalogue]), watches([catalogue], true), asksForAll, givesAll],
        ...[lists([catalogue, one]), lists([catalogue]), asksForAll],
      ),
    },
    { how: 'one of which nobody tells', seen: story(born, asksFor, gives(text), asksFor) },
    {
      how: 'one of which somebody tells from now on',
      seen: story(born, asksFor, gives(text), told, asksFor),
    },
    { how: 'a session anew', seen: story(...known, told, asksFor) },
    { how: 'a server cache from before the first record', seen: story(asksFor, asksFor) },
  ],
};
