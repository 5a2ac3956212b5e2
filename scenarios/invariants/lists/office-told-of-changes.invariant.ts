import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import type { ResourceCollection } from '../../../machines/resources/collections/index.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { rootOf } from '../places.ts';
import { opens, posts, story, tells } from '../record-builders.ts';

interface Link {
  readonly a: Address;
  isJoined: boolean;
  /** What its office is still to hear of at once. */
  owing: ResourceCollection | undefined;
  /** What each is, and what it was when its office heard of it, or first saw the computer; null: it never did. */
  readonly shown: Map<ResourceCollection, string>;
  told: Map<ResourceCollection, string> | null;
}
type Fields = Said<{ collection: ResourceCollection; stage: string; event: string; signature: string }>;
const collectionIn: Readonly<Record<string, ResourceCollection>> = {
  'server:update_desktop': 'desktop',
  'server:update_finder': 'finder',
};

class OfficeToldOfChanges implements Judge {
  /** By address with and without its incarnation. */
  readonly #links = new Map<Address, Link>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'post') return this.#post(record);
    if (record.k === 'out') return this.#announced(record);
    if (record.k === 'open') this.#open(record);
    else if (record.k === 'end' && this.#links.delete(record.a)) this.#links.delete(nameOf(record.a));
    return undefined;
  }
  quiescent(): Found[] {
    return [...new Set(this.#links.values())].flatMap((link) => [owed(link) ?? missed(link)].flat());
  }
  #open({ a, kind, input }: RecordOf<'open'>): void {
    if (kind !== 'link' || (input as { role?: string }).role !== 'computer') return;
    const link: Link = { a, isJoined: false, owing: undefined, shown: new Map(), told: null };
    this.#links.set(a, link);
    this.#links.set(nameOf(a), link);
  }
  #post({ from, a, ev }: RecordOf<'post'>): Found | undefined {
    const { type, stage, collection, signature } = ev as Fields;
    const link = this.#links.get(type === 'link.changed' ? from : a);
    if (!link) return undefined;
    const wrong = owed(link);
    link.owing = undefined;
    if (type === 'aggregate.changed' && collection && signature !== undefined)
      link.shown.set(collection, signature);
    if (type === 'link.changed') {
      link.isJoined = stage === 'joined';
      // Who sees it for the first time asks: that is known.
      if (link.isJoined) link.told ??= new Map(link.shown);
    }
    // On its way out it tells nobody anything.
    else if (type === 'close') link.isJoined = false;
    else if (link.isJoined) link.owing = collection;
    return wrong;
  }
  #announced({ a, ev }: RecordOf<'out'>): Found | undefined {
    const link = this.#links.get(rootOf(a));
    const collection = collectionIn[(ev as Fields).event ?? ''];
    if (!link || collection === undefined) return undefined;
    const isDue = link.owing === collection || isMissed(link, collection);
    if (!isDue) return { at: link.a, what: `announced its ${collection}, of which it heard nothing` };
    link.owing = undefined;
    link.told?.set(collection, link.shown.get(collection) ?? '');
    return undefined;
  }
}
const owed = ({ a, owing }: Link): Found | undefined =>
  owing && { at: a, what: `kept a change of its ${owing} to itself` };
const isMissed = ({ shown, told }: Link, collection: ResourceCollection): boolean =>
  told !== null && shown.get(collection) !== told.get(collection);
const missed = (link: Link): Found[] =>
  (['desktop', 'finder'] as const)
    .filter((collection) => link.isJoined && isMissed(link, collection))
    .map((collection) => ({
      at: link.a,
      what: `its ${collection} changed while it was away, and nobody was told`,
      kind: 'liveness',
    }));

const [link, instance] = ['c/link#1', 'c/link#1/link#1'];
const born = opens(link, 'link', 'c#1', { role: 'computer' });
const joins = posts(link, 'c#1', 'link.changed', { stage: 'joined' });
const changes = (collection: ResourceCollection, signature = '') =>
  posts('c#1', 'c/link', 'aggregate.changed', { collection, signature });
const falls = posts(link, 'c#1', 'link.changed', { stage: 'waiting' });
const announces = (event: string) => tells('link', instance, 'link.announce', { event });
const [desktop, finder] = [announces('server:update_desktop'), announces('server:update_finder')];

export const officeToldOfChanges: Invariant = {
  invariant: 'an office is told of each change of a Desktop or a Finder: at once, or after the next join',
  why: 'Who is told of a change asks anew; who is not lives with what was (seeds 000 and 001). What changed while the computer was away is told after its next join, once.',
  sees: [
    ...(['open', 'end', 'out link.announce', 'post link.changed'] as const),
    ...(['post aggregate.changed', 'post close'] as const),
  ],
  open: () => new OfficeToldOfChanges(),
  violating: [
    {
      how: 'a change that is kept',
      seen: story(born, joins, changes('desktop')),
      until: 'quiescent',
      said: 'kept a change of its desktop',
    },
    {
      how: 'one of two',
      seen: story(born, joins, changes('desktop'), changes('finder'), finder),
      said: 'kept a change of its desktop',
    },
    { how: 'the other one', seen: story(born, joins, changes('finder'), desktop), said: 'heard nothing' },
    {
      how: 'one change told twice',
      seen: story(born, joins, changes('finder'), finder, finder),
      said: 'nothing',
    },
    {
      how: 'a change while it was away that is kept',
      seen: story(born, joins, falls, changes('desktop', 'a'), joins),
      until: 'quiescent',
      said: 'changed while it was away',
    },
    {
      how: 'one that was undone while it was away',
      seen: story(
        ...[born, joins, changes('desktop', 'a'), desktop, falls],
        ...[changes('desktop', 'b'), changes('desktop', 'a'), joins, desktop],
      ),
      said: 'heard nothing',
    },
  ],
  passing: [
    {
      how: 'each',
      seen: story(born, joins, changes('desktop'), desktop, changes('finder'), finder),
      until: 'quiescent',
    },
    {
      how: 'a change while it was away',
      seen: story(born, joins, falls, changes('desktop', 'a'), joins, 200, desktop),
      until: 'quiescent',
    },
    { how: 'what was there before it first sat there', seen: story(born, changes('desktop', 'a'), joins) },
    { how: 'a link that sits nowhere', seen: story(born, changes('desktop')), until: 'quiescent' },
    {
      how: 'a link that leaves',
      seen: story(born, joins, posts('c#1', link, 'close'), changes('desktop')),
      until: 'quiescent',
    },
    { how: 'a link from before the first record', seen: story(joins, changes('desktop'), finder) },
  ],
};
