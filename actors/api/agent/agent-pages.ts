/** Lists that an agent walks through page by page, for as long as somebody wants more. */
import { restless } from '../../../machines/agent/collections/index.ts';
import { wireCodes, type FinderRead } from '../../../machines/protocol/index.ts';
import type { AgentReading, FinderOptions } from './reading-handle.ts';
import type { PageSummary } from './documents-handle.ts';
import { A2cError } from '../../kernel/errors.ts';
import type { DocumentSummary } from '../computer/collections-handle.ts';

type Options<Method extends 'pagesOf' | 'documentsOf'> = NonNullable<
  Parameters<AgentReading[Method]>[Method extends 'pagesOf' ? 2 : 1]
>;

/** How often a query is gone through before it is said that its documents do not come to rest. */
const mostPasses = 5;

/**
 * `walk` as an iterator that can be left at any moment: `return` withdraws the question that is on its way, and whoever
 * waits for its answer is told that there is no more. The host's own signal makes it reject instead.
 */
function leavable<T>(
  signal: AbortSignal | undefined,
  walk: (signal: AbortSignal) => AsyncGenerator<T, void>,
): AsyncIterableIterator<T> {
  const left = new AbortController();
  let isLeft = false;
  const follow = (): void => left.abort();
  const loose = (): void => signal?.removeEventListener('abort', follow);
  if (signal?.aborted) follow();
  else signal?.addEventListener('abort', follow, { once: true });
  const over = { done: true, value: undefined } as const;
  const steps = walk(left.signal);
  const iterator: AsyncIterableIterator<T> = {
    next: async () => {
      try {
        const step = await steps.next();
        if (step.done) loose();
        return step.done ? over : step;
      } catch (error) {
        loose();
        if (isLeft) return over;
        throw error;
      }
    },
    return: async () => {
      isLeft = true;
      left.abort();
      loose();
      // After the question that is on its way, which ends now.
      await steps.return();
      return over;
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

export const pagesOf = (
  reading: AgentReading,
  computer: string,
  uri: string,
  { pageSize = 20, signal, ...how }: Options<'pagesOf'>,
): AsyncIterableIterator<PageSummary> =>
  leavable(signal, async function* (ended) {
    let [offset, last] = [0, -1];
    for (;;) {
      const options = { ...how, offset, limit: pageSize, signal: ended };
      const { pages, page_total: total } = await reading.readDocumentPages(computer, uri, options);
      for (const page of pages) {
        if (page.page_index <= last) continue;
        last = page.page_index;
        yield page;
      }
      offset += pages.length;
      if (pages.length === 0 || offset >= total) return;
    }
  });

const keyOf = ({ server, uri }: Partial<DocumentSummary>): string => JSON.stringify([server, uri]);
/** Of an entry that may be none. */
const seamOf = (entry: unknown): string => keyOf(entry ?? {});

/**
 * Pages overlap by one entry: where the seam does not fit, the list has moved under whoever walks through it. Entries that
 * are no documents count there, and are passed over.
 */
export const documentsOf = (
  ask: (page: FinderOptions) => Promise<FinderRead>,
  { pageSize = 100, signal, fresh = false, ...query }: Options<'documentsOf'>,
): AsyncIterableIterator<DocumentSummary> =>
  leavable(signal, async function* (ended) {
    if (!Number.isInteger(pageSize) || pageSize < 2 || pageSize > 100)
      throw new A2cError({
        code: wireCodes.badRequest,
        message: 'pageSize must be a whole number from 2 to 100',
      });
    const given = new Set<string>();
    for (let pass = 1; pass <= mostPasses; pass += 1) {
      let seam: { readonly at: number; readonly key: string; readonly total: number } | undefined;
      for (;;) {
        const isFirst = pass === 1 && seam === undefined;
        const part = { offset: seam?.at ?? 0, limit: pageSize, signal: ended, fresh: fresh && isFirst };
        const { documents, entries, total_count: total } = await ask({ ...query, ...part });
        for (const document of documents) {
          if (given.has(keyOf(document))) continue;
          given.add(keyOf(document));
          yield document;
        }
        const isOther = entries.length === 0 || seamOf(entries[0]) !== seam?.key;
        if (seam && (total !== seam.total || isOther)) break;
        const at: number = (seam?.at ?? 0) + entries.length - 1;
        if (entries.length === 0 || at + 1 >= total || at === seam?.at) return;
        seam = { at, key: seamOf(entries.at(-1)), total };
      }
    }
    throw new A2cError(restless);
  });
