/** What an agent reads of a computer: its windows, its documents, level by level, and resources as they are. */
import { desktopQuestion } from '../../../machines/resources/desktop/index.ts';
import {
  elementPlace,
  finderQuestion,
  metadataPlace,
  pagePlace,
  pagesPlace,
  readElement,
  readMetadata,
  readPage,
  readPages,
  type BuiltDpeUri,
  type DpeFormat,
} from '../../../machines/resources/finder/index.ts';
import { collectionOfUri, withRemedy } from '../../../machines/resources/collections/index.ts';
import {
  events,
  readContents,
  readDesktop,
  readFinder,
  wireCodes,
  type Failure,
  type FinderRead,
  type Read,
} from '../../../machines/protocol/index.ts';
import { questionError } from './agent-calls.ts';
import { documentsOf, pagesOf } from './agent-pages.ts';
import { A2cError } from '../../kernel/errors.ts';
import type { ResourceContent } from '../computer/collections-handle.ts';
import type {
  AgentReading,
  ReadAs,
  FinderOptions,
  FormatOptions,
  ReadOptions,
  ResourceOptions,
} from './reading-handle.ts';

/** One question to a computer: its raw ack, and the `req_id` that it has to echo. Rejects when there is none. */
export type Ask = (
  method: string,
  request: object,
  options: ReadOptions,
) => Promise<{ readonly ack: unknown; readonly reqId: string }>;

/** What the wire does not carry is refused before anybody is asked. */
function demand(isSo: boolean, message: string): void {
  if (!isSo) throw new A2cError({ code: wireCodes.badRequest, message });
}
const isWhole = (value: number | undefined): boolean => value === undefined || Number.isSafeInteger(value);

function bodyOf<T>(read: Read<T>, reqId: string): T {
  if (read.ok) return read.body;
  throw questionError(read.failure, reqId);
}
const noText: Failure = {
  code: wireCodes.internal,
  message: 'The server gave no text where one was to be',
};
/** Of a format that is no JSON: all its texts. */
function textIn(contents: readonly ResourceContent[]): Read<string> {
  const texts = contents.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.length > 0 ? { ok: true, body: texts.join('\n\n') } : { ok: false, failure: noText };
}

export function createReading(ask: Ask): AgentReading {
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
    demand(isWhole(options.offset), 'offset must be a whole number');
    demand(isWhole(options.limit), 'limit must be a whole number');
    const { ack, reqId } = await ask(events.getFinder, { computer, ...finderQuestion(options) }, options);
    return bodyOf(readFinder(ack, reqId), reqId);
  };
  const reading: AgentReading = {
    getDesktop: async (computer, options = {}) => {
      const { size = null, window = null, fresh = false } = options;
      demand(isWhole(size ?? undefined), 'size must be a whole number');
      const request = { computer, ...desktopQuestion({ size, window, fresh }) };
      const { ack, reqId } = await ask(events.getDesktop, request, options);
      const body = bodyOf(readDesktop(ack, reqId), reqId);
      return { desktops: body.desktops, missing: body.missing };
    },
    getFinder: async (computer, options = {}) => {
      const { documents, total_count, missing } = await readList(computer, options);
      return { documents, total_count, missing };
    },
    readResource: async (computer, uri, options = {}) => {
      const collection = collectionOfUri(uri);
      if (!collection.ok) throw new A2cError(withRemedy(collection.failure));
      return (await readRaw(computer, uri, options)).contents;
    },
    readDocumentMetadata: async (computer, uri, options = {}) =>
      readPlace(computer, metadataPlace(uri), options, readMetadata),
    readDocumentPages: async (computer, uri, options = {}) =>
      readPlace(computer, pagesPlace(uri, options.offset ?? 0, options.limit ?? 20), options, readPages),
    readPage: async (computer, uri, index, options = {}) =>
      readIn(
        computer,
        pagePlace(uri, index, options.format ?? 'json', options.categories),
        options,
        readPage,
      ),
    readElement: async (computer, uri, elementId, options = {}) =>
      readIn(computer, elementPlace(uri, elementId, options.format), options, readElement),
    pagesOf: (computer, uri, options = {}) => pagesOf(reading, computer, uri, options),
    documentsOf: (computer, query = {}) => documentsOf((page) => readList(computer, page), query),
  };
  return reading;
}
