import { describe, expect, it } from 'vitest';
import { readCatalogue, readElement, readMetadata, readPage, readPages, readSummary } from './index.ts';

const json = (value: unknown) => [
  { uri: 'dpe://h/d', mimeType: 'application/json', text: JSON.stringify(value) },
];
const document = {
  doc_ref: 'd',
  uri: 'dpe://h/d',
  file_uri: 'file:///d',
  file_type: 'md',
  title: 'D',
  page_count: 1,
  keywords: ['k'],
  summary: null,
  last_modified: '2026-02-14T10:30:01Z',
  more: 1,
};
const pageSummary = { page_index: 0, title: 'P', element_count: 1, uri: 'dpe://h/d/pages/0', doc_ref: 'd' };
const pages = { ...document, pages: [pageSummary], page_offset: 0, page_limit: 20, page_total: 1 };
const element = { element_id: 'e', category: 'table', content: { rows: [] } };
const page = {
  ...{ page_index: 0, title: 'P', doc_ref: 'd', uri: 'dpe://h/d/pages/0' },
  ...{ elements: [element], element_count: 1 },
};
const detail = { ...element, doc_ref: 'd', page_index: 0, uri: 'dpe://h/d/elements/e', metadata: { a: 1 } };

describe('a read of a document', () => {
  it.each([
    ['Level 1', readMetadata, document],
    ['Level 1 with its pages', readPages, pages],
    ['Level 2', readPage, page],
    ['Level 3', readElement, detail],
  ])('of %s is the JSON of its first text, with keys that we do not know', (_, read, value) => {
    expect(read(json(value))).toEqual({ ok: true, body: value });
    expect(read([{ text: null }, ...json(value), ...json(1)])).toEqual({ ok: true, body: value });
  });
  it('X24 may have elements of a kind that we do not know', () => {
    expect(readElement(json({ ...detail, category: 'Hologram' })).ok).toBe(true);
  });
  it.each([
    [[], 'The server gave no text where a document was to be'],
    [[{ text: undefined }], 'The server gave no text where a document was to be'],
    [[{ text: '# not JSON' }], /^What the server gave is not a document: /],
    [json([]), /^What the server gave is not a document: /],
    [json({ ...document, page_count: 'many' }), /^What the server gave is not a document: page_count: /],
  ])('that is none says so: %j', (contents, message) => {
    const read = readMetadata(contents);
    expect(read).toMatchObject({ ok: false, failure: { code: 500 } });
    expect(read.ok ? '' : read.failure.message).toMatch(message);
  });
});

describe('a summary', () => {
  it('is what Level 1 says, and which server has it, whatever that server says itself', () => {
    expect(readSummary(json({ ...document, server: 'other' }), 'docs')).toEqual({
      ok: true,
      body: { ...document, server: 'docs' },
    });
    expect(readSummary([], 'docs').ok).toBe(false);
  });
  it('of a server that lists its catalogue is in Level 0; an entry that is no document falls alone', () => {
    const catalogue = { documents: [document, { title: 'broken', uri: 'dpe://h/x' }, null], total_count: 3 };
    expect(readCatalogue(json(catalogue), 'docs')).toEqual({
      ok: true,
      body: {
        documents: [{ ...document, server: 'docs' }],
        refused: [
          { uri: 'dpe://h/x', reason: expect.stringMatching(/^documents\.1 .*doc_ref: .*page_count: /) },
          { reason: expect.stringMatching(/^documents\.2 /) },
        ],
      },
    });
    expect(readCatalogue(json({ documents: 3 }), 'docs').ok).toBe(false);
  });
});
