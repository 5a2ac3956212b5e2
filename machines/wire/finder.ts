import { z } from 'zod';
import { answered, asked, record, wholeNumber } from './fields.ts';

/**
 * `client:get_finder` → `GetFinderReply` (seed 000). Absent `offset` is 0, absent `limit` is 20; a limit above 100
 * counts as 100.
 */
export const getFinder = z.looseObject({
  ...asked,
  keywords: z.array(z.string()).nullish(),
  file_type: z.string().nullish(),
  offset: wholeNumber.nullish(),
  limit: wholeNumber.nullish(),
});
export type GetFinder = z.infer<typeof getFinder>;

/** One document of a computer's catalogue; `server` is the MCP server that has it, `last_modified` is ISO 8601. */
export const dpeDocumentSummary = z.looseObject({
  doc_ref: z.string(),
  uri: z.string(),
  file_uri: z.string(),
  file_type: z.string(),
  title: z.string(),
  page_count: z.int(),
  keywords: z.array(z.string()).nullish(),
  summary: z.string().nullish(),
  server: z.string(),
  last_modified: z.string().nullish(),
});
export type DPEDocumentSummary = z.infer<typeof dpeDocumentSummary>;

/** `total_count` counts after filtering and before paging. */
export const getFinderReply = z.looseObject({
  documents: z.array(dpeDocumentSummary),
  total_count: z.int().nonnegative(),
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
