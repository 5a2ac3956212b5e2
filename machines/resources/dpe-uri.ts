/** URIs of documents: their words and rules, parsing and building, and the failures of what they name. */
import { wireCodes, type Failure } from '../protocol/failure.ts';
import {
  splitUri,
  valueIn,
  encodePart,
  decodePart,
  encodeHost,
  decodeHost,
  wholeNumberIn,
  isWithin,
  strange,
} from './uri.ts';
import type { BuiltWindowUri } from './window-uri.ts';
/** The 19 kinds of finder.md in the draft of protocol 0.2.0. */
export const dpeCategories = [
  'text',
  'heading',
  'list',
  'code',
  'table',
  'pivot_table',
  'chart',
  'diagram',
  'image',
  'formula',
  'link',
  'annotation',
  'header',
  'footer',
  'separator',
  'audio',
  'video',
  'form',
  'widget',
] as const;
/** Kind of an element: one of the 19 that the protocol defines. Servers may have more kinds of their own. */
export type DpeCategory = (typeof dpeCategories)[number];

export const dpeFormats = ['json', 'markdown', 'text'] as const;
/** Format of an answer: `json` for data; `markdown` and `text` for people and models. */
export type DpeFormat = (typeof dpeFormats)[number];

export const dpeDepths = ['metadata', 'pages'] as const;
/** Amount of information in a read of a document: `metadata` only, or also the list of `pages`. */
export type DpeDepth = (typeof dpeDepths)[number];

const wordAmong = <Word extends string>(words: readonly Word[], text: string): Word | undefined =>
  words.find((word) => word === text);

/** Failure 4201; its details have the form of the protocol, as for all four failures 4201 to 4204. */
export const documentNotFound = (docRef: string): Failure => ({
  code: wireCodes.documentNotFound,
  message: `There is no document '${docRef}'`,
  details: { doc_ref: docRef },
});

export const hostNotFound = (host: string): Failure => ({
  code: wireCodes.documentNotFound,
  message: `No MCP server has documents of the host '${host}'`,
  details: { host },
});

export const pageOutOfRange = (pageIndex: number, pageCount: number): Failure => ({
  code: wireCodes.pageOutOfRange,
  message: `Page ${pageIndex} is out of range: the document has ${pageCount} pages, counted from 0`,
  details: { page_index: pageIndex, page_count: pageCount },
});

export const elementNotFound = (elementId: string): Failure => ({
  code: wireCodes.elementNotFound,
  message: `There is no element '${elementId}'`,
  details: { element_id: elementId },
});

/** The eight of the protocol draft in their order, and correct percent-encoding. */
type DpeRule =
  | 'scheme'
  | 'host'
  | 'sub-path'
  | 'format'
  | 'depth'
  | 'offset'
  | 'limit'
  | 'categories'
  | 'encoding';
const says: Readonly<Record<DpeRule, string>> = {
  scheme: 'it must begin with dpe://',
  host: 'it must name a host',
  'sub-path':
    'a document must be named, and behind it only pages/{number from 0} or elements/{id} may follow',
  format: 'format must be json, markdown or text',
  depth: 'depth must be metadata or pages',
  offset: 'offset must be a whole number of at least 0',
  limit: 'limit must be a whole number from 1 to 100',
  categories: 'categories must be kinds of elements with commas between them',
  encoding: 'host, document and element must be percent-encoded UTF-8',
};
/** Failure 4204. `uri` is absent when it could not be built. */
export const invalidDpeUri = (rule: DpeRule, uri?: string): Failure => ({
  code: wireCodes.invalidDpeUri,
  message: `Invalid DPE URI: ${says[rule]}`,
  details: { ...(uri !== undefined && { uri }), rule },
});

/** Query of a document URI; absent fields have the server's defaults (json, metadata, 0, 20, all). */
export interface DpeQuery {
  /** Format of a page or an element in the answer. */
  readonly format?: DpeFormat;
  /** Amount of information about a document: `metadata`, or also its `pages`. */
  readonly depth?: DpeDepth;
  /** Pages to skip, from 0. */
  readonly offset?: number;
  /** Largest number of pages to return, from 1 to 100. */
  readonly limit?: number;
  /** Kinds of elements to return; never an empty list. */
  readonly categories?: readonly DpeCategory[];
}
/**
 * Target of a `dpe://` URI: the catalogue of a host (level 0), a document (1), a page (2), or an element (3).
 */
export type DpePlace =
  | {
      readonly level: 0;
      /** Host that identifies the MCP server; in lower case, because case does not matter. */
      readonly host: string;
    }
  | {
      readonly level: 1;
      readonly host: string;
      /** Key of the document within its host; not empty, may contain slashes. */
      readonly docRef: string;
    }
  | {
      readonly level: 2;
      readonly host: string;
      readonly docRef: string;
      /** Index of the page, from 0. */
      readonly pageIndex: number;
    }
  | {
      readonly level: 3;
      readonly host: string;
      readonly docRef: string;
      /** Id of the element within its document; not empty. */
      readonly elementId: string;
    };
/** Decoded URI of the form `dpe://host[/doc-ref[/pages/N | /elements/ID]][?query]`. */
export type DpeUri = DpePlace & DpeQuery;

/** Result of parsing: the parts of the URI, or a failure with the violated rule. */
export type ParsedDpeUri =
  | { readonly ok: true; readonly uri: DpeUri }
  | { readonly ok: false; readonly failure: Failure };
/** Result of building: the URI, or a failure with the violated rule. */
export type BuiltDpeUri = BuiltWindowUri;

const refuseDpe = (rule: DpeRule, uri?: string): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure: invalidDpeUri(rule, uri),
});
const mostLimit = 100;

/**
 * Parses a document URI by all rules of the protocol draft. Unknown query keys are ignored; of a repeated key the first
 * counts.
 * @example
 * const read = parseDpeUri('dpe://files/report.pdf/pages/0?format=text');
 * if (read.ok && read.uri.level === 2) console.log(read.uri.docRef, read.uri.pageIndex, read.uri.format);
 */
export function parseDpeUri(raw: string): ParsedDpeUri {
  const parts = splitUri(raw);
  if (parts?.scheme !== 'dpe') return refuseDpe('scheme', raw);
  if (parts.host === '') return refuseDpe('host', raw);
  const host = decodeHost(parts.host);
  if (host === undefined) return refuseDpe('encoding', raw);
  const place = placeIn(host, parts.path);
  if (typeof place === 'string') return refuseDpe(place, raw);
  const query = queryIn(parts.query);
  return typeof query === 'string' ? refuseDpe(query, raw) : { ok: true, uri: { ...place, ...query } };
}

export const isDpeUri = (raw: string): boolean => parseDpeUri(raw).ok;

/** Split before decoding, so that `a%2Fb` stays one key; the whole rest is the id of an element. */
function placeIn(host: string, path: string): DpePlace | DpeRule {
  const segments = path.split('/');
  const [writtenRef, kind] = [segments[1] ?? '', segments[2]];
  if (kind === undefined) {
    if (writtenRef === '') return { level: 0, host };
    const docRef = decodePart(writtenRef);
    return docRef === undefined ? 'encoding' : { level: 1, host, docRef };
  }
  const docRef = decodePart(writtenRef);
  const part = decodePart(segments.slice(3).join('/'));
  if (docRef === undefined || part === undefined) return 'encoding';
  if (docRef === '' || part === '') return 'sub-path';
  if (kind === 'elements') return { level: 3, host, docRef, elementId: part };
  const pageIndex = kind === 'pages' && part === part.trim() ? wholeNumberIn(part) : undefined;
  return pageIndex === undefined ? 'sub-path' : { level: 2, host, docRef, pageIndex };
}

type Readers = { readonly [Key in keyof DpeQuery]-?: (text: string) => DpeQuery[Key] };
const readers: Readers = {
  format: (text) => wordAmong(dpeFormats, text),
  depth: (text) => wordAmong(dpeDepths, text),
  offset: wholeNumberIn,
  limit: (text) => {
    const value = wholeNumberIn(text);
    return value !== undefined && isWithin(value, 1, mostLimit) ? value : undefined;
  },
  categories: categoriesIn,
};
const keys = Object.keys(readers) as (keyof DpeQuery)[];

function queryIn(written: string): DpeQuery | DpeRule {
  const query: Record<string, unknown> = {};
  if (written === '') return query;
  for (const key of keys) {
    const text = valueIn(written, key);
    if (text === undefined) continue;
    const value = readers[key](text);
    if (value === undefined) return key;
    query[key] = value;
  }
  return query;
}

function categoriesIn(text: string): readonly DpeCategory[] | undefined {
  const words = text.split(',').map((word) => wordAmong(dpeCategories, word.trim()));
  return words.every((word) => word !== undefined) ? words : undefined;
}

/**
 * Builds a URI that `parseDpeUri` reads as these parts. A part of a wrong type violates the rule of that
 * part.
 * @example
 * buildDpeUri({ level: 1, host: 'files', docRef: 'a b.pdf' }); // { ok: true, uri: 'dpe://files/a%20b.pdf' }
 */
export function buildDpeUri(given: DpeUri): BuiltDpeUri {
  // A missing argument is handled too, because callers in JavaScript have no type check.
  const uri = given ?? {};
  const broken = brokenRule(uri);
  if (broken) return refuseDpe(broken);
  const known = new Set<string>(['level', 'host', ...keys, ...partsOf(uri.level)]);
  const stranger = Object.keys(uri).find((key) => !known.has(key));
  if (stranger !== undefined) return strange(refuseDpe('sub-path'), stranger);
  const path = [
    encodeHost(uri.host),
    ...(uri.level === 0 ? [] : [encodePart(uri.docRef)]),
    ...(uri.level === 2 ? ['pages', String(uri.pageIndex)] : []),
    ...(uri.level === 3 ? ['elements', encodePart(uri.elementId)] : []),
  ];
  if (path.includes(undefined)) return refuseDpe('encoding');
  return { ok: true, uri: `dpe://${path.join('/')}${queryText(uri)}` };
}

function queryText({ format, depth, offset, limit, categories }: DpeQuery): string {
  const given = Object.entries({ format, depth, offset, limit, categories: categories?.join(',') });
  const pairs = given.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

const partsOf = (level: DpeUri['level'] = 1): readonly string[] =>
  ['docRef', level === 2 ? 'pageIndex' : 'elementId'].slice(0, level === 0 ? 0 : level === 1 ? 1 : 2);
const isNamed = (text: unknown): boolean => typeof text === 'string' && text !== '';
function brokenRule(uri: DpeUri): DpeRule | undefined {
  const { format, depth, offset, limit, categories } = uri;
  if (!isNamed(uri.host)) return 'host';
  if (uri.level !== 0 && !isNamed(uri.docRef)) return 'sub-path';
  if (uri.level === 2 && !isWithin(uri.pageIndex, 0, Number.MAX_SAFE_INTEGER)) return 'sub-path';
  if (uri.level === 3 && !isNamed(uri.elementId)) return 'sub-path';
  if (format !== undefined && !wordAmong(dpeFormats, format)) return 'format';
  if (depth !== undefined && !wordAmong(dpeDepths, depth)) return 'depth';
  if (offset !== undefined && !isWithin(offset, 0, Number.MAX_SAFE_INTEGER)) return 'offset';
  if (limit !== undefined && !isWithin(limit, 1, mostLimit)) return 'limit';
  if (categories === undefined) return undefined;
  const isKnown =
    Array.isArray(categories) && categories.every((category) => wordAmong(dpeCategories, category));
  return isKnown && categories.length > 0 ? undefined : 'categories';
}

/** Host and key keep the server's spelling, because a server that compares texts knows no other. */
export const metadataPlace = (document: string): BuiltDpeUri => placeBehind(document, '', {});

/** A document may be listed as its text (`?format=markdown`); its metadata are JSON. */
export const metadataUri = (listed: string): string => {
  const { query = '' } = splitUri(listed) ?? {};
  const place = /^(markdown|text)$/.test(valueIn(query, 'format') ?? '') ? metadataPlace(listed) : undefined;
  return place?.ok ? place.uri : listed;
};

export const pagesPlace = (document: string, offset: number, limit: number): BuiltDpeUri =>
  placeBehind(document, '', { depth: 'pages', offset, limit });

export const pagePlace = (
  document: string,
  pageIndex: number,
  format: DpeFormat,
  categories?: readonly DpeCategory[],
): BuiltDpeUri =>
  isWithin(pageIndex, 0, Number.MAX_SAFE_INTEGER)
    ? placeBehind(document, `/pages/${pageIndex}`, { format, ...(categories && { categories }) })
    : { ok: false, failure: invalidDpeUri('sub-path') };

export function elementPlace(document: string, elementId: string, format?: DpeFormat): BuiltDpeUri {
  const id = encodePart(elementId);
  return id === undefined
    ? { ok: false, failure: invalidDpeUri('encoding') }
    : placeBehind(document, `/elements/${id}`, { ...(format && { format }) });
}

const toDocument = /^[^:]+:\/\/[^/?#]+\/[^/?#]+/;

/** Any sub-path and query of the given URI are dropped. */
function placeBehind(document: string, subPath: string, query: DpeQuery): BuiltDpeUri {
  const read = parseDpeUri(document);
  if (!read.ok) return read;
  const [base] = toDocument.exec(document) ?? [];
  // Refuses a URI with only a host, because it names no document.
  if (base === undefined) return { ok: false, failure: invalidDpeUri('sub-path', document) };
  const uri = `${base}${subPath}${queryText(query)}`;
  const built = parseDpeUri(uri);
  return built.ok ? { ok: true, uri } : built;
}
