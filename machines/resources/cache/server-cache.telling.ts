/** What a server cache tells: what is there by now, and of what is not, why. */
import type { Refused } from '../collections/index.ts';
import type { CacheRefreshed, Context } from './server-cache.events.ts';
import { askedUris, hasStale, isAsked, joined, staleOf } from './server-cache.memory.ts';
import { slotAt, unread } from './server-cache.slots.ts';

/** `missing`: so many have not come in time. */
const reasonOf = ({ uris, timing }: Context, missing: number): string | null =>
  missing > 0 ? `${missing} of ${uris.length} could not be read within ${timing.aggregateMs} ms` : null;
const refusedOf = ({ uris, slots }: Context): readonly Refused[] =>
  uris.flatMap((uri, at) => {
    const { failure, refused } = slotAt(slots, at) ?? unread;
    return failure ? [{ uri, reason: failure.message }] : refused;
  });
/** `isTruncated`: in the middle of a round. */
const missingIn = (c: Context, isTruncated: boolean): number =>
  isTruncated ? joined(c.slow, staleOf(c), askedUris(c)).length : c.slow.length;
export function refreshed(c: Context, upTo: number, isTruncated: boolean): CacheRefreshed {
  const missing = missingIn(c, isTruncated);
  const slots = c.slots.flat();
  const hasFailed = slots.some(({ failure }) => failure !== null);
  return {
    type: 'cache.refreshed',
    server: c.server,
    items: slots.flatMap(({ items }) => items),
    reason: reasonOf(c, missing),
    refused: refusedOf(c),
    changes: c.changes,
    isFresh: missing + c.later.length + c.asked.length === 0 && !hasStale(c) && !hasFailed,
    upTo: Math.max(upTo, c.told),
    isNews: missing < c.toldMissing,
  };
}
export const told = (c: Context, upTo: number, isTruncated: boolean): Partial<Context> => ({
  told: Math.max(upTo, c.told),
  toldMissing: missingIn(c, isTruncated),
});
/** The answer to orders for one entry; of the whole it says what is there, and no more. */
export const alone = (c: Context, orders: readonly number[]): CacheRefreshed => ({
  ...refreshed(c, c.told, false),
  alone: c.wishes.flatMap(({ n, uri }) =>
    orders.includes(n) ? [{ n, isRead: !isAsked(c, uri) && !c.slow.includes(uri) }] : [],
  ),
  isNews: false,
});
