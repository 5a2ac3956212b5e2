import { encodePart, isWithin } from '../uri/index.ts';
import { parseDpeUri, queryText, type BuiltDpeUri, type DpeQuery } from './dpe-uri.ts';
import type { DpeCategory, DpeFormat } from './dpe-words.ts';
import { invalidDpeUri } from './failures.ts';

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
