import type { z } from 'zod';
import {
  dpeCatalogue,
  dpeDocumentMetadata,
  dpeDocumentPages,
  dpeElementDetail,
  dpePage,
  type DPEDocumentMetadata,
  type DPEPage,
} from '../../protocol/messages/collections.ts';
import { instantOf, parseDpeUri } from '../finder/index.ts';
import { encodePart } from '../uri/index.ts';
import { violation, type Violation, type CheckRule } from './violation.ts';

/** What a read gave, so far as it is asked about here. */
type Contents = readonly { readonly text?: unknown }[];
/** What was read and how far it can be gone on with, and what is wrong about it. */
export interface Judged<T> {
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
/** Every field that the schema refuses is a violation of its own. */
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
/** A field that says something else than it should. */
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

/** Level 1. */
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
  // Seed 000 can be read either way; a key that is encoded in part is neither.
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

/** Level 0: the URIs of its documents that can be read, and what is wrong with the catalogue or an entry of it. */
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

/** Level 1 with `depth=pages`: `pageCount` is what the document said without it. */
export function brokenByPages(
  uri: string,
  pageCount: number,
  offset: number,
  contents: Contents,
): Violation[] {
  const { read, violations } = readAs('pages', uri, contents, dpeDocumentPages);
  if (!read) return [...violations];
  return [
    ...differs('pages', uri, 'page_total', pageCount, read.page_total),
    ...differs('pages', uri, 'page_offset', offset, read.page_offset),
    ...read.pages.flatMap(({ page_index }, at) =>
      differs('pages', uri, `pages.${at}.page_index`, offset + at, page_index),
    ),
  ];
}

/** Level 2. */
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
    read,
    violations: [...differs('page', uri, 'page_index', index, read.page_index), ...count, ...twice],
  };
}

/** Level 3. */
export function brokenByElement(uri: string, id: string, contents: Contents): Violation[] {
  const { read, violations } = readAs('element', uri, contents, dpeElementDetail);
  return read ? differs('element', uri, 'element_id', id, read.element_id) : [...violations];
}
