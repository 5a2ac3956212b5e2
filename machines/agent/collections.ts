/** Collections of a computer that an agent follows: how each is asked for, and how an answer is read. */
import { finderQuestion, mostLimit } from '../resources/finder.ts';
import { events } from '../protocol/events.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { DPEDocumentSummary, Missing, SmcpTool } from '../protocol/messages/collections.ts';
import { readDesktop, readFinder, readTools } from '../protocol/messages/lists.ts';

/** Kind of collection that a view follows. */
export type Collection = 'tools' | 'desktop' | 'finder';

/** Pages of a collection that were read so far. */
export interface Gathered {
  readonly items: readonly object[];
  /** How many entries they came from: what is not readable is no item. */
  readonly given: number;
  readonly missing: readonly Missing[];
  /** How many there are to be. */
  readonly total: number;
  /** Answers that are in it. */
  readonly pages: number;
  /** How often reading began again, because the pages were of different states. */
  readonly torn: number;
}

/** Meaning of an answer for the view that asked. */
export type Reading<Value> =
  | { readonly step: 'whole'; readonly value: Value }
  /** The next question is for what is not in it yet. */
  | { readonly step: 'part'; readonly gathered: Gathered }
  | { readonly step: 'unreadable'; readonly failure: Failure };

/** In which subjects differ; all else is one machine. */
interface ViewRules<Value> {
  /** The event of the wire that asks for it. */
  readonly method: string;
  /** Fields of the question beside `agent`, `req_id` and `computer`; null: nothing was gathered yet. */
  readonly fieldsOf: (gathered: Gathered | null) => object;
  readonly read: (ack: unknown, reqId: string, gathered: Gathered | null) => Reading<Value>;
  /** Questions in a row that may fail before the view asks no more by itself; null: it never gives up. */
  readonly tries: number | null;
}

/** Every computer knows this question: who does not answer it now will. */
const tools: ViewRules<readonly SmcpTool[]> = {
  method: events.getTools,
  fieldsOf: () => ({}),
  read: (ack, reqId) => {
    const read = readTools(ack, reqId);
    return read.ok ? { step: 'whole', value: read.body } : { step: 'unreadable', failure: read.failure };
  },
  tries: null,
};

/** All windows of a computer, each as one text, and the servers of which not all are among them. */
export interface DesktopSeen {
  readonly desktops: readonly string[];
  readonly missing: readonly Missing[];
}

const desktop: ViewRules<DesktopSeen> = {
  method: events.getDesktop,
  fieldsOf: () => ({}),
  read: (ack, reqId) => {
    const read = readDesktop(ack, reqId);
    return read.ok
      ? { step: 'whole', value: { desktops: read.body.desktops, missing: read.body.missing } }
      : { step: 'unreadable', failure: read.failure };
  },
  tries: 3,
};

/** The documents of a computer, and the servers of which not all are among them. */
export interface FinderSeen {
  /** 1,000 at the most, in the order of the computer. */
  readonly documents: readonly DPEDocumentSummary[];
  readonly total_count: number;
  /** How many of these are not among `documents`: more than are followed, or than were given. */
  readonly left_out: number;
  readonly missing: readonly Missing[];
}

/** Documents that are followed at once. */
const mostDocuments = 1_000;
/** Questions for them: none of a computer that gives small pages goes on for ever. */
const mostPages = mostDocuments / mostLimit;
/** How often reading one collection may begin again. */
const mostTorn = 2;
const none: Gathered = { items: [], given: 0, missing: [], total: 0, pages: 0, torn: 0 };
/** Failure of every way to list documents that change too fast. */
export const restless: Failure = {
  code: wireCodes.conflict,
  message: 'The documents change faster than they can be listed',
};

const keyed = (missing: Missing): [string, Missing] => [JSON.stringify(missing), missing];
/** Another total says that the pages are of two states: what was gathered may lack some, or have some twice. */
function torn({ torn: before }: Gathered): Reading<FinderSeen> {
  if (before >= mostTorn) return { step: 'unreadable', failure: restless };
  return { step: 'part', gathered: { ...none, torn: before + 1 } };
}

const finder: ViewRules<FinderSeen> = {
  method: events.getFinder,
  fieldsOf: (gathered) => finderQuestion({ offset: gathered?.given ?? 0, limit: mostLimit }),
  read: (ack, reqId, before) => {
    const read = readFinder(ack, reqId);
    if (!read.ok) return { step: 'unreadable', failure: read.failure };
    const gathered = before ?? none;
    const { documents: page, entries, total_count: total } = read.body;
    if (gathered.pages > 0 && gathered.total !== total) return torn(gathered);
    const items = [...(gathered.items as readonly DPEDocumentSummary[]), ...page].slice(0, mostDocuments);
    const pages = gathered.pages + 1;
    const given = gathered.given + entries.length;
    // Each page says what is missing as a whole; what of it is not readable only this one can say.
    const missing = [...new Map([...gathered.missing, ...read.body.missing].map(keyed)).values()];
    if (entries.length > 0 && pages < mostPages && given < Math.min(total, mostDocuments))
      return { step: 'part', gathered: { ...gathered, items, given, missing, total, pages } };
    const left_out = Math.max(0, total - items.length);
    return {
      step: 'whole',
      value: { documents: items, total_count: total, left_out, missing },
    };
  },
  tries: 3,
};

export interface CollectionValues {
  readonly tools: readonly SmcpTool[];
  readonly desktop: DesktopSeen;
  readonly finder: FinderSeen;
}
export const collections: { readonly [S in Collection]: ViewRules<CollectionValues[S]> } = {
  tools,
  desktop,
  finder,
};
