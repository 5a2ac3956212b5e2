import { z } from 'zod';
import { answered, asked, fresh, record, wholeNumber } from '../fields.ts';
import { missingPart } from './missing.ts';

/**
 * `client:get_finder` → `GetFinderReply` (seed 000). Absent `offset` is 0, absent `limit` is 20; a limit above 100
 * counts as 100. `fresh` is ours.
 */
export const getFinder = z.looseObject({
  ...asked,
  keywords: z.array(z.string()).nullish(),
  file_type: z.string().nullish(),
  offset: wholeNumber.nullish(),
  limit: wholeNumber.nullish(),
  fresh,
});
export type GetFinder = z.infer<typeof getFinder>;

const document = {
  doc_ref: z.string(),
  uri: z.string(),
  file_uri: z.string(),
  file_type: z.string(),
  title: z.string(),
  page_count: z.int(),
  keywords: z.array(z.string()).nullish(),
  summary: z.string().nullish(),
  last_modified: z.string().nullish(),
};

/** A document as its own server tells it, a read of Level 1. `last_modified` is ISO 8601. */
export const dpeDocumentMetadata = z.looseObject(document);
export type DPEDocumentMetadata = z.infer<typeof dpeDocumentMetadata>;

/** One document of a computer's catalogue: what its server tells, and `server`, the MCP server that has it. */
export const dpeDocumentSummary = z.looseObject({ ...document, server: z.string() });
export type DPEDocumentSummary = z.infer<typeof dpeDocumentSummary>;

/** `total_count` counts after filtering and before paging. */
export const getFinderReply = z.looseObject({
  documents: z.array(dpeDocumentSummary),
  total_count: z.int().nonnegative(),
  missing: z.array(missingPart).nullish(),
  ...answered,
});
export type GetFinderReply = z.infer<typeof getFinderReply>;

/** One page of a document, as a read of Level 1 with `depth=pages` lists it. `page_index` counts from 0. */
export const dpePageSummary = z.looseObject({
  page_index: z.int().nonnegative(),
  title: z.string(),
  element_count: z.int().nonnegative(),
  uri: z.string(),
  doc_ref: z.string().nullish(),
});
export type DPEPageSummary = z.infer<typeof dpePageSummary>;

/** One element of a page, as a read of Level 3 shows it. */
export const dpeElementDetail = z.looseObject({
  element_id: z.string(),
  category: z.string(),
  summary: z.string().nullish(),
  content: record,
  doc_ref: z.string().nullish(),
  page_index: z.int().nonnegative().nullish(),
  uri: z.string().nullish(),
  metadata: record.nullish(),
});
export type DPEElementDetail = z.infer<typeof dpeElementDetail>;

/** The documents of one host, a read of Level 0. */
export const dpeCatalogue = z.looseObject({
  documents: z.array(z.unknown()),
  total_count: z.int().nonnegative(),
});
export type DPECatalogue = z.infer<typeof dpeCatalogue>;

/** A document with a part of its pages, a read of Level 1 with `depth=pages`; `page_total` counts all of them. */
export const dpeDocumentPages = z.looseObject({
  ...document,
  pages: z.array(dpePageSummary),
  page_offset: z.int().nonnegative(),
  page_limit: z.int().nonnegative(),
  page_total: z.int().nonnegative(),
});
export type DPEDocumentPages = z.infer<typeof dpeDocumentPages>;

/** One page with its elements, a read of Level 2. */
export const dpePage = z.looseObject({
  page_index: z.int().nonnegative(),
  title: z.string(),
  doc_ref: z.string(),
  uri: z.string(),
  elements: z.array(dpeElementDetail),
  element_count: z.int().nonnegative(),
});
export type DPEPage = z.infer<typeof dpePage>;
