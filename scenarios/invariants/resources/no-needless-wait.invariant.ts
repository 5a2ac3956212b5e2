import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import { collections } from '../../../machines/resources/collections/index.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { isAnswer, type Found, type Judge, type Invariant, type RecordOf, type Said } from '../invariant.ts';
import { asks, learns, opens, orders, posts, story, withdraws } from '../record-builders.ts';

interface Question {
  readonly whole: Address;
  readonly ticket: string;
  readonly window: string | null;
  readonly isNone: boolean;
}
/** One server as a whole knows it. */
interface Server {
  uris: readonly string[];
  isAwaited: boolean;
  /** Its list was asked for anew, for this question. */
  owed: number;
  /** What it is being asked for. */
  readonly asked: Set<string>;
  /** Nobody waits for these any more, as long as they are listed: they did not come in time. Since when. */
  readonly slow: Map<string, number>;
}
type Fields = Said<{
  server: string;
  ticket: string;
  query: { readonly window?: string | null; readonly desktop_size?: number | null };
  resources: readonly { readonly uri: string }[] | null;
  isAwaited: boolean;
  isFresh: boolean;
  n: number;
  upTo: number;
  id: string;
}>;
const isWhole = (name: Address): boolean => /\/(desktop|finder)$/.test(name);
const wholeOf = (cache: Address): Address => cache.slice(0, cache.lastIndexOf('/'));
/** Of what it lists the ones that are read for this whole. */
function readOf(whole: Address, { uris }: Server): readonly string[] {
  const { urisIn, toRead } = collections[whole.endsWith('/desktop') ? 'desktop' : 'finder'];
  return toRead(urisIn(uris.map((uri) => ({ uri }))));
}
const uriOf = (id = ''): string => id.slice('read '.length);
/** Timers and turns of a real host take a moment. */
const momentMs = 50;

class NoNeedlessWait implements Judge {
  readonly #slackMs: number;
  /** By whole and server, and by the address of a server cache. */
  readonly #servers = new Map<Address, Map<string, Server>>();
  readonly #caches = new Map<Address, Server>();
  readonly #questions = new Map<string, Question>();
  #last = 0;

  constructor(slackMs: number) {
    this.#slackMs = slackMs;
  }
  take(record: DirectoryRecord, at: number): readonly Found[] | undefined {
    const found = at - this.#last > this.#slackMs + momentMs ? this.#idle() : undefined;
    this.#last = at;
    if (record.k === 'post') this.#post(record);
    else if (record.k === 'open') this.#open(record);
    else if (record.k === 'end') this.#end(record.a);
    else if (record.k === 'out') this.#asked(record, at);
    else if (record.k === 'in' && isAnswer(record)) this.#answered(record);
    return found;
  }
  /** Time has passed, and in it some waited of whom nobody owed anything. */
  #idle(): Found[] {
    return [...this.#questions].flatMap(([key, question]) => {
      if (this.#needed(question).some((server) => this.#owes(server))) return [];
      this.#questions.delete(key);
      const what = `${question.ticket} waits, and no server that it needs owes an answer`;
      return [{ at: question.whole, what, kind: 'liveness' as const }];
    });
  }
  #needed({ whole, window, isNone }: Question): readonly Server[] {
    const all = [...(this.#servers.get(whole)?.values() ?? [])];
    const listing = window === null ? [] : all.filter(({ uris }) => uris.includes(window));
    return isNone ? [] : listing.length > 0 ? listing : all;
  }
  #owes({ isAwaited, owed, asked, slow }: Server): boolean {
    return isAwaited || owed > 0 || [...asked].some((uri) => !slow.has(uri));
  }
  #server(whole: Address, name: string): Server {
    const servers = this.#servers.get(whole) ?? new Map<string, Server>();
    this.#servers.set(whole, servers);
    const known = servers.get(name);
    if (known) return known;
    const server = { uris: [], isAwaited: false, owed: 0, asked: new Set<string>(), slow: new Map() };
    servers.set(name, server);
    return server;
  }
  #open({ a, kind, input }: RecordOf<'open'>): void {
    if (kind === 'desktop' || kind === 'finder') this.#servers.set(nameOf(a), new Map());
    if (kind !== 'cache') return;
    const server = this.#server(wholeOf(nameOf(a)), (input as { readonly server: string }).server);
    server.asked.clear();
    server.slow.clear();
    this.#caches.set(a, server);
  }
  #end(a: Address): void {
    this.#caches.get(a)?.asked.clear();
    this.#caches.delete(a);
    for (const [key, { whole }] of this.#questions) if (whole === nameOf(a)) this.#questions.delete(key);
  }
  #asked({ a, ev }: RecordOf<'out'>, at: number): void {
    const cache = this.#caches.get(a);
    if (!cache) return;
    const uri = uriOf((ev as Fields).id);
    if (ev.type === 'ask.withdraw') {
      cache.asked.delete(uri);
      // A catalogue is not read any more as soon as a document is listed: that did not come too late.
      const isRead = readOf(wholeOf(nameOf(a)), cache).includes(uri);
      if (isRead && !cache.slow.has(uri)) cache.slow.set(uri, at);
      return;
    }
    // One that is asked for once more is withdrawn first, in the same moment.
    if (cache.slow.get(uri) === at) cache.slow.delete(uri);
    cache.asked.add(uri);
  }
  #answered({ a, ev }: RecordOf<'in'>): void {
    const cache = this.#caches.get(a);
    const uri = uriOf((ev as Fields).id);
    cache?.asked.delete(uri);
    cache?.slow.delete(uri);
  }
  /** What is listed no more is forgotten: one that comes back is new, and is waited for once, however slow it was. */
  #forget(whole: Address, known: Server): void {
    if (known.slow.size === 0) return;
    const read = new Set(readOf(whole, known));
    for (const uri of known.slow.keys()) if (!read.has(uri)) known.slow.delete(uri);
  }
  #post({ from, a, ev, dead }: RecordOf<'post'>): void {
    const {
      type,
      server = '',
      ticket = '',
      query,
      resources,
      isAwaited,
      isFresh,
      n = 0,
      upTo = 0,
    } = ev as Fields;
    const [to, by] = [nameOf(a), nameOf(from)];
    if (type === 'aggregate.shown') this.#questions.delete(`${by} ${ticket}`);
    else if (type === 'aggregate.wanted') {
      if (dead !== undefined || !isWhole(to) || !this.#servers.has(to)) return;
      const { window = null, desktop_size: size = null } = query ?? {};
      this.#questions.set(`${to} ${ticket}`, {
        whole: to,
        ticket,
        window,
        isNone: size !== null && size <= 0,
      });
    } else if (type === 'resources.relist') {
      if (n > 0 && isWhole(by)) this.#server(by, server).owed = n;
    } else if (type === 'resources.listed') {
      const known = this.#server(to, server);
      known.uris = (resources ?? []).map(({ uri }) => uri);
      this.#forget(to, known);
      known.isAwaited = isAwaited === true;
      if (resources === null || upTo >= known.owed) known.owed = 0;
    } else if (isFresh === true)
      for (const [cache, known] of this.#caches) if (nameOf(cache) === to) known.slow.clear();
  }
}

const [whole, good, bad] = ['c/desktop', 'c/desktop/cache:a#2', 'c/desktop/cache:b#3'];
const [one, two, three] = ['window://a/1', 'window://b/1', 'window://b/2'];
const lists = (server: string, uri: string, more: object = {}) =>
  posts('c#1', whole, 'resources.listed', { server, resources: [{ uri }], isAwaited: false, ...more });
const born = [
  opens('c/desktop#1', 'desktop', 'c#1'),
  ...[lists('a', one), lists('b', two)],
  opens(good, 'cache', 'c/desktop#1', { server: 'a', collection: 'desktop' }),
  opens(bad, 'cache', 'c/desktop#1', { server: 'b', collection: 'desktop' }),
];
const wants = (query: object = {}) => posts('c#1', whole, 'aggregate.wanted', { ticket: 't', query });
const shows = posts('c/desktop#1', 'host:c', 'aggregate.shown', { ticket: 't' });
const reads = (cache: Address, uri: string) =>
  asks(cache, `read ${uri}`, 'c/client:x', 'resources/read', { uri });
const gives = (cache: Address, uri: string) => learns(cache, `read ${uri}`);
const later = orders('c', 'server.stop');
const hangs = [...born, wants(), reads(good, one), gives(good, one), reads(bad, two)];
const hung = [...hangs, 500, withdraws(bad, `read ${two}`), shows, 500];
const asksAgain = [wants(), reads(bad, two), 500, later];

const [finder, found] = ['c/finder', 'c/finder/cache:b#3'];
const [catalogue, document, note] = ['dpe://b', 'dpe://b/d1', 'note://b/1'];
const listsIn = (server: string, uris: readonly string[]) =>
  posts('c#1', finder, 'resources.listed', { server, resources: uris.map((uri) => ({ uri })) });
const asksFinder = posts('c#1', finder, 'aggregate.wanted', { ticket: 't', query: {} });
const hungCatalogue = [
  ...[opens('c/finder#1', 'finder', 'c#1'), listsIn('b', [catalogue])],
  ...[opens(found, 'cache', 'c/finder#1', { server: 'b', collection: 'finder' }), asksFinder],
  ...[reads(found, catalogue), 500, withdraws(found, `read ${catalogue}`)],
  ...[posts('c/finder#1', 'host:c', 'aggregate.shown', { ticket: 't' }), 500],
];
const asksCatalogue = [asksFinder, reads(found, catalogue), 500, later];

export const noNeedlessWait: Invariant = {
  invariant: 'an answer never waits for a server that it does not need',
  why: 'One server that hangs costs its own windows, once: who asks for others, or asks again, has the answer at once.',
  sees: [
    ...(['open', 'end', 'in', 'out ask', 'out ask.withdraw', 'post cache.refresh'] as const),
    ...(['post aggregate.wanted', 'post aggregate.shown'] as const),
    ...(['post resources.listed', 'post resources.relist'] as const),
  ],
  open: ({ slackMs }) => new NoNeedlessWait(slackMs),
  violating: [
    {
      how: 'one window, and another server is waited for',
      seen: story(...hangs, shows, wants({ window: one }), 500, later),
      said: 't waits',
    },
    {
      how: 'no window at all',
      seen: story(...hangs, shows, wants({ desktop_size: 0 }), 500, later),
      said: 't waits',
    },
    {
      how: 'a server that hung before, and is asked by and by',
      seen: story(
        ...hangs,
        500,
        withdraws(bad, `read ${two}`),
        shows,
        500,
        reads(bad, two),
        wants(),
        500,
        later,
      ),
      said: 't waits',
    },
    {
      how: 'a window that hung before and is listed still, beside another',
      seen: story(...hung, lists('b', two, { resources: [{ uri: two }, { uri: three }] }), ...asksAgain),
      said: 't waits',
    },
    {
      how: 'a catalogue that hung before and is listed still',
      seen: story(...hungCatalogue, listsIn('b', [catalogue, note]), ...asksCatalogue),
      said: 't waits',
    },
    { how: 'all of it is there', seen: story(...hangs, gives(bad, two), 500, later), said: 't waits' },
  ],
  passing: [
    { how: 'a server that is waited for once', seen: story(...hangs, 500, later, shows) },
    {
      how: 'a window of a server that hangs',
      seen: story(...hangs, shows, wants({ window: two }), 500, later),
    },
    {
      how: 'one that is asked for once more, because it has changed',
      seen: story(...hangs, 500, withdraws(bad, `read ${two}`), reads(bad, two), 500, later, shows),
    },
    {
      how: 'a list that has not come',
      seen: story(...born, lists('b', two, { isAwaited: true }), wants(), 500, later),
    },
    {
      how: 'a list that somebody wants anew',
      seen: story(
        ...born,
        wants(),
        posts('c/desktop#1', 'c', 'resources.relist', { server: 'b', n: 1 }),
        500,
        later,
      ),
    },
    {
      how: 'one that wants what hangs anew',
      seen: story(
        ...[...hangs, 500, withdraws(bad, `read ${two}`), shows, wants()],
        ...[
          posts('c/desktop#1', nameOf(bad), 'cache.refresh', { isFresh: true }),
          reads(bad, two),
          500,
          later,
        ],
      ),
    },
    {
      how: 'a window that hung, vanished and is listed again',
      seen: story(...hung, lists('b', three), lists('b', two), ...asksAgain),
    },
    {
      how: 'a catalogue that hung, and was not read while a document was listed beside it',
      seen: story(
        ...[...hungCatalogue, listsIn('b', [catalogue, document]), withdraws(found, `read ${catalogue}`)],
        ...[listsIn('b', [catalogue]), ...asksCatalogue],
      ),
    },
    { how: 'a question from before the first record', seen: story(shows, 500, later) },
  ],
};
