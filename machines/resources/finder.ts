/** Rules of the Finder: the documents of all servers, arranged to answer a question. `desktop.ts` is built in the same way. */
import { isObject, jsonIn, type Fields } from '../protocol/json.ts';
import type { z } from 'zod';
import { byRecency, type ServerHistory } from '../call/history.ts';
import { remembered } from '../kernel/objects.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import {
  dpeCatalogue,
  dpeDocumentMetadata,
  dpeDocumentPages,
  dpeElementDetail,
  dpePage,
  type DPEDocumentSummary,
  type GetFinder,
  type DPEDocumentMetadata,
  type DPEElementDetail,
  type DPEPage,
  type ResourceContents,
} from '../protocol/messages/collections.ts';
import type { Read } from '../protocol/messages/lists.ts';
import { problemsIn } from '../protocol/messages/answers.ts';
import { finderQueryOf, mostLimit, defaultLimit, type FinderQuery } from './asked.ts';
import { refusedIn, type Listed, type Notice, type CollectionRules } from './collections.ts';
import { isDpeUri, metadataUri, parseDpeUri, hostNotFound, type DpeUri } from './dpe-uri.ts';

function partOf({ offset = 0, limit = defaultLimit }: FinderQuery): { from: number; count: number } {
  const whole = (value: number): number => Math.trunc(value) || 0;
  return { from: Math.max(0, whole(offset)), count: Math.max(0, Math.min(mostLimit, whole(limit))) };
}

function testOf({ keywords = [], fileType = '' }: FinderQuery): (d: DPEDocumentSummary) => boolean {
  const words = keywords.map((word) => word.toLowerCase());
  const speaksOf = ({ title, keywords: own, summary }: DPEDocumentSummary): boolean => {
    const texts = [title, (own ?? []).join(' '), summary ?? ''].map((text) => text.toLowerCase());
    return words.some((word) => texts.some((text) => text.includes(word)));
  };
  return (document) =>
    (fileType === '' || document.file_type === fileType) && (words.length === 0 || speaksOf(document));
}

const iso = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/i;
/** In ms since 1970; a time without a zone is UTC. */
export function instantOf(text: string): number | undefined {
  const [, day, time = '00:00', zone = 'Z'] = iso.exec(text) ?? [];
  // oxlint-disable-next-line no-restricted-globals -- reads a text, and no clock
  const ms = Date.parse(`${day}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(ms) ? undefined : ms;
}

export interface FinderPage {
  readonly documents: readonly DPEDocumentSummary[];
  /** Before paging. */
  readonly totalCount: number;
}
type Documents = readonly DPEDocumentSummary[];

/** `documents`: in the order of the lists; `history`: the oldest call first. */
export function organizeFinder(documents: Documents, query: FinderQuery, history: ServerHistory): FinderPage {
  const all = arrangeDocuments(documents, query, history);
  const { from, count } = partOf(query);
  return { documents: all.slice(from, from + count), totalCount: all.length };
}

/** Without paging and invalid URIs, by server and then newest first. */
export function arrangeDocuments(
  documents: Documents,
  query: FinderQuery,
  history: ServerHistory,
): Documents {
  const isWanted = testOf(query);
  const all = byServer(documents);
  return byRecency(all.keys(), history).flatMap((server) => (all.get(server) ?? []).filter(isWanted));
}

/** Remembered as long as the list is the same object. */
const byServer = remembered((documents: Documents): ReadonlyMap<string, Documents> => {
  const all = new Map<string, DPEDocumentSummary[]>();
  for (const document of newestFirst(documents.filter(({ uri }) => isDpeUri(uri))))
    (all.get(document.server) ?? all.set(document.server, []).get(document.server))?.push(document);
  return all;
});

/** Across time zones; those without a time come last, and equal ones keep their order. */
const newestFirst = (documents: Documents): Documents =>
  documents
    .map((document) => ({ document, instant: instantOf(document.last_modified ?? '') ?? -Infinity }))
    .sort((a, b) => (a.instant === b.instant ? 0 : b.instant - a.instant))
    .map(({ document }) => document);

export const dpeUrisIn = (resources: readonly { readonly uri: string }[]): readonly string[] => [
  ...new Set(resources.map(({ uri }) => uri).filter(isDpeUri)),
];

/** 1: documents, which have a summary; 0: catalogues, which list documents. */
export const urisOfLevel = (uris: readonly string[], level: 0 | 1 | 2 | 3): readonly string[] =>
  uris.filter((uri) => {
    const read = parseDpeUri(uri);
    return read.ok && read.uri.level === level;
  });

interface Host {
  readonly all: string[];
  readonly catalogues: string[];
  readonly documents: Map<string, string[]>;
}
const hostsIn = remembered((listed: readonly string[]): ReadonlyMap<string, Host> => {
  const hosts = new Map<string, Host>();
  for (const raw of listed) {
    const read = parseDpeUri(raw);
    if (!read.ok) continue;
    let host = hosts.get(read.uri.host);
    if (!host) hosts.set(read.uri.host, (host = { all: [], catalogues: [], documents: new Map() }));
    host.all.push(raw);
    if (read.uri.level === 0) host.catalogues.push(raw);
    else {
      const others = host.documents.get(read.uri.docRef);
      if (others) others.push(raw);
      else host.documents.set(read.uri.docRef, [raw]);
    }
  }
  return hosts;
});

/** With any query: its document and the catalogue of its host; for a catalogue all documents of its host. */
function documentsTouched(uri: string, listed: readonly string[]): readonly string[] {
  const changed = parseDpeUri(uri);
  const host = changed.ok ? hostsIn(listed).get(changed.uri.host) : undefined;
  if (!changed.ok || !host) return [];
  if (changed.uri.level === 0) return host.all;
  return host.catalogues.concat(host.documents.get(changed.uri.docRef) ?? []);
}

/** With the other servers that have documents of the host, of which the user is warned once. */
interface Route {
  readonly server: string;
  readonly rivals: readonly string[];
}

/** First one that lists the URI, then one that lists its document, then the one whose tool was called last. */
export function routeOf(
  raw: string,
  uri: DpeUri,
  listed: readonly Pick<Listed, 'server' | 'uris'>[],
  history: ServerHistory,
): Route | undefined {
  const able = listed.filter(({ uris }) => hostsIn(uris).has(uri.host));
  const hasDocument = (uris: readonly string[]): boolean =>
    uri.level !== 0 && hostsIn(uris).get(uri.host)?.documents.has(uri.docRef) === true;
  const best = [
    able.filter(({ uris }) => uris.includes(raw)),
    able.filter(({ uris }) => hasDocument(uris)),
    able,
  ].find((some) => some.length > 0);
  const [server] = byRecency(
    (best ?? []).map((each) => each.server),
    history,
  );
  if (server === undefined) return undefined;
  return { server, rivals: able.map((each) => each.server).filter((each) => each !== server) };
}

/** The JSON of the first text, by the level that was read (a2c-wire §3.13). */
type TextContents = readonly Pick<ResourceContents, 'text'>[];

const unreadableRead = (message: string): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure: { code: wireCodes.internal, message },
});

function readAs<T>(contents: TextContents, schema: z.ZodType<T>, what: string): Read<T> {
  const text = contents.find((item) => typeof item.text === 'string')?.text;
  if (typeof text !== 'string') return unreadableRead(`The server gave no text where ${what} was to be`);
  const read = schema.safeParse(jsonIn(text));
  if (read.success) return { ok: true, body: read.data };
  return unreadableRead(`What the server gave is not ${what}: ${problemsIn(read.error).join('; ')}`);
}

export const readMetadata = (contents: TextContents): Read<DPEDocumentMetadata> =>
  readAs(contents, dpeDocumentMetadata, 'a document');
export const readPages = (contents: TextContents) =>
  readAs(contents, dpeDocumentPages, 'a document with its pages');
export function readPage(contents: TextContents): Read<DPEPage> {
  const read = readAs(contents, dpePage, 'a page');
  if (!read.ok) return read;
  const place = parseDpeUri(read.body.uri);
  const docRef = place.ok && place.uri.level !== 0 ? place.uri.docRef : '';
  return { ok: true, body: { ...read.body, doc_ref: read.body.doc_ref ?? docRef } };
}
export const readElement = (contents: TextContents): Read<DPEElementDetail> =>
  readAs(contents, dpeElementDetail, 'an element');

export function readSummary(contents: TextContents, server: string): Read<DPEDocumentSummary> {
  const read = readMetadata(contents);
  return read.ok ? { ok: true, body: { ...read.body, server } } : read;
}

interface CatalogueRead {
  readonly documents: readonly DPEDocumentSummary[];
  readonly refused: readonly { readonly uri?: string; readonly reason: string }[];
}
/** Level 0, of a server that does not list its documents; invalid entries are left out. */
export function readCatalogue(contents: TextContents, server: string): Read<CatalogueRead> {
  const read = readAs(contents, dpeCatalogue, 'a catalogue');
  if (!read.ok) return read;
  const documents: DPEDocumentSummary[] = [];
  const refused = read.body.documents.flatMap((entry, at): CatalogueRead['refused'] => {
    const document = dpeDocumentMetadata.safeParse(entry);
    if (document.success) documents.push({ ...document.data, server });
    if (document.success) return [];
    const { uri } = (entry ?? {}) as Readonly<Record<string, unknown>>;
    const reason = `documents.${at} of its catalogue is not a document: ${problemsIn(document.error).join('; ')}`;
    return [{ reason, ...(typeof uri === 'string' && { uri }) }];
  });
  return { ok: true, body: { documents, refused } };
}

const resourceNotFound = -32_002;
const ofFinder = [wireCodes.documentNotFound, wireCodes.pageOutOfRange, wireCodes.elementNotFound] as const;

/** A Finder code of the server is passed on with its details; a failure without its answer stays unchanged. */
export function readRefusal(refused: Failure, uri: DpeUri): Failure {
  const { message } = refused;
  const { code, data } = refused.details ?? {};
  if (typeof code !== 'number') return refused;
  const own = isObject(data) ? data : {};
  const known = ofFinder.find((each) => each === code || each === own['code']);
  if (known) return { code: known, message, details: detailsIn(own) ?? askedFor(known, uri) };
  if (code === resourceNotFound)
    return { code: wireCodes.documentNotFound, message, details: askedFor(wireCodes.documentNotFound, uri) };
  return { code: wireCodes.internal, message, details: { code } };
}

/** Servers put them directly into the error data, or under `details`. */
function detailsIn({ code: _code, message: _message, details, ...rest }: Fields): Fields | undefined {
  if (isObject(details)) return details;
  return Object.keys(rest).length > 0 ? rest : undefined;
}

function askedFor(code: (typeof ofFinder)[number], uri: DpeUri): Fields {
  if (code === wireCodes.pageOutOfRange && uri.level === 2) return { page_index: uri.pageIndex };
  if (code === wireCodes.elementNotFound && uri.level === 3) return { element_id: uri.elementId };
  return uri.level === 0 ? { host: uri.host } : { doc_ref: uri.docRef };
}

/** The documents if a server lists any, else its catalogues (a2c-wire §3.13). */
const toRead = remembered((uris: readonly string[]): readonly string[] => {
  const documents = urisOfLevel(uris, 1);
  return documents.length > 0 ? [...new Set(documents.map(metadataUri))] : urisOfLevel(uris, 0);
});

const noStandings = {};

function rivalNotice(host: string, server: string, rivals: readonly string[]): Notice | null {
  if (rivals.length === 0) return null;
  const all = [server, ...rivals].toSorted().map((name) => `'${name}'`);
  return {
    about: host,
    mark: all.join(' '),
    text: `Servers ${all.join(' and ')} have documents of the host '${host}': who lists a document is asked for it`,
  };
}

export const finder: CollectionRules = {
  urisIn: dpeUrisIn,
  standingsIn: () => noStandings,
  refusedIn: (resources) => refusedIn(resources, /^dpe:/i, parseDpeUri),
  toRead,
  touchedBy: documentsTouched,
  isListed: (uri, listed) => listed.includes(uri) || documentsTouched(uri, urisOfLevel(listed, 1)).length > 0,
  /** Returns all servers, because the total counts the documents of each. */
  neededBy: (_query, _history, parts) => parts.map(({ server }) => server),
  onlyOf: () => null,
  itemsOf: (contents, uri, server) => {
    const read = parseDpeUri(uri);
    if (!read.ok) return read;
    if (read.uri.level === 0) {
      const catalogue = readCatalogue(contents, server);
      if (!catalogue.ok) return catalogue;
      const { documents, refused } = catalogue.body;
      return { ok: true, body: { items: documents, refused } };
    }
    const summary = readSummary(contents, server);
    return summary.ok ? { ok: true, body: { items: [summary.body], refused: [] } } : summary;
  },
  noticesOf: () => [],
  answerOf: (items, query, history) => {
    const page = organizeFinder(
      items as readonly DPEDocumentSummary[],
      finderQueryOf(query as GetFinder),
      history,
    );
    return { documents: page.documents, total_count: page.totalCount };
  },
  routeOf: (raw, listed, history) => {
    const read = parseDpeUri(raw);
    if (!read.ok) return read;
    const route = routeOf(raw, read.uri, listed, history);
    if (!route) return { ok: false, failure: hostNotFound(read.uri.host) };
    const { server, rivals } = route;
    return { ok: true, body: { server, notice: rivalNotice(read.uri.host, server, rivals) } };
  },
  refusalOf: (refused, raw) => {
    const read = parseDpeUri(raw);
    return read.ok ? readRefusal(refused, read.uri) : refused;
  },
};
