import { nameOf, type Address } from '../../machines/address.ts';
import { systems } from '../../machines/systems/index.ts';
import type { DirectoryRecord } from '../../machines/trace/index.ts';
import { isAnswer, type Found, type Judge, type Law, type RecordOf, type Said } from './law.ts';
import { Shelves, type Shelf } from './shelves.ts';
import { asks, ends, learns, opens, posts, story, withdraws } from './telling.ts';

type Fields = Said<{
  server: string;
  resources: readonly { readonly uri: string }[] | null;
  missing: readonly { readonly server: string }[];
  failure: unknown;
  isAwaited: boolean;
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
  /** Whose list has not come or could not be had, and whose shelf has broken: named, whatever is known of them. */
  readonly #excused = new Set<string>();

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
    const { type, server = '', resources, missing = [], failure, isAwaited } = ev as Fields;
    if (type === 'resources.listed') {
      const hasNone = isAwaited === true || (failure !== null && failure !== undefined);
      this.#excused[hasNone ? 'add' : 'delete'](keyOf(nameOf(a), server));
      this.#list(nameOf(a), server, resources ?? []);
    } else if (type === 'shelf.filled') {
      const listed = this.#listed.get(keyOf(nameOf(a), server));
      if (listed) listed.isOther = false;
    } else if (failure === null && from.includes('/'))
      return this.#shown(nameOf(from), from, new Set(missing.map((each) => each.server)));
    return undefined;
  }
  #list(whole: Address, server: string, resources: readonly { readonly uri: string }[]): void {
    const key = keyOf(whole, server);
    const system = whole.endsWith('/desktop') ? systems.desktop : systems.finder;
    this.#listed.set(key, { uris: system.toRead(system.urisIn(resources)), isOther: true });
  }
  #shown(whole: Address, at: Address, named: ReadonlySet<string>): Found[] {
    const shelves = this.#shelves.of(whole);
    const known = new Set(shelves.map(({ server }) => server));
    return [
      ...[...named]
        .filter((server) => !known.has(server) && !this.#excused.has(keyOf(whole, server)))
        .map((server) => ({ at, what: `names ${server}, which has nothing to show` })),
      ...shelves.flatMap((shelf) => this.#judged(shelf, at, named.has(shelf.server))),
    ];
  }
  #judged({ whole, server, reads }: Shelf, at: Address, isNamed: boolean): Found[] {
    const listed = this.#listed.get(keyOf(whole, server));
    // From before the first record, or not read since it changed.
    if (!listed || listed.isOther) return [];
    const given = listed.uris.map((uri) => reads.get(uri)?.isGood);
    if (isNamed)
      return !this.#excused.has(keyOf(whole, server)) && given.every((isGood) => isGood === true)
        ? [{ at, what: `names ${server}, of which nothing is missing` }]
        : [];
    return given.includes(false)
      ? [{ at, what: `does not name ${server}, of which something is missing` }]
      : [];
  }
}
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
    ...(['post resources.listed', 'post shelf.filled', 'post aggregate.shown'] as const),
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
    { how: 'one whose list has not come', seen: story(lists({ isAwaited: true }), shows('fs')) },
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
