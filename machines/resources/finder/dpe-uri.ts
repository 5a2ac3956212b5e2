import {
  decodeHost,
  decodePart,
  encodeHost,
  encodePart,
  isWithin,
  splitUri,
  valueIn,
  wholeNumberIn,
} from '../uri/index.ts';
import type { Failure } from '../../protocol/failure.ts';
import {
  dpeCategories,
  dpeDepths,
  dpeFormats,
  wordAmong,
  type DpeCategory,
  type DpeDepth,
  type DpeFormat,
} from './dpe-words.ts';
import { invalidDpeUri, type DpeRule } from './failures.ts';

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
export function queryText({ format, depth, offset, limit, categories }: DpeQuery): string {
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
