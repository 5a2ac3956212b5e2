import { bodyOf, createListReading, type AskComputer } from './agent-lists.ts';
import { restless } from '../../machines/agent/collections.ts';
import type { Resource } from '../../machines/catalog/entries.ts';
import {
  events,
  readContents,
  readDesktop,
  readFinder,
  wireCodes,
  type Failure,
  type FinderRead,
  type Read,
} from '../../machines/protocol/index.ts';
import { collectionOfUri } from '../../machines/resources/collection-rules.ts';
import { withRemedy } from '../../machines/resources/collections.ts';
import { desktopQuestion } from '../../machines/resources/desktop.ts';
import {
  finderQuestion,
  readElement,
  readMetadata,
  readPage,
  readPages,
} from '../../machines/resources/finder.ts';
import {
  elementPlace,
  metadataPlace,
  pagePlace,
  pagesPlace,
  type BuiltDpeUri,
  type DpeFormat,
} from '../../machines/resources/uri.ts';
import { A2cError, badRequest } from '../kernel/errors.ts';
import { mustBeOptions } from '../kernel/options.ts';
import type {
  AgentReading,
  ReadAs,
  FinderOptions,
  FormatOptions,
  ReadOptions,
  ResourceOptions,
  PageSummary,
} from './agent-handle.ts';
import type { ResourceContent, DocumentSummary } from './computer-handle.ts';
import { asking } from './option-checks.ts';

const noText: Failure = {
  code: wireCodes.internal,
  message: 'The server gave no text where one was to be',
};
function textIn(contents: readonly ResourceContent[]): Read<string> {
  const texts = contents.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.length > 0 ? { ok: true, body: texts.join('\n\n') } : { ok: false, failure: noText };
}

function readersOf(ask: AskComputer) {
  const readRaw = async (computer: string, uri: string, options: ResourceOptions) => {
    const { server } = options;
    const request = { computer, uri, ...(server !== undefined && { server }) };
    const { ack, reqId } = await ask(events.readResource, request, options);
    return { contents: bodyOf(readContents(ack, reqId), reqId).contents, reqId };
  };
  const readPlace = async <T>(
    computer: string,
    place: BuiltDpeUri,
    options: ReadOptions,
    read: (contents: readonly ResourceContent[]) => Read<T>,
  ): Promise<T> => {
    if (!place.ok) throw new A2cError(withRemedy(place.failure));
    const { contents, reqId } = await readRaw(computer, place.uri, options);
    return bodyOf(read(contents), reqId);
  };
  const readIn = async <Format extends DpeFormat, T>(
    computer: string,
    place: BuiltDpeUri,
    options: FormatOptions<Format>,
    read: (contents: readonly ResourceContent[]) => Read<T>,
  ): Promise<ReadAs<Format, T>> => {
    const isText = options.format === 'markdown' || options.format === 'text';
    return (await readPlace<unknown>(computer, place, options, isText ? textIn : read)) as ReadAs<Format, T>;
  };
  const readList = async (computer: string, options: FinderOptions): Promise<FinderRead> => {
    const { ack, reqId } = await ask(events.getFinder, { computer, ...finderQuestion(options) }, options);
    return bodyOf(readFinder(ack, reqId), reqId);
  };
  return { readRaw, readPlace, readIn, readList };
}

export function createReading(ask: AskComputer): AgentReading {
  const { readRaw, readPlace, readIn, readList } = readersOf(ask);
  const reading: AgentReading = {
    getDesktop: async (computer, options = {}) => {
      mustBeOptions('getDesktop', options, asking.getDesktop);
      const { size = null, window = null, fresh = false } = options;
      const request = { computer, ...desktopQuestion({ size, window, fresh }) };
      const { ack, reqId } = await ask(events.getDesktop, request, options);
      const body = bodyOf(readDesktop(ack, reqId), reqId);
      return { desktops: body.desktops, missing: body.missing };
    },
    getFinder: async (computer, options = {}) => {
      mustBeOptions('getFinder', options, asking.getFinder);
      const { documents, total_count, missing } = await readList(computer, options);
      return { documents, total_count, missing };
    },
    readResource: async (computer, uri, options = {}) => {
      mustBeOptions('readResource', options, asking.readResource);
      const collection = collectionOfUri(uri);
      if (!collection.ok) throw new A2cError(withRemedy(collection.failure));
      return (await readRaw(computer, uri, options)).contents;
    },
    ...createListReading(ask),
    resourcesOf: (computer, server, options = {}) => resourcesOf(reading, computer, server, options),
    readDocumentMetadata: async (computer, uri, options = {}) => {
      mustBeOptions('readDocumentMetadata', options, asking.readDocumentMetadata);
      return readPlace(computer, metadataPlace(uri), options, readMetadata);
    },
    readDocumentPages: async (computer, uri, options = {}) => {
      mustBeOptions('readDocumentPages', options, asking.readDocumentPages);
      const { offset = 0, limit = 20 } = options;
      const { page_offset, page_limit, page_total, ...read } = await readPlace(
        computer,
        pagesPlace(uri, offset, limit),
        options,
        readPages,
      );
      return {
        ...read,
        page_offset: page_offset ?? offset,
        page_limit: page_limit ?? limit,
        page_total: page_total ?? read.page_count,
      };
    },
    readPage: async (computer, uri, index, options = {}) => {
      mustBeOptions('readPage', options, asking.readPage);
      const { format = 'json', categories } = options;
      return readIn(computer, pagePlace(uri, index, format, categories), options, readPage);
    },
    readElement: async (computer, uri, elementId, options = {}) => {
      mustBeOptions('readElement', options, asking.readElement);
      return readIn(computer, elementPlace(uri, elementId, options.format), options, readElement);
    },
    pagesOf: (computer, uri, options = {}) => pagesOf(reading, computer, uri, options),
    documentsOf: (computer, query = {}) => documentsOf((page) => readList(computer, page), query),
  };
  return reading;
}

type Options<Method extends 'pagesOf' | 'documentsOf'> = NonNullable<
  Parameters<AgentReading[Method]>[Method extends 'pagesOf' ? 2 : 1]
>;

/** Number of passes through a changing list of documents before the read fails. */
const mostPasses = 5;

/** `return` withdraws the open question and ends a pending `next`; the host's signal makes `next` reject. */
function leavable<T>(
  signal: AbortSignal | undefined,
  walk: (signal: AbortSignal) => AsyncGenerator<T, void>,
): AsyncIterableIterator<T> {
  const left = new AbortController();
  let isLeft = false;
  const follow = (): void => left.abort(signal?.reason);
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
      // Waits until the open question has ended, which was aborted just before.
      await steps.return();
      return over;
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

const pagesOf = (
  reading: AgentReading,
  computer: string,
  uri: string,
  options: Options<'pagesOf'>,
): AsyncIterableIterator<PageSummary> => {
  mustBeOptions('pagesOf', options, asking.pagesOf);
  const { pageSize = 20, signal, ...how } = options;
  return leavable(signal, async function* (ended) {
    let [offset, last] = [0, -1];
    for (;;) {
      const part = { ...how, offset, limit: pageSize, signal: ended };
      const { pages, page_total: total } = await reading.readDocumentPages(computer, uri, part);
      for (const page of pages) {
        if (page.page_index <= last) continue;
        last = page.page_index;
        yield page;
      }
      offset += pages.length;
      if (pages.length === 0 || offset >= total) return;
    }
  });
};

const resourcesOf = (
  reading: AgentReading,
  computer: string,
  server: string,
  options: ReadOptions,
): AsyncIterableIterator<Resource> => {
  mustBeOptions('resourcesOf', options, asking.resourcesOf);
  const { signal, ...how } = options;
  return leavable(signal, async function* (ended) {
    let cursor: string | undefined;
    do {
      const page = await reading.getResources(computer, server, { ...how, cursor, signal: ended });
      yield* page.resources;
      // Stops when a server gives the same cursor again, because the agent would otherwise ask for that page for ever.
      cursor = page.nextCursor === cursor ? undefined : (page.nextCursor ?? undefined);
    } while (cursor !== undefined);
  });
};

const keyOf = ({ server, uri }: Partial<DocumentSummary>): string => JSON.stringify([server, uri]);
const seamOf = (entry: unknown): string => keyOf(entry ?? {});

/** Pages overlap by one entry to notice a change between two pages; the walk then begins again. */
const documentsOf = (
  ask: (page: FinderOptions) => Promise<FinderRead>,
  options: Options<'documentsOf'>,
): AsyncIterableIterator<DocumentSummary> => {
  mustBeOptions('documentsOf', options, asking.documentsOf);
  const { pageSize = 100, signal, fresh = false, ...query } = options;
  return leavable(signal, async function* (ended) {
    if (!Number.isInteger(pageSize) || pageSize < 2 || pageSize > 100)
      throw badRequest('pageSize must be a whole number from 2 to 100');
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
};
