import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import { contentHash, keyOfEntry, type CatalogList, type Entry } from '../../../machines/catalog/index.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { isAnswer, type Found, type Judge, type Invariant, type RecordOf, type Said } from '../invariant.ts';
import { asks, learns, opens, posts, story } from '../record-builders.ts';

/** Entries by key: what each says, the first of those with one key. */
type Content = ReadonlyMap<string, string>;
interface List {
  readonly a: Address;
  readonly list: CatalogList;
  /** What its reader knows, and what its server said last. */
  told: Content;
  listed: Content;
  /** Its server has no such list, or could not give it too often. */
  isGone: boolean;
}
type Fields = Said<{
  result: Readonly<Record<string, readonly Entry[]>>;
  failure: { details?: { code?: unknown } };
  list: CatalogList;
  entries: readonly Entry[];
  isWithdrawn: boolean;
}>;
const methodNotFound = -32_601;
const nothing: Content = new Map();

function contentOf(list: CatalogList, entries: readonly Entry[]): Content {
  const content = new Map<string, string>();
  for (const entry of entries) {
    const key = keyOfEntry(list, entry);
    if (!content.has(key)) content.set(key, contentHash(entry));
  }
  return content;
}
const isSame = (one: Content, other: Content): boolean =>
  one.size === other.size && [...one].every(([key, content]) => other.get(key) === content);

class ListChangesReported implements Judge {
  readonly #lists = new Map<Address, List>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'open') this.#open(record);
    else if (record.k === 'end') this.#lists.delete(nameOf(record.a));
    else if (record.k === 'post') return this.#post(record);
    else if (record.k === 'in' && isAnswer(record)) return this.#answered(record);
    else if (record.k === 'out') return this.#owing(this.#lists.get(nameOf(record.a)));
    return undefined;
  }
  quiescent(): Found[] {
    return [...this.#lists.values()].flatMap((list) => this.#owing(list) ?? []);
  }
  #owing(list: List | undefined): Found | undefined {
    if (!list || list.isGone || isSame(list.told, list.listed)) return undefined;
    return { at: list.a, what: 'has changed, and its reader was not told' };
  }
  #open({ a, kind, input }: RecordOf<'open'>): void {
    if (kind !== 'catalog') return;
    const { list, cached } = input as { list: CatalogList; cached?: readonly Entry[] | null };
    const told = contentOf(list, cached ?? []);
    this.#lists.set(nameOf(a), { a, list, told, listed: told, isGone: false });
  }
  #answered({ a, ev }: RecordOf<'in'>): Found | undefined {
    const list = this.#lists.get(nameOf(a));
    if (!list || !ev) return undefined;
    const { type, result, failure } = ev as Fields;
    const owing = this.#owing(list);
    if (type === 'ask.answered') {
      list.isGone = false;
      list.listed = contentOf(list.list, result?.[list.list] ?? []);
    } else if (failure?.details?.code === methodNotFound) list.listed = nothing;
    return owing;
  }
  #post({ from, a, ev }: RecordOf<'post'>): Found | undefined {
    const { type, entries = [], isWithdrawn } = ev as Fields;
    if (type === 'catalog.forget') {
      const list = this.#lists.get(nameOf(a));
      if (list) list.listed = nothing;
      return undefined;
    }
    const list = this.#lists.get(nameOf(from));
    if (!list) return undefined;
    const content = contentOf(list.list, entries);
    if (isSame(content, list.told)) return { at: list.a, what: 'told its reader what he knows' };
    list.told = content;
    list.isGone = isWithdrawn === true;
    if (isSame(content, list.isGone ? nothing : list.listed)) return undefined;
    return { at: list.a, what: 'told its reader what its server never said' };
  }
}

const client = 'c/client:fs#1';
const list = 'c/client:fs/catalog:tools#1';
const tool = (name: string, description = name) => ({ name, description, inputSchema: { type: 'object' } });
const born = opens(list, 'catalog', client, { list: 'tools', cached: null });
const asked = asks(list, 'list', client, 'tools/list');
const lists = (...tools: readonly object[]) => learns(list, 'list', 'ask.answered', { result: { tools } });
const refused = (code: number) => learns(list, 'list', 'ask.refused', { failure: { details: { code } } });
const tells = (...entries: readonly object[]) => posts(list, 'c#1', 'catalog.changed', { entries });
const takesBack = posts(list, 'c#1', 'catalog.changed', { entries: [], isWithdrawn: true });
const known = [born, asked, lists(tool('read')), tells(tool('read'))];

export const listChangesReported: Invariant = {
  invariant: 'a list change is reported when the list changed, and only then',
  why: 'A notice may be a lie and a look finds nothing, mostly: who reads lists hears what is new, each once, and nothing else (notify-iff-changed).',
  sees: ['open', 'end', 'in ask', 'out ask', 'post catalog.changed', 'post catalog.forget'],
  open: () => new ListChangesReported(),
  violating: [
    {
      how: 'a lie that is passed on',
      seen: story(...known, asked, lists(tool('read')), tells(tool('read'))),
      said: 'what he knows',
    },
    {
      how: 'a description that is kept to itself',
      seen: story(...known, asked, lists(tool('read', 'otherwise')), asked),
      said: 'was not told',
    },
    {
      how: 'a tool that is kept to itself',
      seen: story(...known, asked, lists(tool('read'), tool('write'))),
      until: 'quiescent',
      said: 'was not told',
    },
    {
      how: 'a list that a failure empties',
      seen: story(...known, asked, refused(-32_603), tells()),
      said: 'what its server never said',
    },
  ],
  passing: [
    {
      how: 'each change',
      seen: story(...known, asked, lists(tool('write')), tells(tool('write'))),
      until: 'quiescent',
    },
    { how: 'a lie', seen: story(...known, asked, lists(tool('read')), asked), until: 'quiescent' },
    {
      how: 'another order',
      seen: story(...known, asked, lists(tool('read'), tool('read', 'twice'))),
      until: 'quiescent',
    },
    {
      how: 'a list that was taken back',
      seen: story(...known, asked, refused(-32_603), takesBack, asked, refused(1)),
      until: 'quiescent',
    },
    {
      how: 'one that comes back',
      seen: story(...known, takesBack, asked, lists(tool('read')), tells(tool('read'))),
      until: 'quiescent',
    },
    {
      how: 'a list that its server does not know any more',
      seen: story(...known, asked, refused(methodNotFound), tells()),
      until: 'quiescent',
    },
    {
      how: 'a list that its server has no more',
      seen: story(...known, posts(client, 'c/client:fs/catalog:tools', 'catalog.forget'), tells()),
      until: 'quiescent',
    },
    { how: 'a moment at which it may be under way', seen: story(...known, asked, lists(tool('write'))) },
    { how: 'a list from before the first record', seen: story(tells(tool('read')), tells(tool('read'))) },
  ],
};
