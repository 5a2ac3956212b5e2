/** Rules of what one server shows of a Desktop or a Finder: what is known, who asks, what is read. */
import {
  addressFor,
  kindOf,
  message,
  open,
  post,
  type Address,
  type AddressFor,
  type Open,
  type Post,
} from '../kernel/effects.ts';
import type { ResourceCollection } from '../ports/link.ts';
import { remembered } from '../kernel/objects.ts';
import type { Taken } from '../kernel/taken.ts';
import { backoffOfList, type TimingOf } from '../kernel/timing.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { Notice, Refused, ResourceRead } from './collections.ts';
import { collections } from './collection-rules.ts';
import { readKind } from './read.machine.ts';

export interface Entry {
  readonly items: readonly object[];
  readonly refused: readonly Refused[];
  readonly failure: Failure | null;
  /** Never read, or changed since its last read began. */
  readonly isStale: boolean;
  readonly isFollowed: boolean;
  /** Read when its subscription had been asked for, so that later changes are known. */
  readonly isHeard: boolean;
  /** Reads in a row that ended at their limit. Questions do not wait for such an item until it has come. */
  readonly hung: number;
}
const unread: Entry = {
  items: [],
  refused: [],
  failure: null,
  isStale: true,
  isFollowed: false,
  isHeard: false,
  hung: 0,
};

interface CacheStart {
  readonly server: string;
  readonly collection: ResourceCollection;
  readonly session: Address;
  readonly timing: TimingOf<'cache'>;
}
export type CacheOrder =
  /** Content of other URIs is forgotten. */
  | { readonly type: 'cache.list'; readonly uris: readonly string[] }
  | { readonly type: 'cache.invalidate'; readonly uris: readonly string[] }
  /** `isUnderWay`: asked for, in addition to earlier ones; otherwise these are in force, and no others. */
  | { readonly type: 'cache.follow'; readonly uris: readonly string[]; readonly isUnderWay: boolean }
  /** Answered by `cache.given` when everything was read, or that one URI (`only`, read next). `isFresh`: read again what is known. */
  | {
      readonly type: 'cache.wanted';
      readonly isFresh: boolean;
      readonly only?: string;
      readonly replyTo: AddressFor<CacheGiven>;
    }
  /** The question stops waiting: it is given what is known. */
  | { readonly type: 'cache.tell'; readonly only?: string; readonly replyTo: AddressFor<CacheGiven> }
  | { readonly type: 'close' };
export const cacheKind = kindOf<CacheStart, CacheOrder>('cache');
export interface CacheGiven {
  readonly type: 'cache.given';
  readonly server: string;
  readonly items: readonly object[];
  /** Not read in time or not at all, or invalid; the others are not affected. */
  readonly refused: readonly Refused[];
}
export type CacheNews =
  /** Items have come that an earlier answer called missing. */
  | { readonly type: 'cache.changed'; readonly server: string }
  | { readonly type: 'cache.noticed'; readonly notices: readonly Notice[] };
export type CacheInput = CacheStart & { readonly self: Address; readonly owner: AddressFor<CacheNews> };
/** Reads have numbers, from 1; 0 is that of a read that is tried again, for which nobody waits. */
interface Job {
  readonly n: number;
  readonly uri: string;
}
interface Asker {
  readonly replyTo: AddressFor<CacheGiven>;
  readonly only?: string;
  /** Numbers of the reads that it waits for. */
  readonly owed: readonly number[];
}
export interface CacheContext extends CacheInput {
  readonly uris: readonly string[];
  /** In the order of the URIs. */
  readonly entries: readonly Entry[];
  readonly queue: readonly Job[];
  /** `isHeard`: no subscription has been asked for since this read began. */
  readonly reading: readonly (Job & { readonly isHeard: boolean })[];
  /** Hung, and their pause is over. */
  readonly due: readonly string[];
  readonly askers: readonly Asker[];
  readonly numbered: number;
  /** Number of items that the last answer called missing, because they were not read in time. */
  readonly named: number;
}
export interface ItemDue {
  readonly type: 'item.due';
  readonly uri: string;
}
type Consequences = Taken<CacheContext, ItemDue>;
export const initialContext = (input: CacheInput): CacheContext => ({
  ...input,
  uris: [],
  entries: [],
  queue: [],
  reading: [],
  due: [],
  askers: [],
  numbered: 0,
  named: 0,
});

const rulesOf = ({ collection }: CacheContext) => collections[collection];
const placesIn = remembered((uris: readonly string[]) => new Map(uris.map((uri, at) => [uri, at])));
const placeOf = ({ uris }: CacheContext, uri: string): number | undefined => placesIn(uris).get(uri);
const entryOf = (c: CacheContext, uri: string): Entry => c.entries[placeOf(c, uri) ?? -1] ?? unread;
/** Those of URIs that are not listed stay away. */
function withEntries(
  c: CacheContext,
  uris: readonly string[],
  next: (entry: Entry) => Partial<Entry>,
): readonly Entry[] {
  const entries = [...c.entries];
  for (const uri of uris) {
    const at = placeOf(c, uri) ?? -1;
    const entry = entries[at];
    if (entry) entries[at] = { ...entry, ...next(entry) };
  }
  return entries;
}

export function afterList(c: CacheContext, { uris }: { readonly uris: readonly string[] }): Consequences {
  const now = new Set(uris);
  const isGone = ({ uri }: Job): boolean => !now.has(uri);
  const queue = c.queue.filter((job) => !isGone(job));
  const entries = uris.map((uri) => entryOf(c, uri));
  const ended = [...c.queue, ...c.reading].filter(isGone);
  return {
    next: {
      uris,
      entries,
      queue,
      due: c.due.filter((uri) => now.has(uri)),
      askers: withoutOwed(c.askers, ended),
      named: Math.min(c.named, lateOf({ uris, entries }, queue).size),
    },
  };
}
/** The next question reads them; a read that is on its way may have come too early. */
export const afterInvalidation = (
  c: CacheContext,
  { uris }: { readonly uris: readonly string[] },
): Consequences => ({ next: { entries: withEntries(c, uris, () => ({ isStale: true })) } });
/** Content that was asked for before its subscription counts as read without one. */
export function afterFollow(
  c: CacheContext,
  { uris, isUnderWay }: Extract<CacheOrder, { type: 'cache.follow' }>,
): Consequences {
  const now = new Set(uris);
  if (isUnderWay) {
    const entries = withEntries(c, uris, () => ({ isFollowed: true, isHeard: false }));
    const reading = c.reading.map((each) => (now.has(each.uri) ? { ...each, isHeard: false } : each));
    return { next: { entries, reading } };
  }
  const followed = (entry: Entry, at: number): Entry => {
    const isFollowed = now.has(c.uris[at] ?? '');
    return { ...entry, isFollowed, isHeard: entry.isHeard && isFollowed };
  };
  return { next: { entries: c.entries.map(followed) } };
}

const withoutOwed = (askers: readonly Asker[], ended: readonly Job[]): readonly Asker[] =>
  askers.map((asker) => {
    const owed = ended.reduce<readonly number[]>((all, { n }) => {
      const at = all.indexOf(n);
      return at < 0 ? all : all.toSpliced(at, 1);
    }, asker.owed);
    return owed === asker.owed ? asker : { ...asker, owed };
  });
/** Known content is read again when it was refused, or could change unheard. */
const isOld = ({ isStale, failure, isHeard }: Entry): boolean => isStale || failure !== null || !isHeard;
/** A read in the queue serves all who want it; one that runs, those for whom nothing has changed since it began. */
export function afterWanted(
  c: CacheContext,
  { isFresh, only, replyTo }: Extract<CacheOrder, { type: 'cache.wanted' }>,
): Consequences {
  const queued = new Map(c.queue.map(({ uri, n }) => [uri, n]));
  const running = new Map(c.reading.map(({ uri, n }) => [uri, n]));
  // A question that asks again wants only what has joined the list since.
  const before = c.askers.find((asker) => asker.replyTo === replyTo);
  const all = isFresh && !before;
  const owed = [...(before?.owed ?? [])];
  const jobs: Job[] = [];
  for (const uri of only === undefined ? c.uris : [only]) {
    const entry = entryOf(c, uri);
    if (placeOf(c, uri) === undefined || (entry.hung > 0 && !all)) continue;
    const known = queued.get(uri) ?? (entry.isStale || all ? undefined : running.get(uri));
    if (known !== undefined) owed.push(known);
    else if (all || (before ? entry.isStale : isOld(entry))) {
      jobs.push({ uri, n: c.numbered + jobs.length + 1 });
      owed.push(c.numbered + jobs.length);
    }
  }
  const asker = { replyTo, owed, ...(only !== undefined && { only }) };
  const first = c.queue.filter(({ uri }) => uri === only);
  const queue =
    only === undefined
      ? [...c.queue, ...jobs]
      : [...jobs, ...first, ...c.queue.filter((job) => !first.includes(job))];
  const askers = [...c.askers.filter((each) => each !== before), asker];
  return { next: { askers, queue, numbered: c.numbered + jobs.length } };
}
const askerOf = (
  { askers }: CacheContext,
  { replyTo, only }: Extract<CacheOrder, { type: 'cache.tell' }>,
): Asker =>
  askers.find((asker) => asker.replyTo === replyTo) ?? {
    replyTo,
    owed: [],
    ...(only !== undefined && { only }),
  };

/** URIs that hung, and those of reads that a question waited for. */
function lateOf(
  { uris, entries }: Pick<CacheContext, 'uris' | 'entries'>,
  awaited: readonly Job[] = [],
): ReadonlySet<string> {
  const hung = entries.flatMap((entry, at) => (entry.hung > 0 ? (uris[at] ?? []) : []));
  return new Set([...hung, ...awaited.map(({ uri }) => uri)]);
}
const lateFor = (c: CacheContext, { owed }: Asker): ReadonlySet<string> =>
  lateOf(c, owed.length === 0 ? [] : [...c.queue, ...c.reading].filter(({ n }) => owed.includes(n)));
const itemsIn = remembered((entries: readonly Entry[]) => entries.flatMap(({ items }) => items));
function givenTo(c: CacheContext, asker: Asker): Post {
  const late = lateFor(c, asker);
  const within = `within ${c.timing.aggregateMs} ms`;
  const waiting = new Set(c.queue.map(({ uri }) => uri).filter((uri) => !isReading(c, uri)));
  const reasonFor = (uri: string): string =>
    waiting.has(uri) && entryOf(c, uri).hung === 0
      ? `its turn did not come ${within}: other reads of its server took as long`
      : `it could not be read ${within}`;
  const refused = c.uris.flatMap((uri, at): readonly Refused[] => {
    if (asker.only !== undefined && asker.only !== uri) return [];
    if (late.has(uri)) return [{ uri, reason: reasonFor(uri) }];
    const entry = c.entries[at] ?? unread;
    return entry.failure ? [{ uri, reason: entry.failure.message }] : entry.refused;
  });
  return post(
    asker.replyTo,
    { type: 'cache.given', server: c.server, items: itemsIn(c.entries), refused },
    { optional: true },
  );
}
export function afterTell(c: CacheContext, order: Extract<CacheOrder, { type: 'cache.tell' }>): Consequences {
  const asker = askerOf(c, order);
  const askers = c.askers.filter(({ replyTo }) => replyTo !== asker.replyTo);
  return { messages: [givenTo(c, asker)], next: { askers, named: lateFor(c, asker).size } };
}
const isSettled = ({ owed }: Asker): boolean => owed.length === 0;
export const canAnswer = ({ askers }: CacheContext): boolean => askers.some(isSettled);
export const afterAnswers = (c: CacheContext): Consequences => ({
  messages: c.askers.filter(isSettled).map((asker) => givenTo(c, asker)),
  next: { askers: c.askers.filter((asker) => !isSettled(asker)), named: lateOf(c).size },
});

const mostReads = 4;
const isReading = ({ reading }: CacheContext, uri: string): boolean =>
  reading.some((each) => each.uri === uri);
const isAwaited = ({ n }: Job): boolean => n > 0;
/** One item that hung is tried again at a time, beside the others, so that they never wait for it. */
export function nextRead(c: CacheContext): Job | undefined {
  const awaited = c.reading.filter(isAwaited).length;
  const job = awaited < mostReads ? c.queue.find(({ uri }) => !isReading(c, uri)) : undefined;
  if (job || awaited < c.reading.length) return job;
  const uri = c.due.find((each) => !isReading(c, each));
  return uri === undefined ? undefined : { uri, n: 0 };
}
function readOpen(c: CacheContext, uri: string): Open {
  const { collection, server, session, self } = c;
  const about = { ticket: uri, reqId: uri };
  const failure = { code: wireCodes.internal, message: 'its machine failed' };
  const replyTo = addressFor<ResourceRead>(self);
  return open(
    readKind,
    { ...about, collection, server, uri, session, replyTo, limitMs: c.timing.aggregateMs },
    { key: uri, lastWill: message(replyTo, { type: 'resource.read', ...about, contents: [], failure }) },
  );
}
export function afterBegin(c: CacheContext): Consequences {
  const job = nextRead(c);
  if (!job) return {};
  const { uri, n } = job;
  return {
    opens: [readOpen(c, uri)],
    next: {
      queue: isAwaited(job) ? c.queue.toSpliced(c.queue.indexOf(job), 1) : c.queue,
      due: c.due.filter((each) => each !== uri),
      reading: [...c.reading, { uri, n, isHeard: entryOf(c, uri).isFollowed }],
      entries: withEntries(c, [uri], () => ({ isStale: false })),
    },
  };
}
type Read = Pick<ResourceRead, 'ticket' | 'contents' | 'failure'>;
export const isLate = ({ failure }: Read): boolean => failure?.code === wireCodes.noAnswer;
const runningOf = ({ reading }: CacheContext, { ticket }: Read) =>
  reading.filter(({ uri }) => uri === ticket);
const afterEnd = (
  c: CacheContext,
  read: Read,
  ended: readonly Job[],
  next: (entry: Entry) => Partial<Entry>,
): Partial<CacheContext> => ({
  reading: c.reading.filter(({ uri }) => uri !== read.ticket),
  askers: withoutOwed(c.askers, ended),
  entries: withEntries(c, [read.ticket], next),
});
/** Nobody waits for it any more, also not for a read of it in the queue. */
export function afterLate(c: CacheContext, read: Read): Consequences {
  const { ticket: uri } = read;
  const queued = c.queue.filter((job) => job.uri === uri);
  const ended = [...runningOf(c, read), ...queued];
  const hung = entryOf(c, uri).hung + 1;
  return {
    timers: [{ id: uri, delay: backoffOfList(c.timing, hung), event: { type: 'item.due', uri } }],
    next: {
      ...afterEnd(c, read, ended, () => ({ hung, isStale: true })),
      queue: c.queue.filter((job) => !queued.includes(job)),
    },
  };
}
function contentOf(c: CacheContext, { ticket, contents, failure }: Read) {
  const given = failure ? ({ ok: false, failure } as const) : rulesOf(c).itemsOf(contents, ticket, c.server);
  return given.ok ? { ...given.body, failure: null } : { items: [], refused: [], failure: given.failure };
}
export function afterRead(c: CacheContext, read: Read): Consequences {
  const running = runningOf(c, read);
  const wasHeard = running.every(({ isHeard }) => isHeard);
  const content = contentOf(c, read);
  const notices = rulesOf(c).noticesOf(content.items);
  return {
    messages: notices.length > 0 ? [post(c.owner, { type: 'cache.noticed', notices })] : [],
    next: afterEnd(c, read, running, ({ isFollowed }) => ({
      ...content,
      isHeard: wasHeard && isFollowed,
      hung: 0,
    })),
  };
}
export const afterPause = (c: CacheContext, { uri }: ItemDue): Consequences =>
  entryOf(c, uri).hung > 0 && !isReading(c, uri)
    ? { next: { due: [...c.due.filter((each) => each !== uri), uri] } }
    : {};
/** Only when nothing more is on its way, so that what was missing is told of as one change. */
export const hasCome = (c: CacheContext): boolean =>
  c.named > 0 && c.queue.length === 0 && !c.reading.some(isAwaited) && lateOf(c).size < c.named;
export const afterNews = (c: CacheContext): Consequences => ({
  messages: [post(c.owner, { type: 'cache.changed', server: c.server })],
  next: { named: lateOf(c).size },
});
