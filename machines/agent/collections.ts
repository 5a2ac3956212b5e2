/** Collections of a computer that an agent follows, with the question and the reader of the answer for each. */
import type { ResourceCollection } from '../ports/link.ts';
import { finderQuestion, mostLimit } from '../resources/asked.ts';
import { events } from '../protocol/protocol.ts';
import type { Failure } from '../protocol/failure.ts';
import type { DPEDocumentSummary, Missing, SmcpTool } from '../protocol/messages/collections.ts';
import {
  readDesktop,
  readFinder,
  readSkills,
  readTools,
  type Read,
  type SkillsRead,
} from '../protocol/messages/lists.ts';

export type Collection = 'tools' | Followed;
/** Kind of collection that an agent follows only when its host wants it. */
export type Followed = ResourceCollection | 'skills';

export interface Gathered {
  readonly items: readonly object[];
  /** Number of entries received so far, including unreadable ones that are not in `items`. */
  readonly given: number;
  readonly missing: readonly Missing[];
  readonly pages: number;
}

/** Result of reading the answer to a question of a view: the whole collection, a part of it, or a failure. */
export type Reading<Value> =
  | { readonly step: 'whole'; readonly value: Value }
  /** Page of a longer list; the next question asks for the following entries. */
  | { readonly step: 'part'; readonly gathered: Gathered }
  | { readonly step: 'unreadable'; readonly failure: Failure };

interface ViewRules<Value> {
  readonly method: string;
  /** Beside `agent`, `req_id` and `computer`; `gathered` is null before the first page. */
  readonly fieldsOf: (gathered: Gathered | null) => object;
  readonly read: (ack: unknown, reqId: string, gathered: Gathered | null) => Reading<Value>;
  /** Number of failed questions in a row after which the view stops asking on its own; null: never. */
  readonly tries: number | null;
}

const wholeOf = <Body, Value>(read: Read<Body>, valueOf: (body: Body) => Value): Reading<Value> =>
  read.ok ? { step: 'whole', value: valueOf(read.body) } : { step: 'unreadable', failure: read.failure };

interface ToolsSeen {
  readonly tools: readonly SmcpTool[];
  readonly missing: readonly Missing[];
}

/** Never gives up, because every computer can be asked for its tools. */
const tools: ViewRules<ToolsSeen> = {
  method: events.getTools,
  fieldsOf: () => ({}),
  read: (ack, reqId) => wholeOf(readTools(ack, reqId), (body) => body),
  tries: null,
};

export interface DesktopSeen {
  readonly desktops: readonly string[];
  readonly missing: readonly Missing[];
}

const desktop: ViewRules<DesktopSeen> = {
  method: events.getDesktop,
  fieldsOf: () => ({}),
  read: (ack, reqId) => wholeOf(readDesktop(ack, reqId), ({ desktops, missing }) => ({ desktops, missing })),
  tries: 3,
};

export interface FinderSeen {
  readonly documents: readonly DPEDocumentSummary[];
  readonly total_count: number;
  /** Number of documents that exist but are not in `documents`, because of the limit or of missing data. */
  readonly left_out: number;
  readonly missing: readonly Missing[];
}

const mostDocuments = 1_000;
/** A computer with small pages must not keep the view asking for ever. */
const mostPages = mostDocuments / mostLimit;
const none: Gathered = { items: [], given: 0, missing: [], pages: 0 };

const keyed = (missing: Missing): [string, Missing] => [JSON.stringify(missing), missing];
const finder: ViewRules<FinderSeen> = {
  method: events.getFinder,
  fieldsOf: (gathered) => finderQuestion({ offset: gathered?.given ?? 0, limit: mostLimit }),
  read: (ack, reqId, before) => {
    const read = readFinder(ack, reqId);
    if (!read.ok) return { step: 'unreadable', failure: read.failure };
    const gathered = before ?? none;
    const { documents: page, entries, total_count: total } = read.body;
    const items = [...(gathered.items as readonly DPEDocumentSummary[]), ...page].slice(0, mostDocuments);
    const pages = gathered.pages + 1;
    const given = gathered.given + entries.length;
    // Each page names the servers missing in the whole list, but only its own unreadable entries.
    const missing = [...new Map([...gathered.missing, ...read.body.missing].map(keyed)).values()];
    if (entries.length > 0 && pages < mostPages && given < Math.min(total, mostDocuments))
      return { step: 'part', gathered: { items, given, missing, pages } };
    const left_out = Math.max(0, total - items.length);
    return {
      step: 'whole',
      value: { documents: items, total_count: total, left_out, missing },
    };
  },
  tries: 3,
};

const skills: ViewRules<SkillsRead> = {
  method: events.getSkills,
  fieldsOf: () => ({}),
  read: (ack, reqId) => wholeOf(readSkills(ack, reqId), (body) => body),
  tries: 3,
};

export interface CollectionValues {
  readonly tools: ToolsSeen;
  readonly desktop: DesktopSeen;
  readonly finder: FinderSeen;
  readonly skills: SkillsRead;
}
export const collections: { readonly [S in Collection]: ViewRules<CollectionValues[S]> } = {
  tools,
  desktop,
  finder,
  skills,
};
