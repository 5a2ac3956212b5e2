import { nameOf, type Address } from '../../../machines/kernel/address.ts';
import { collections, type ResourceCollection } from '../../../machines/resources/collections/index.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { opens, posts, story } from '../record-builders.ts';

/** What a list shows: the URIs in any order, and where the list places them. */
interface Shown {
  readonly uris: readonly string[];
  readonly standings: string;
}
interface Whole {
  readonly a: Address;
  readonly collection: ResourceCollection;
  readonly coalesceMs: number;
  /** Nothing is told before the first lists are there, or their time is over. */
  firstBy: number;
  /** Servers whose first list is waited for. */
  readonly awaited: Set<string>;
  /** By server: what it lists of the system. */
  readonly listed: Map<string, Shown>;
  /** Since when it is not what was told last; Infinity: it is. */
  since: number;
  toldAt: number;
  /** How many changes were on their way to it at this instant. */
  changes: { at: number; count: number };
  /** What was told may have been told before it heard of all of them: it may tell of the rest. */
  isOwing: boolean;
}
interface Times {
  readonly coalesceMs: number;
  readonly aggregateMs: number;
}
type Fields = Said<{
  server: string;
  uri: string;
  resources: readonly { readonly uri: string }[] | null;
  isRenewed: boolean;
  isAwaited: boolean;
  isNews: boolean;
}>;
/** Timers of Node fire up to 1 ms early, and the times of records are rounded. */
const earlyMs = 2;

const nothing: Shown = { uris: [], standings: '{}' };
const isSame = (one: Shown, other: Shown): boolean =>
  one.standings === other.standings &&
  one.uris.length === other.uris.length &&
  one.uris.every((uri) => other.uris.includes(uri));
const shownBy = (collection: ResourceCollection, resources: readonly { readonly uri: string }[]): Shown => {
  const { urisIn, standingsIn } = collections[collection];
  const standings = Object.entries(standingsIn(resources)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { uris: urisIn(resources), standings: JSON.stringify(Object.fromEntries(standings)) };
};

class ViewChangesAnnounced implements Judge {
  readonly #slackMs: number;
  /** By address with and without its incarnation. */
  readonly #wholes = new Map<Address, Whole>();

  constructor(slackMs: number) {
    this.#slackMs = slackMs;
  }
  take(record: DirectoryRecord, at: number): Found | undefined {
    if (record.k === 'post') return this.#post(record, at);
    if (record.k === 'open') this.#open(record, at);
    else if (record.k === 'end' && this.#wholes.delete(record.a)) this.#wholes.delete(nameOf(record.a));
    return undefined;
  }
  quiescent(): Found[] {
    return [...new Set(this.#wholes.values())]
      .filter(({ since }) => since < Infinity)
      .map(({ a }) => ({ at: a, what: 'changed, and nobody was told', kind: 'liveness' }));
  }
  #open({ a, kind, input }: RecordOf<'open'>, at: number): void {
    if (kind !== 'desktop' && kind !== 'finder') return;
    const { coalesceMs = 0, aggregateMs = 0 } = (input as { timing?: Partial<Times> }).timing ?? {};
    const times = {
      firstBy: at + aggregateMs,
      since: Infinity,
      toldAt: -Infinity,
      changes: { at: -Infinity, count: 0 },
      isOwing: false,
    };
    const whole: Whole = { a, collection: kind, coalesceMs, awaited: new Set(), listed: new Map(), ...times };
    this.#wholes.set(a, whole);
    this.#wholes.set(nameOf(a), whole);
  }
  #post({ from, a, ev }: RecordOf<'post'>, at: number): Found | undefined {
    const { type, server = '', uri = '', resources, isRenewed, isAwaited, isNews } = ev as Fields;
    if (type === 'aggregate.changed') return this.#told(this.#wholes.get(from), at);
    const whole = this.#wholes.get(a);
    if (!whole) return undefined;
    const late = this.#late(whole, at);
    const before = whole.listed.get(server) ?? nothing;
    // Of what changes between two sessions of a server nobody hears.
    const isReturn = isRenewed === true && before.uris.length > 0;
    // What was told to be missing is there.
    const isThere = type === 'cache.refreshed' && isNews === true;
    if (isReturn || isThere || this.#isChange(whole, before, type, uri, resources ?? [])) {
      whole.since = Math.min(whole.since, at);
      whole.changes = { at, count: whole.changes.at === at ? whole.changes.count + 1 : 1 };
    }
    if (type !== 'resources.listed') return late;
    whole.listed.set(server, shownBy(whole.collection, resources ?? []));
    if (isAwaited === true) whole.awaited.add(server);
    else whole.awaited.delete(server);
    if (whole.awaited.size === 0) whole.firstBy = Math.min(whole.firstBy, at);
    return late;
  }
  #isChange(
    { collection }: Whole,
    before: Shown,
    type: string,
    uri: string,
    resources: readonly { readonly uri: string }[],
  ): boolean {
    const { toRead, touchedBy } = collections[collection];
    if (type === 'resources.listed') return !isSame(before, shownBy(collection, resources));
    return type === 'resource.updated' && touchedBy(uri, toRead(before.uris)).length > 0;
  }
  #late({ a, since, firstBy, toldAt, coalesceMs }: Whole, now: number): Found | undefined {
    const due = Math.max(since, firstBy, toldAt + coalesceMs) + this.#slackMs + earlyMs;
    return due < now ? { at: a, what: `changed ${now - since} ms ago, and nobody was told` } : undefined;
  }
  #told(whole: Whole | undefined, at: number): Found | undefined {
    if (!whole) return undefined;
    const { a, since, toldAt, coalesceMs, changes, isOwing: wasOwing } = whole;
    const late = this.#late(whole, at);
    const isOwing = changes.at === at && (changes.count > 1 || since < at);
    Object.assign(whole, { since: Infinity, toldAt: at, isOwing });
    if (since === Infinity && !wasOwing) return { at: a, what: 'was told to have changed, and has not' };
    if (at - toldAt < coalesceMs - earlyMs)
      return { at: a, what: `was told twice within ${at - toldAt} ms, not ${coalesceMs}` };
    return late;
  }
}

const [computer, desktop] = ['c#1', 'c/desktop#2'];
const born = opens(desktop, 'desktop', computer, { timing: { coalesceMs: 200 } });
const lists = (...uris: readonly string[]) =>
  posts(computer, 'c/desktop', 'resources.listed', { server: 'fs', resources: uris.map((uri) => ({ uri })) });
const gone = posts(computer, 'c/desktop', 'resources.listed', { server: 'fs', resources: null });
const updates = (uri: string) => posts(computer, 'c/desktop', 'resource.updated', { server: 'fs', uri });
const tells = posts(desktop, computer, 'aggregate.changed', { collection: 'desktop' });
const [one, two] = ['window://h/1', 'window://h/2'];
const highest = posts(computer, 'c/desktop', 'resources.listed', {
  server: 'fs',
  resources: [{ uri: one }, { uri: two, annotations: { priority: 1 } }],
});
const isLast = posts(computer, 'c/desktop', 'resources.listed', { server: 'slow', resources: [] });
const waits = posts(computer, 'c/desktop', 'resources.listed', {
  server: 'slow',
  resources: [],
  isAwaited: true,
});
const patient = opens(desktop, 'desktop', computer, { timing: { coalesceMs: 200, aggregateMs: 1_000 } });
const known = [born, lists(one, two), tells, 1_000];

export const viewChangesAnnounced: Invariant = {
  invariant: 'a change of a Desktop or a Finder is announced when it changed, and only then',
  why: 'Agents ask anew when they are told: no change is lost, a burst is one, and who lists the same anew has told nobody anything (seeds 000 and 001; notify-iff-changed).',
  sees: [
    ...(['open', 'end', 'post aggregate.changed', 'post resources.listed'] as const),
    ...(['post resource.updated', 'post cache.refreshed'] as const),
  ],
  open: ({ slackMs }) => new ViewChangesAnnounced(slackMs),
  violating: [
    { how: 'the same windows listed anew', seen: story(...known, lists(one, two), tells), said: 'has not' },
    { how: 'another order', seen: story(...known, lists(two, one), tells), said: 'has not' },
    {
      how: 'a change of something that is not shown',
      seen: story(...known, updates('note://h/1'), tells),
      said: 'has not',
    },
    {
      how: 'one change told twice',
      seen: story(...known, updates(one), tells, 300, tells),
      said: 'has not',
    },
    {
      how: 'each change of a burst',
      seen: story(...known, updates(one), tells, 50, updates(one), tells),
      said: 'twice within 50 ms',
    },
    {
      how: 'a window that changes and is kept to itself',
      seen: story(...known, updates(one)),
      until: 'quiescent',
      said: 'nobody was told',
    },
    {
      how: 'another place in the list that is kept to itself',
      seen: story(...known, highest),
      until: 'quiescent',
      said: 'nobody was told',
    },
    {
      how: 'a death that is kept to itself',
      seen: story(...known, gone, 500, gone),
      said: 'nobody was told',
    },
    {
      how: 'a first list that is waited for longer than its time',
      seen: story(patient, waits, lists(one), 1_100, isLast),
      said: 'nobody was told',
    },
    {
      how: 'lists that are kept to itself when the last of them is there',
      seen: story(patient, waits, lists(one), 500, isLast, 100, isLast),
      said: 'nobody was told',
    },
  ],
  passing: [
    { how: 'each change', seen: story(...known, updates(one), tells, 300, gone, tells), until: 'quiescent' },
    {
      how: 'a burst',
      seen: story(...known, updates(one), tells, updates(two), updates(one), 200, tells),
      until: 'quiescent',
    },
    {
      how: 'two changes at once, of which it heard one after the other',
      seen: story(...known, updates(one), updates(two), tells, 200, tells),
      until: 'quiescent',
    },
    {
      how: 'a window that comes too late, and is there then',
      seen: story(
        ...known,
        posts('c/desktop/cache:fs#3', 'c/desktop', 'cache.refreshed', { isNews: true }),
        tells,
      ),
      until: 'quiescent',
    },
    {
      how: 'first lists of which one comes late',
      seen: story(patient, waits, lists(one), 900, isLast, tells),
      until: 'quiescent',
    },
    { how: 'another place', seen: story(...known, highest, tells), until: 'quiescent' },
    { how: 'a list without windows', seen: story(born, lists('note://h/1')), until: 'quiescent' },
    {
      how: 'a session that was renewed',
      seen: story(
        ...known,
        posts(computer, 'c/desktop', 'resources.listed', {
          server: 'fs',
          resources: [{ uri: one }, { uri: two }],
          isRenewed: true,
        }),
        tells,
      ),
      until: 'quiescent',
    },
    {
      how: 'away and back within a moment',
      seen: story(...known, gone, lists(one, two), tells),
      until: 'quiescent',
    },
    { how: 'one from before the first record', seen: story(updates(one), tells, tells), until: 'quiescent' },
  ],
};
