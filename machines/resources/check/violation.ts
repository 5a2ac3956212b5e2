/** What a server with windows or documents may do wrong (docs/windows-and-documents.md), and what its author can do about it. */
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
  slow: 'Answer sooner: what takes longer is missing from the answer, and asked for again',
  catalogue: 'Answer {"documents": […], "total_count": N}',
  document:
    'Answer JSON with doc_ref (the key, encoded in the uri alone), uri, file_uri, file_type (lower case, no dot), title and page_count; last_modified is ISO 8601',
  pages: 'With depth=pages answer also pages, page_offset, page_limit and page_total; pages count from 0',
  page: 'Answer JSON with page_index, title, doc_ref, uri, elements and element_count, which is their number',
  element:
    'Answer JSON with element_id, category and content, an object; an id names one element of a document',
  ids: 'Keep the id of an element while the element is the same',
  'missing-document': 'Answer the JSON-RPC error 4201 with data {"doc_ref"} where there is no such document',
  'missing-page':
    'Answer the JSON-RPC error 4202 with data {"page_index", "page_count"} where there is no such page',
  'missing-element': 'Answer the JSON-RPC error 4203 with data {"element_id"} where there is no such element',
  update: 'Send notifications/resources/updated with this URI whenever its content changes',
} as const;

/** The name of a rule, for programs. */
export type CheckRule = keyof typeof remedies;
export const checkRules = Object.keys(remedies) as readonly CheckRule[];

/** One rule that is broken at one place. */
export interface Violation {
  readonly rule: CheckRule;
  /** Null: the server as a whole. */
  readonly uri: string | null;
  /** What of it, such as `priority` or `elements.0.content`; null: all of it. */
  readonly field: string | null;
  /** What was expected and what came. */
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
