import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { Read } from '../protocol/messages/lists.ts';
import type { ResourceCollection } from '../ports/link.ts';

/** Parsed by hand, because platforms treat unknown schemes differently in their own parsers. */
export interface UriParts {
  /** In lower case. */
  readonly scheme: string;
  /** As written; may be empty. */
  readonly host: string;
  /** As written: empty, or starting with `/`. */
  readonly path: string;
  /** As written, without the `?`; may be empty. Values are read with `valueIn`. */
  readonly query: string;
}

const uriPattern = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/i;

/** Undefined when it does not have the form `scheme://…`. A fragment after `#` is ignored. */
export function splitUri(raw: string): UriParts | undefined {
  const found = uriPattern.exec(raw);
  if (!found) return undefined;
  const [, scheme = '', host = '', path = '', query = ''] = found;
  return { scheme: scheme.toLowerCase(), host, path, query };
}

/** `+` means a blank, as in forms; no known value contains a plus sign. */
const formDecoded = (text: string): string => {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return decodePart(spaced) ?? spaced;
};

/** The first value; empty for a key without a value. An invalid escape stays as written. */
export function valueIn(query: string, key: string): string | undefined {
  for (let from = 0; from < query.length;) {
    const and = query.indexOf('&', from);
    const end = and < 0 ? query.length : and;
    const equals = query.indexOf('=', from);
    const at = equals < 0 || equals > end ? end : equals;
    if (formDecoded(query.slice(from, at)) === key) return formDecoded(query.slice(at + 1, end));
    from = end + 1;
  }
  return undefined;
}

// ── percent-encoding ──────────────────────────────────────────────────────────────────────────────────
/** RFC 3986. Undefined for an unpaired surrogate, for which the platform throws a `URIError`. */
export function encodePart(text: string): string | undefined {
  try {
    return encodeURIComponent(text).replace(/[!'()*]/g, escaped);
  } catch {
    return undefined;
  }
}

/** The five reserved characters that `encodeURIComponent` leaves out. */
const escaped = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

const loneSurrogate = /\p{Surrogate}/u;

export function decodePart(text: string): string | undefined {
  if (loneSurrogate.test(text)) return undefined;
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Escapes of characters that a host may contain unencoded, so that `h:80` and `[::1]` stay readable. */
const inHosts = /%(?:2[146-9A-C]|3[ABD]|40|5[BD])/g;

export const encodeHost = (host: string): string | undefined =>
  encodePart(host.toLowerCase())?.replace(inHosts, decodeURIComponent);

export const decodeHost = (written: string): string | undefined => decodePart(written)?.toLowerCase();

// ── numbers ───────────────────────────────────────────────────────────────────────────────────────────
/** Blanks around it are allowed; undefined for a sign, a fraction, or a number too large to be exact. */
export function wholeNumberIn(text: string): number | undefined {
  const trimmed = text.trim();
  if (!/^\d+$/.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Limits are inclusive. */
export const isWithin = (value: number, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && value >= least && value <= most;

/** Decoded window URI, `window://host/path1/path2?priority=P&fullscreen=F`. */
export interface WindowUri {
  /**
   * Host that identifies the MCP server, such as `com.example.browser`; in lower case, because case does not
   * matter.
   */
  readonly host: string;
  /** Segments of the path; the first is never empty. */
  readonly path: readonly string[];
  /** Priority from 0 to 100, highest first; absent counts as 0. */
  readonly priority?: number;
  /** True for a window that fills the screen; absent counts as false. */
  readonly fullscreen?: boolean;
}
type WindowRule = 'scheme' | 'host' | 'priority' | 'fullscreen' | 'encoding';

/** Result of parsing: the parts of the URI, or a failure with the violated rule. */
export type ParsedWindowUri =
  | { readonly ok: true; readonly uri: WindowUri }
  | { readonly ok: false; readonly failure: Failure };
/** Result of building: the URI, or a failure with the violated rule. */
export type BuiltWindowUri =
  | { readonly ok: true; readonly uri: string }
  | { readonly ok: false; readonly failure: Failure };

const ruleTexts: Readonly<Record<WindowRule, string>> = {
  scheme: 'it must begin with window://',
  host: 'it must name a host',
  priority: 'priority must be a whole number from 0 to 100',
  fullscreen: 'fullscreen must be true, 1, yes, on, false, 0, no or off',
  encoding: 'host and path must be percent-encoded UTF-8, and the path must not begin with an empty segment',
};
const refuseWindow = (rule: WindowRule, uri?: string): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure: {
    code: wireCodes.badRequest,
    message: `Invalid window URI: ${ruleTexts[rule]}`,
    details: { ...(uri !== undefined && { uri }), rule },
  },
});

const strange = (
  { failure: { message, ...failure } }: { readonly failure: Failure },
  key: string,
): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure: { ...failure, message: `${message.split(':')[0]}: it has no part '${key.slice(0, 40)}'` },
});
const mostPriority = 100;
const truths: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off'].map((word) => [word, false] as const),
]);

interface Standing {
  readonly priority: number | undefined;
  readonly fullscreen: boolean | undefined;
}

/** Unknown query keys are ignored; of a repeated key the first counts. */
function judged(parts: UriParts): Standing | WindowRule {
  if (parts.scheme !== 'window') return 'scheme';
  if (parts.host === '') return 'host';
  const priorityText = valueIn(parts.query, 'priority');
  const priority = priorityText === undefined ? undefined : (wholeNumberIn(priorityText) ?? -1);
  if (priority !== undefined && !isWithin(priority, 0, mostPriority)) return 'priority';
  const fullscreenText = valueIn(parts.query, 'fullscreen');
  const fullscreen =
    fullscreenText === undefined ? undefined : truths.get(fullscreenText.trim().toLowerCase());
  if (fullscreenText !== undefined && fullscreen === undefined) return 'fullscreen';
  const isEncoded = decodePart(parts.host) !== undefined && decodePart(parts.path) !== undefined;
  return isEncoded ? { priority, fullscreen } : 'encoding';
}

/** Faster than `parseWindowUri`, because thousands of URIs are checked at a time. */
export function standingOf(raw: string): Standing | undefined {
  const parts = splitUri(raw);
  const standing = parts && judged(parts);
  return typeof standing === 'string' ? undefined : standing;
}

/**
 * Parses a `window://` URI by the five rules of the protocol. Never throws; a failure has code 400 and the
 * violated `rule` in its details.
 * @example
 * const read = parseWindowUri('window://editor/open?priority=50');
 * if (read.ok) console.log(read.uri.path, read.uri.priority); // [ 'open' ] 50
 */
export function parseWindowUri(raw: string): ParsedWindowUri {
  const parts = splitUri(raw);
  if (!parts) return refuseWindow('scheme', raw);
  const standing = judged(parts);
  if (typeof standing === 'string') return refuseWindow(standing, raw);
  const { priority, fullscreen } = standing;
  return {
    ok: true,
    uri: {
      host: decodeHost(parts.host) ?? '',
      path: segmentsOf(parts.path),
      ...(priority !== undefined && { priority }),
      ...(fullscreen !== undefined && { fullscreen }),
    },
  };
}

/** Splits before decoding, so that `c%2Fd` stays one segment; leading slashes are ignored. */
function segmentsOf(path: string): readonly string[] {
  const written = path.replace(/^\/+/, '');
  return written === '' ? [] : written.split('/').map((segment) => decodePart(segment) ?? '');
}

export const isWindowUri = (raw: string): boolean => standingOf(raw) !== undefined;

/**
 * Builds a URI that `parseWindowUri` reads as these parts; the query has only the given fields, `priority`
 * first. A part of a wrong type violates the rule of that part.
 * @example
 * buildWindowUri({ host: 'editor', path: ['open'], priority: 50 }); // uri: 'window://editor/open?priority=50'
 */
export function buildWindowUri(uri: WindowUri): BuiltWindowUri {
  // A missing argument is handled too, because callers in JavaScript have no type check.
  const given: Partial<WindowUri> = uri ?? {};
  const { host, path = [], priority, fullscreen, ...others } = given;
  const [stranger] = Object.keys(others);
  if (stranger !== undefined) return strange(refuseWindow('encoding'), stranger);
  if (typeof host !== 'string' || host === '') return refuseWindow('host');
  if (!Array.isArray(path) || path.some((segment) => typeof segment !== 'string'))
    return refuseWindow('encoding');
  if (fullscreen !== undefined && typeof fullscreen !== 'boolean') return refuseWindow('fullscreen');
  if (priority !== undefined && !isWithin(priority, 0, mostPriority)) return refuseWindow('priority');
  const written = [encodeHost(host), ...path.map(encodePart)];
  if (written.includes(undefined) || path[0] === '') return refuseWindow('encoding');
  const query = [
    ...(priority === undefined ? [] : [`priority=${priority}`]),
    ...(fullscreen === undefined ? [] : [`fullscreen=${fullscreen}`]),
  ];
  return { ok: true, uri: `window://${written.join('/')}${query.length > 0 ? `?${query.join('&')}` : ''}` };
}

// ── URIs of documents: their words and rules, parsing and building, and the related failures ────────────
// ── words of a document URI ───────────────────────────────────────────────────────────────────────────
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

// ── failures ──────────────────────────────────────────────────────────────────────────────────────────
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

// ── URIs ──────────────────────────────────────────────────────────────────────────────────────────────
/** Query of a document URI; absent fields have the server's defaults (json, metadata, 0, 20, all). */
export interface DpeQuery {
  /** Format of a page or an element in the answer. */
  readonly format?: DpeFormat;
  /** Amount of information about a document: `metadata`, or also its `pages`. */
  readonly depth?: DpeDepth;
  /** Number of pages to skip. */
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

// ── URIs of parts of a document ───────────────────────────────────────────────────────────────────────
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

export const isOtherUri = (uri: string): boolean => !/^(?:window|dpe):/i.test(uri);
/** The Desktop reads windows and all other resources. A wrong URI of a window or a document fails (4204). */
export function collectionOfUri(uri: string): Read<ResourceCollection> {
  if (isOtherUri(uri)) return { ok: true, body: 'desktop' };
  if (/^window:/i.test(uri)) {
    const window = parseWindowUri(uri);
    return window.ok ? { ok: true, body: 'desktop' } : window;
  }
  const read = parseDpeUri(uri);
  return read.ok ? { ok: true, body: 'finder' } : read;
}
