import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import { systems } from '../../../machines/resources/systems/index.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { isAnswer, type Found, type Judge, type Law, type RecordOf, type Said } from '../law.ts';
import { Shelves, type Shelf } from './shelves.ts';
import { asks, ends, learns, opens, posts, story, withdraws } from '../telling.ts';

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

class NamedMissing implements Judge {
  readonly #shelves = new Shelves();
  /** By the name of a whole and its server. */
  readonly #listed = new Map<string, Listed>();
  /** Who lists something that breaks a rule: named, too. */
  readonly #refusing = new Set<string>();
  /** Whose list has not come or could not be had, and whose shelf has broken: named, whatever is known of them. */
  readonly #excused = new Set<string>();
  /** Whose list was asked for anew and has not come, and for which question. */
  readonly #owed = new Map<string, number>();
  /** By whole and ticket: questions for a part of it, which does not need all servers. */
  readonly #ofPart = new Set<string>();

  take(record: DirectoryRecord): Found | readonly Found[] | undefined {
    if (record.k === 'post') return this.#post(record);
    if (record.k === 'in' && isAnswer(record)) this.#shelves.answered(record);
    else if (record.k === 'out') this.#asked(record);
    else if (record.k === 'open') this.#open(record);
    else if (record.k === 'end') this.#end(record);
    return undefined;
  }
  #open(record: RecordOf<'open'>): void {
    this.#shelves.open(record);
    const shelf = this.#shelves.at(record.a);
    if (shelf) this.#excused.delete(keyOf(shelf.whole, shelf.server));
  }
  #end({ a, why }: RecordOf<'end'>): void {
    const shelf = this.#shelves.at(a);
    if (shelf && why === 'failed') this.#excused.add(keyOf(shelf.whole, shelf.server));
    this.#shelves.end(a);
  }
  #asked(record: RecordOf<'out'>): void {
    const shelf = this.#shelves.at(record.a);
    const uri = this.#shelves.asked(record);
    if (!shelf || uri === undefined) return;
    // Who does not wait any more has it not.
    if (record.ev.type === 'ask.withdraw')
      shelf.reads.set(uri, { isGood: false, isAsked: false, isSpoilt: false });
    else shelf.reads.set(uri, { isGood: undefined, isAsked: true, isSpoilt: false });
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
      const { refusedIn, urisIn } = systemAt(nameOf(a));
      const isRefused = refusedIn(resources ?? []).length > 0 || urisIn(unheard).length > 0;
      this.#refusing[isRefused ? 'add' : 'delete'](key);
      if (upTo >= (this.#owed.get(key) ?? 0)) this.#owed.delete(key);
      this.#list(nameOf(a), server, resources ?? []);
    } else if (type === 'shelf.filled') {
      const listed = this.#listed.get(keyOf(nameOf(a), server));
      if (listed) listed.isOther = false;
    } else if (failure === null && from.includes('/'))
      return this.#shown(nameOf(from), from, ticket, new Set(missing.map((each) => each.server)));
    return undefined;
  }
  #list(whole: Address, server: string, resources: readonly { readonly uri: string }[]): void {
    const key = keyOf(whole, server);
    const system = systemAt(whole);
    this.#listed.set(key, { uris: system.toRead(system.urisIn(resources)), isOther: true });
  }
  #shown(whole: Address, at: Address, ticket: string, named: ReadonlySet<string>): Found[] {
    const isPart = this.#ofPart.has(keyOf(whole, ticket));
    const shelves = this.#shelves.of(whole);
    const known = new Set(shelves.map(({ server }) => server));
    return [
      ...[...named]
        .filter((server) => !known.has(server) && !this.#isExcused(whole, server))
        .map((server) => ({ at, what: `names ${server}, which has nothing to show` })),
      ...(isPart ? [] : [...this.#refusing])
        .flatMap((key) => (key.startsWith(keyOf(whole, '')) ? [key.slice(keyOf(whole, '').length)] : []))
        .filter((server) => !named.has(server))
        .map((server) => ({ at, what: `does not name ${server}, of which something is not taken in` })),
      ...shelves.flatMap((shelf) => {
        const isNamed = named.has(shelf.server);
        return isPart && !isNamed ? [] : this.#judged(shelf, at, isNamed);
      }),
    ];
  }
  #isExcused(whole: Address, server: string): boolean {
    return this.#excused.has(keyOf(whole, server)) || this.#refusing.has(keyOf(whole, server));
  }
  #judged({ whole, server, reads }: Shelf, at: Address, isNamed: boolean): Found[] {
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
const systemAt = (whole: Address) => (whole.endsWith('/desktop') ? systems.desktop : systems.finder);
const keyOf = (whole: Address, server: string): string => `${whole} ${server}`;

const [whole, shelf, one, two] = ['c/desktop', 'c/desktop/shelf:fs#2', 'window://h/1', 'window://h/2'];
const born = [
  posts('c#1', whole, 'resources.listed', { server: 'fs', resources: [{ uri: one }, { uri: two }] }),
  opens(shelf, 'shelf', 'c/desktop#1', { server: 'fs', system: 'desktop' }),
];
const lists = (standing: object) =>
  posts('c#1', whole, 'resources.listed', {
    ...{ server: 'fs', resources: [], isAwaited: false, failure: null },
    ...standing,
  });
const asksFor = (uri: string) => asks(shelf, `read ${uri}`, 'c/client:fs', 'resources/read', { uri });
const gives = (uri: string) =>
  learns(shelf, `read ${uri}`, 'ask.answered', { result: { contents: [{ uri, text: 'x' }] } });
const gibberish = learns(shelf, `read ${two}`, 'ask.answered', { result: { contents: 'none' } });
const refuses = learns(shelf, `read ${two}`, 'ask.refused', { failure: { code: 404 } });
const filled = posts(shelf, 'c/desktop', 'shelf.filled', { server: 'fs' });
const shows = (...missing: readonly string[]) =>
  posts('c/desktop#1', 'host:c', 'aggregate.shown', {
    ...{ ticket: 't', failure: null },
    missing: missing.map((server) => ({ server, reason: 'x' })),
  });
const reading = [...born, asksFor(one), asksFor(two), gives(one)];

export const namedMissing: Law = {
  law: 'an answer names the servers of which something is missing, and no others',
  why: 'A slow or broken server costs its own windows and documents only, and who reads the answer knows that there is more.',
  sees: [
    ...(['open', 'end', 'in ask', 'out ask', 'out ask.withdraw'] as const),
    ...(['post resources.listed', 'post resources.relist', 'post shelf.filled'] as const),
    ...(['post aggregate.wanted', 'post aggregate.shown'] as const),
  ],
  open: () => new NamedMissing(),
  crimes: [
    {
      how: 'a refusal that is passed over',
      seen: story(...reading, refuses, filled, shows()),
      said: 'does not name fs',
    },
    {
      how: 'an answer that is none',
      seen: story(...reading, gibberish, filled, shows()),
      said: 'does not name fs',
    },
    {
      how: 'a server that was too slow',
      seen: story(...reading, withdraws(shelf, `read ${two}`), filled, shows()),
      said: 'does not name fs',
    },
    {
      how: 'a server that gave all',
      seen: story(...reading, gives(two), filled, shows('fs')),
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
  lawful: [
    { how: 'all of it', seen: story(...reading, gives(two), filled, shows()) },
    { how: 'a part of it', seen: story(...reading, refuses, filled, shows('fs')) },
    {
      how: 'one that is given the next time',
      seen: story(...reading, refuses, filled, shows('fs'), asksFor(two), gives(two), filled, shows()),
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
        filled,
        posts('c#1', whole, 'aggregate.wanted', { ticket: 't', query: { window: one } }),
        shows(),
      ),
    },
    {
      how: 'one whose list was asked for anew and has not come',
      seen: story(
        ...reading,
        gives(two),
        filled,
        posts('c/desktop#1', 'c', 'resources.relist', { server: 'fs', n: 2 }),
        shows('fs'),
      ),
    },
    { how: 'one whose list could not be had', seen: story(lists({ failure: 'no' }), shows('fs')) },
    { how: 'one whose shelf has broken', seen: story(...reading, ends(shelf, 'failed'), shows('fs')) },
    {
      how: 'a closing computer',
      seen: story(
        ...reading,
        posts('c/desktop#1', 'host:c', 'aggregate.shown', { failure: {}, missing: [] }),
      ),
    },
    { how: 'one from before the first record', seen: story(filled, shows()) },
  ],
};
