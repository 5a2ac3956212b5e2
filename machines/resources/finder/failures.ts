import { wireCodes, type Failure } from '../../protocol/failure.ts';

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
export type DpeRule =
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
