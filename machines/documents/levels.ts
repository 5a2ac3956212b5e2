import { encodePart } from '../resources/uri.ts';
import type { DpeCategory } from '../resources/dpe-uri.ts';
import type { Element, ReadDocument } from './document.ts';
import type { Fields } from '../protocol/json.ts';

/** A file that is a document, and what is known without reading it. */
export interface Listed {
  /** The key of the document within its host: its path, `/` between names. Percent-encoded in URIs alone. */
  readonly ref: string;
  readonly fileUri: string;
  readonly fileType: string;
  readonly sizeBytes: number;
  /** ISO 8601. */
  readonly lastModified: string;
}

/** A document's own URI. */
export const documentUri = (host: string, ref: string): string => `dpe://${host}/${encodePart(ref) ?? ''}`;
/** What has no UTF-8 (half a surrogate pair) is no document. */
export const isNameable = (ref: string): boolean => encodePart(ref) !== undefined;
const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** Level 1. A document that nobody has read yet has its file's name for a title, and 0 pages. */
export const metadataAnswer = (host: string, listed: Listed, read: ReadDocument | undefined): Fields => ({
  doc_ref: listed.ref,
  uri: documentUri(host, listed.ref),
  file_uri: listed.fileUri,
  file_type: listed.fileType,
  title: read?.title ?? nameOf(listed.ref),
  page_count: read?.pageCount ?? 0,
  ...(read?.keywords && { keywords: read.keywords }),
  ...(read?.summary !== undefined && { summary: read.summary }),
  last_modified: listed.lastModified,
});

/** Level 1 with `depth=pages`. */
export function pagesAnswer(
  host: string,
  listed: Listed,
  read: ReadDocument,
  offset: number,
  limit: number,
): Fields {
  const uri = documentUri(host, listed.ref);
  const end = Math.min(offset + limit, read.pageCount);
  const pages = [];
  for (let index = offset; index < end; index += 1) {
    const page = read.pages[index];
    const counts = { page_index: index, title: page?.title ?? '', element_count: page?.elements.length ?? 0 };
    pages.push({ ...counts, uri: `${uri}/pages/${index}`, doc_ref: listed.ref });
  }
  return {
    ...metadataAnswer(host, listed, read),
    pages,
    page_offset: offset,
    page_limit: limit,
    page_total: read.pageCount,
  };
}

/** The elements of these categories; all without any. */
export const ofCategories = (
  elements: readonly Element[],
  categories: readonly DpeCategory[] | undefined,
): readonly Element[] =>
  categories === undefined ? elements : elements.filter(({ category }) => categories.includes(category));

/** Level 2. */
export const pageAnswer = (
  host: string,
  { ref }: Listed,
  index: number,
  title: string,
  elements: readonly Element[],
): Fields => ({
  page_index: index,
  title,
  doc_ref: ref,
  uri: `${documentUri(host, ref)}/pages/${index}`,
  elements,
  element_count: elements.length,
});

/** Level 3. */
export const elementAnswer = (host: string, { ref }: Listed, index: number, element: Element): Fields => ({
  ...element,
  doc_ref: ref,
  page_index: index,
  uri: `${documentUri(host, ref)}/elements/${encodePart(element.element_id) ?? ''}`,
});
