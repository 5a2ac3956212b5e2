/** Rules of `a2c check`: they judge what a server declared, listed, answered and announced. */
import type { z } from 'zod';
import type { Failure } from '../protocol/failure.ts';
import {
  dpeCatalogue,
  dpeDocumentMetadata,
  dpeDocumentPages,
  dpeElementDetail,
  dpePage,
  type DPEDocumentMetadata,
  type DPEPage,
} from '../protocol/messages/collections.ts';
import { parseDpeUri } from './dpe-uri.ts';
import { splitUri, encodePart } from './uri.ts';
import { parseWindowUri } from './window-uri.ts';
import { instantOf } from './finder.ts';

/** From docs/windows-and-documents.md, each with advice for the author of the server. */
const remedies = {
  subscribe:
    'Declare resources: { subscribe: true } and answer resources/subscribe; without it a server is left out',
  'list-changed':
    'Declare resources: { listChanged: true }, and send list_changed when the list is another one',
  list: 'Answer resources/list',
  host: 'Take one host for all URIs of a server, such as com.example.browser',
  'window-uri': 'Write it as window://host/path?priority=0…100&fullscreen=true, each segment percent-encoded',
  'document-uri':
    'List dpe://host/doc-ref, percent-encoded, or dpe://host for a catalogue; pages and elements are not listed',
  'window-text': 'Give text: blobs are not shown on the Desktop',
  unreadable: 'Answer resources/read of every URI that is listed',
  catalogue: 'Answer {"documents": […], "total_count": N}',
  document:
    'Answer JSON with doc_ref (the key, encoded in the uri alone), uri, file_uri, file_type (lower case, no dot), title and page_count; last_modified is ISO 8601',
  pages: 'With depth=pages answer also pages, page_offset, page_limit and page_total; pages count from 0',
  page: 'Answer JSON with page_index, title, doc_ref, uri, elements and element_count, which is their number',
  element:
    'Answer JSON with element_id, category and content, an object; an id names one element of a document',
} as const;

type CheckRule = keyof typeof remedies;
export const checkRules = Object.keys(remedies) as readonly CheckRule[];

/** Violation of one rule at one place. */
export interface Violation {
  readonly rule: CheckRule;
  /** URI of the resource; null for the server as a whole. */
  readonly uri: string | null;
  /** Field of the content, such as `priority` or `elements.0.content`; null for all of it. */
  readonly field: string | null;
  /** Expected and actual value, in one sentence. */
  readonly found: string;
  readonly remedy: string;
}
export const violation = (
  rule: CheckRule,
  uri: string | null,
  field: string | null,
  found: string,
): Violation => ({
  rule,
  uri,
  field,
  found,
  remedy: remedies[rule],
});

interface Declared {
  readonly subscribe: boolean;
  readonly listChanged: boolean;
}
const scheme = (uri: string): string | undefined => splitUri(uri)?.scheme;
export const isWindow = (uri: string): boolean => scheme(uri) === 'window' || /^window:/i.test(uri);
export const isDocument = (uri: string): boolean => scheme(uri) === 'dpe' || /^dpe:/i.test(uri);

export function brokenByList(declared: Declared, listed: readonly string[]): Violation[] {
  const uris = listed.filter((uri) => isWindow(uri) || isDocument(uri));
  if (uris.length === 0) return [];
  const hosts = [...new Set(uris.flatMap((uri) => splitUri(uri)?.host.toLowerCase() || []))];
  return [
    ...(declared.subscribe
      ? []
      : [violation('subscribe', null, 'capabilities.resources.subscribe', 'it is not declared')]),
    ...(declared.listChanged
      ? []
      : [violation('list-changed', null, 'capabilities.resources.listChanged', 'it is not declared')]),
    ...(hosts.length > 1
      ? [violation('host', null, null, `its URIs have several hosts: ${hosts.join(', ')}`)]
      : []),
    ...uris.flatMap(brokenByUri),
  ];
}
function brokenByUri(uri: string): Violation[] {
  if (isWindow(uri)) {
    const window = parseWindowUri(uri);
    return window.ok ? [] : [ofUri('window-uri', uri, window.failure)];
  }
  const document = parseDpeUri(uri);
  if (!document.ok) return [ofUri('document-uri', uri, document.failure)];
  if (document.uri.level < 2) return [];
  return [violation('document-uri', uri, 'path', 'it is a page or an element, and is listed')];
}
const ofUri = (rule: CheckRule, uri: string, { message, details }: Failure): Violation =>
  violation(rule, uri, typeof details?.['rule'] === 'string' ? details['rule'] : null, message);

/** Empty contents are allowed and not shown; contents with only blobs are a violation. */
export function brokenByWindow(
  uri: string,
  contents: readonly { readonly text?: unknown; readonly blob?: unknown }[],
): Violation[] {
  const hasText = contents.some(({ text }) => typeof text === 'string');
  const hasBlob = contents.some(({ blob }) => typeof blob === 'string');
  if (hasText || !hasBlob) return [];
  return [violation('window-text', uri, 'contents', 'it has blobs and no text')];
}

type Contents = readonly { readonly text?: unknown }[];
interface Judged<T> {
  readonly read: T | undefined;
  readonly violations: readonly Violation[];
}

function parsed(text: string): { readonly ok: boolean; readonly value?: unknown } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}
function readAs<T>(rule: CheckRule, uri: string, contents: Contents, schema: z.ZodType<T>): Judged<T> {
  const text = contents.find((content) => typeof content.text === 'string')?.text;
  const fail = (found: string): Judged<T> => ({
    read: undefined,
    violations: [violation(rule, uri, null, found)],
  });
  if (typeof text !== 'string') return fail('it has no text');
  const json = parsed(text);
  if (!json.ok) return fail('its text is no JSON');
  return judgedAs(rule, uri, '', json.value, schema);
}
function judgedAs<T>(
  rule: CheckRule,
  uri: string,
  within: string,
  value: unknown,
  schema: z.ZodType<T>,
): Judged<T> {
  const read = schema.safeParse(value);
  if (read.success) return { read: read.data, violations: [] };
  const violations = read.error.issues.map(({ path, message }) =>
    violation(rule, uri, `${within}${path.join('.')}` || null, message),
  );
  return { read: undefined, violations };
}
const differs = (
  rule: CheckRule,
  uri: string,
  field: string,
  expected: string | number,
  came: string | number,
): Violation[] =>
  expected === came
    ? []
    : [violation(rule, uri, field, `expected ${expected}, received ${JSON.stringify(came)}`)];

export function brokenByDocument(uri: string, contents: Contents): Judged<DPEDocumentMetadata> {
  const judged = readAs('document', uri, contents, dpeDocumentMetadata);
  if (!judged.read) return judged;
  return { read: judged.read, violations: brokenFields('document', uri, '', judged.read) };
}
function brokenFields(
  rule: CheckRule,
  uri: string,
  within: string,
  { doc_ref, uri: own, file_type, page_count, last_modified }: DPEDocumentMetadata,
): Violation[] {
  const [asked, named] = [parseDpeUri(uri), parseDpeUri(own)];
  const found = (field: string, text: string): Violation => violation(rule, uri, within + field, text);
  const isSame =
    asked.ok &&
    named.ok &&
    named.uri.level === 1 &&
    (asked.uri.level !== 1 || asked.uri.docRef === named.uri.docRef) &&
    asked.uri.host === named.uri.host;
  const key = named.ok && named.uri.level === 1 ? named.uri.docRef : undefined;
  // Accepts a key that is either plain or fully percent-encoded, but not partly encoded.
  const isRef = key !== undefined && [key, encodePart(key)].includes(doc_ref);
  return [
    ...(isSame ? [] : [found('uri', `it names another document: ${JSON.stringify(own)}`)]),
    ...(isRef || !isSame
      ? []
      : [
          found(
            'doc_ref',
            `expected ${JSON.stringify(key)}, the decoded key of its uri, received ${JSON.stringify(doc_ref)}`,
          ),
        ]),
    ...(/^[^.A-Z]*$/.test(file_type)
      ? []
      : [found('file_type', `expected lower case without a dot, received ${JSON.stringify(file_type)}`)]),
    ...(page_count >= 0 ? [] : [found('page_count', `expected 0 or more, received ${page_count}`)]),
    ...(typeof last_modified !== 'string' || instantOf(last_modified) !== undefined
      ? []
      : [found('last_modified', `expected ISO 8601, received ${JSON.stringify(last_modified)}`)]),
  ];
}

/** Level 0; returns the URIs of the readable documents. */
export function brokenByCatalogue(uri: string, contents: Contents): Judged<readonly string[]> {
  const { read, violations } = readAs('catalogue', uri, contents, dpeCatalogue);
  if (!read) return { read: undefined, violations };
  const entries = read.documents.map((entry, at) =>
    judgedAs('catalogue', uri, `documents.${at}.`, entry, dpeDocumentMetadata),
  );
  const isWhole = read.total_count >= read.documents.length;
  return {
    read: entries.flatMap((entry) => entry.read?.uri ?? []),
    violations: [
      ...(isWhole
        ? []
        : differs('catalogue', uri, 'total_count', `${read.documents.length} or more`, read.total_count)),
      ...entries.flatMap((entry, at) =>
        entry.read ? brokenFields('catalogue', uri, `documents.${at}.`, entry.read) : entry.violations,
      ),
    ],
  };
}

/** Level 1 with `depth=pages`; `pageCount` comes from the answer without it. */
export function brokenByPages(
  uri: string,
  pageCount: number,
  offset: number,
  contents: Contents,
): Violation[] {
  const { read, violations } = readAs('pages', uri, contents, dpeDocumentPages);
  if (!read) return [...violations];
  return [
    ...differs('pages', uri, 'page_total', pageCount, read.page_total ?? pageCount),
    ...differs('pages', uri, 'page_offset', offset, read.page_offset ?? offset),
    ...read.pages.flatMap(({ page_index }, at) =>
      differs('pages', uri, `pages.${at}.page_index`, offset + at, page_index),
    ),
  ];
}

export function brokenByPage(uri: string, index: number, contents: Contents): Judged<DPEPage> {
  const { read, violations } = readAs('page', uri, contents, dpePage);
  if (!read) return { read, violations };
  const seen = new Set<string>();
  const twice = read.elements.flatMap(({ element_id }, at) => {
    const isTwice = seen.has(element_id);
    seen.add(element_id);
    return isTwice
      ? [violation('page', uri, `elements.${at}.element_id`, `${JSON.stringify(element_id)} is there twice`)]
      : [];
  });
  const count = differs('page', uri, 'element_count', read.elements.length, read.element_count);
  return {
    read: read as DPEPage,
    violations: [...differs('page', uri, 'page_index', index, read.page_index), ...count, ...twice],
  };
}

export function brokenByElement(uri: string, id: string, contents: Contents): Violation[] {
  const { read, violations } = readAs('element', uri, contents, dpeElementDetail);
  return read ? differs('element', uri, 'element_id', id, read.element_id) : [...violations];
}
