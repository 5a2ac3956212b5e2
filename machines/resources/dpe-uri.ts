/** URIs of documents (seed 000): their words and rules, taken apart and built, and the failures that name them. */
import { wireCodes, type Failure } from '../protocol/failure.ts';
import {
  decodeHost,
  decodePart,
  encodeHost,
  encodePart,
  isWithin,
  wholeNumberIn,
  splitUri,
  valueIn,
} from './uri.ts';

// ── words ─────────────────────────────────────────────────────────────────────────────────────────────
/** The words that a URI of a document may hold (seed 000; the 19 kinds of elements: finder.md of the 0.2.0 draft). */
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
/** The 19 kinds of elements that the protocol knows. A server may have more of its own. */
export type DpeCategory = (typeof dpeCategories)[number];

export const dpeFormats = ['json', 'markdown', 'text'] as const;
/** `json` is data; `markdown` and `text` are texts for people and models. */
export type DpeFormat = (typeof dpeFormats)[number];

export const dpeDepths = ['metadata', 'pages'] as const;
/** How much a read of a document gives: what is told of it, or its list of pages too. */
export type DpeDepth = (typeof dpeDepths)[number];

/** The one of these words that this is. */
const wordAmong = <Word extends string>(words: readonly Word[], text: string): Word | undefined =>
  words.find((word) => word === text);

// ── failures ──────────────────────────────────────────────────────────────────────────────────────────
/** The four failures of Finder, 4201 to 4204, each with the details that the answers to seed 000 name. */
export const documentNotFound = (docRef: string): Failure => ({
  code: wireCodes.documentNotFound,
  message: `There is no document '${docRef}'`,
  details: { doc_ref: docRef },
});

/** No server of this computer has such documents at all. */
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

/** What a URI of a document may break: the seed's eight rules in their order, and that what it says is encoded right. */
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
/** `uri` is absent where none came to be: it was to be built. */
export const invalidDpeUri = (rule: DpeRule, uri?: string): Failure => ({
  code: wireCodes.invalidDpeUri,
  message: `Invalid DPE URI: ${says[rule]}`,
  details: { ...(uri !== undefined && { uri }), rule },
});

// ── URIs ──────────────────────────────────────────────────────────────────────────────────────────────
/** What is asked of a place; what is absent is up to its server (json, metadata, 0, 20, all). */
export interface DpeQuery {
  /** In which form a page or an element is wanted. */
  readonly format?: DpeFormat;
  /** Of a document: what is told of it alone (`metadata`), or its pages too (`pages`). */
  readonly depth?: DpeDepth;
  /** How many pages are passed over. */
  readonly offset?: number;
  /** 1 to 100. */
  readonly limit?: number;
  /** Never empty. */
  readonly categories?: readonly DpeCategory[];
}
/** Where a `dpe://` URI leads: to the catalogue of a host (level 0), a document (1), a page (2), an element (3). */
export type DpePlace =
  | {
      readonly level: 0;
      /** Names the MCP server; in lower case, because case means nothing there. */
      readonly host: string;
    }
  | {
      readonly level: 1;
      readonly host: string;
      /** Names the document within its host. Never empty; may hold slashes. */
      readonly docRef: string;
    }
  | {
      readonly level: 2;
      readonly host: string;
      readonly docRef: string;
      /** From 0. */
      readonly pageIndex: number;
    }
  | {
      readonly level: 3;
      readonly host: string;
      readonly docRef: string;
      /** Names the element within its document. Never empty. */
      readonly elementId: string;
    };
/** `dpe://host[/doc-ref[/pages/N | /elements/ID]][?query]` (seed 000), decoded. */
export type DpeUri = DpePlace & DpeQuery;

/** The parts of a URI, or which rule it breaks. */
export type ParsedDpeUri =
  | { readonly ok: true; readonly uri: DpeUri }
  | { readonly ok: false; readonly failure: Failure };
/** A URI, or which rule its parts break. */
export type BuiltDpeUri =
  | { readonly ok: true; readonly uri: string }
  | { readonly ok: false; readonly failure: Failure };

const refuse = (rule: DpeRule, uri?: string): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure: invalidDpeUri(rule, uri),
});
const mostLimit = 100;

/** Every rule of the seed; unknown keys of the query are ignored, of one that stands twice the first counts. */
export function parseDpeUri(raw: string): ParsedDpeUri {
  const parts = splitUri(raw);
  if (parts?.scheme !== 'dpe') return refuse('scheme', raw);
  if (parts.host === '') return refuse('host', raw);
  const host = decodeHost(parts.host);
  if (host === undefined) return refuse('encoding', raw);
  const place = placeIn(host, parts.path);
  if (typeof place === 'string') return refuse(place, raw);
  const query = queryIn(parts.query);
  return typeof query === 'string' ? refuse(query, raw) : { ok: true, uri: { ...place, ...query } };
}

export const isDpeUri = (raw: string): boolean => parseDpeUri(raw).ok;

/** Split before it is decoded, so that `a%2Fb` stays one document; of an element the whole rest is its id. */
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

/** What `parseDpeUri` reads as this. A part of another type than its own breaks the rule of that part. */
export function buildDpeUri(given: DpeUri): BuiltDpeUri {
  // JavaScript calls this with whatever it has.
  const uri = given ?? {};
  const broken = brokenRule(uri);
  if (broken) return refuse(broken);
  const path = [
    encodeHost(uri.host),
    ...(uri.level === 0 ? [] : [encodePart(uri.docRef)]),
    ...(uri.level === 2 ? ['pages', String(uri.pageIndex)] : []),
    ...(uri.level === 3 ? ['elements', encodePart(uri.elementId)] : []),
  ];
  if (path.includes(undefined)) return refuse('encoding');
  return { ok: true, uri: `dpe://${path.join('/')}${queryText(uri)}` };
}

/** `?key=value&…` of what is given, in the order of the seed. */
function queryText({ format, depth, offset, limit, categories }: DpeQuery): string {
  const given = Object.entries({ format, depth, offset, limit, categories: categories?.join(',') });
  const pairs = given.flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

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

// ── reading on ────────────────────────────────────────────────────────────────────────────────────────
/**
 * From the URI of a document on to its places (seed 000, 渐进式导航). Host and document stay as its server writes them: one
 * that compares texts would not know its own document in another spelling.
 */
export const metadataPlace = (document: string): BuiltDpeUri => placeBehind(document, '', {});

export const pagesPlace = (document: string, offset: number, limit: number): BuiltDpeUri =>
  placeBehind(document, '', { depth: 'pages', offset, limit });

/** `categories`: of its elements only those of these kinds. */
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

/** What the document's own URI has behind the document is dropped. */
function placeBehind(document: string, subPath: string, query: DpeQuery): BuiltDpeUri {
  const read = parseDpeUri(document);
  if (!read.ok) return read;
  const [base] = toDocument.exec(document) ?? [];
  // A host alone is no document.
  if (base === undefined) return { ok: false, failure: invalidDpeUri('sub-path', document) };
  const uri = `${base}${subPath}${queryText(query)}`;
  const built = parseDpeUri(uri);
  return built.ok ? { ok: true, uri } : built;
}
