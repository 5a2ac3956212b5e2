import { finderQuestion, mostLimit } from '../../resources/finder/index.ts';
import type { Missing } from '../../resources/collections/index.ts';
import { events } from '../../protocol/events.ts';
import { wireCodes, type Failure } from '../../protocol/failure.ts';
import type { DPEDocumentSummary } from '../../protocol/messages/finder.ts';
import { readFinder } from '../../protocol/messages/lists.ts';
import type { Gathered, Reading, ViewRules } from './collection.ts';

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
/** How often one collection is begun anew by itself. */
const mostTorn = 2;
const none: Gathered = { items: [], given: 0, missing: [], total: 0, pages: 0, torn: 0 };
/** Also said by whoever lists them in another way. */
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

export const finder: ViewRules<FinderSeen> = {
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
