import { skillFileOf, skillOf, type AskComputer } from './agent-lists.ts';
import { resourceOf } from '../../machines/resources/resource-pages.ts';
import { events } from '../../machines/protocol/protocol.ts';
import {
  readContents,
  readDesktop,
  readFinder,
  readResources,
  readSkill,
  readSkills,
  type Read,
} from '../../machines/protocol/messages/lists.ts';
import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import { collectionOfUri } from '../../machines/resources/uri-collection.ts';
import {
  elementPlace,
  metadataPlace,
  pagePlace,
  pagesPlace,
  type BuiltDpeUri,
  type DpeFormat,
} from '../../machines/resources/dpe-uri.ts';
import { withRemedy } from '../../machines/resources/remedies.ts';
import { desktopQuestion, finderQuestion } from '../../machines/resources/asked.ts';
import { readElement, readMetadata, readPage, readPages } from '../../machines/resources/finder.ts';
import { A2cError } from '../kernel/errors.ts';
import type { AgentReading, ReadAs, FormatOptions, ReadOptions, ResourceOptions } from './agent-handle.ts';
import type { ResourceContent } from './computer-handle.ts';

const noText: Failure = {
  code: wireCodes.internal,
  message: 'The server gave no text where one was to be',
};
function textIn(contents: readonly ResourceContent[]): Read<string> {
  const texts = contents.flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  return texts.length > 0 ? { ok: true, body: texts.join('\n\n') } : { ok: false, failure: noText };
}

const resourcePages =
  (ask: AskComputer): AgentReading['resources'] =>
  async (computer, server, options = {}) => {
    const { cursor } = options;
    const request = { computer, mcp_server: server, ...(cursor !== undefined && { cursor }) };
    const { resources, next_cursor: next } = await ask(events.getResources, request, options, readResources);
    return { resources: resources.map(resourceOf), nextCursor: next ?? null };
  };

const skillsOf = (ask: AskComputer): AgentReading['skills'] => ({
  list: async (computer, options = {}) => {
    const { skills } = await ask(events.getSkills, { computer }, options, readSkills);
    return skills.map((ref) => skillOf(computer, ref));
  },
  read: async (computer, name, options = {}) => {
    const { path } = options;
    const request = { computer, name, ...(path !== undefined && { rel_path: path }) };
    return skillFileOf(await ask(events.getSkill, request, options, readSkill));
  },
});

type ReadContents<T> = (contents: readonly ResourceContent[]) => Read<T>;
function readersOf(ask: AskComputer) {
  const readRaw = <T>(computer: string, uri: string, options: ResourceOptions, read: ReadContents<T>) => {
    const { server } = options;
    const request = { computer, uri, ...(server !== undefined && { server }) };
    return ask(events.readResource, request, options, (ack, reqId): Read<T> => {
      const raw = readContents(ack, reqId);
      return raw.ok ? read(raw.body.contents) : raw;
    });
  };
  const readPlace = async <T>(
    computer: string,
    place: BuiltDpeUri,
    options: ReadOptions,
    read: ReadContents<T>,
  ): Promise<T> => {
    if (!place.ok) throw new A2cError(withRemedy(place.failure));
    return readRaw(computer, place.uri, options, read);
  };
  const readIn = async <Format extends DpeFormat, T>(
    computer: string,
    place: BuiltDpeUri,
    options: FormatOptions<Format>,
    read: ReadContents<T>,
  ): Promise<ReadAs<Format, T>> => {
    const isText = options.format === 'markdown' || options.format === 'text';
    return (await readPlace<unknown>(computer, place, options, isText ? textIn : read)) as ReadAs<Format, T>;
  };
  return { readRaw, readPlace, readIn };
}

const documentsOf = ({ readPlace, readIn }: ReturnType<typeof readersOf>): AgentReading['documents'] => ({
  metadata: async (computer, uri, options = {}) => {
    return readPlace(computer, metadataPlace(uri), options, readMetadata);
  },
  pages: async (computer, uri, options = {}) => {
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
  page: async (computer, uri, index, options = {}) => {
    const { format = 'json', categories } = options;
    return readIn(computer, pagePlace(uri, index, format, categories), options, readPage);
  },
  element: async (computer, uri, elementId, options = {}) => {
    return readIn(computer, elementPlace(uri, elementId, options.format), options, readElement);
  },
});

export function createReading(ask: AskComputer): AgentReading {
  const readers = readersOf(ask);
  return {
    desktop: async (computer, options = {}) => {
      const { size = null, window = null, fresh = false } = options;
      const request = { computer, ...desktopQuestion({ size, window, fresh }) };
      const { desktops, missing } = await ask(events.getDesktop, request, options, readDesktop);
      return { desktops, missing };
    },
    finder: async (computer, options = {}) => {
      const request = { computer, ...finderQuestion(options) };
      const { documents, total_count, missing } = await ask(events.getFinder, request, options, readFinder);
      return { documents, total_count, missing };
    },
    readResource: async (computer, uri, options = {}) => {
      const collection = collectionOfUri(uri);
      if (!collection.ok) throw new A2cError(withRemedy(collection.failure));
      return readers.readRaw(computer, uri, options, (body) => ({ ok: true, body }));
    },
    resources: resourcePages(ask),
    skills: skillsOf(ask),
    documents: documentsOf(readers),
  };
}
