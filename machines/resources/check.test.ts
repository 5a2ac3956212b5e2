import { describe, expect, it } from 'vitest';
import {
  brokenByCatalogue,
  brokenByDocument,
  brokenByElement,
  brokenByPage,
  brokenByPages,
  brokenByList,
  brokenByWindow,
  type Violation,
} from './check.ts';

const whole = { subscribe: true, listChanged: true };
const json = (value: unknown): { text: string }[] => [{ text: JSON.stringify(value) }];
const said = (violations: readonly Violation[]): string[] =>
  violations.map(({ rule, uri, field }) => [rule, uri ?? '-', field ?? '-'].join(' '));

const uri = 'dpe://h/a%2Fb';
const document = {
  ...{ doc_ref: 'a/b', uri, file_uri: 'file:///a/b', file_type: 'md', title: 'A', page_count: 1 },
};
const element = { element_id: 'e', category: 'of its own', content: {} };
const page = {
  ...{ page_index: 0, title: 'P', doc_ref: 'a/b', uri: `${uri}/pages/0` },
  ...{ elements: [element], element_count: 1 },
};

describe('the list of a server', () => {
  it('needs no declaration for resources of other kinds', () => {
    expect(brokenByList({ subscribe: false, listChanged: false }, ['file:///a'])).toEqual([]);
  });
  it('needs subscribe and listChanged for windows and documents, each said once', () => {
    const listed = ['window://h/a', 'dpe://h/b', 'dpe://H'];
    expect(brokenByList(whole, listed)).toEqual([]);
    expect(said(brokenByList({ subscribe: false, listChanged: false }, listed))).toEqual([
      'subscribe - capabilities.resources.subscribe',
      'list-changed - capabilities.resources.listChanged',
    ]);
  });
  it('has URIs of one host, and names the field that breaks a rule', () => {
    expect(said(brokenByList(whole, ['window://a/x', 'dpe://b/y']))).toEqual(['host - -']);
    expect(
      said(
        brokenByList(whole, [
          ...['window://h/a?priority=101', 'window://h/a?fullscreen=maybe', 'window:a', 'dpe://h/a?limit=0'],
          ...['dpe://h/a/pages/1', 'dpe://h/%'],
        ]),
      ),
    ).toEqual([
      'window-uri window://h/a?priority=101 priority',
      'window-uri window://h/a?fullscreen=maybe fullscreen',
      'window-uri window:a scheme',
      'document-uri dpe://h/a?limit=0 limit',
      'document-uri dpe://h/a/pages/1 path',
      'document-uri dpe://h/% encoding',
    ]);
  });
});

describe('a window', () => {
  it('may be empty, but not of blobs alone', () => {
    expect(brokenByWindow('window://h/a', [])).toEqual([]);
    expect(brokenByWindow('window://h/a', [{ blob: 'AA' }, { text: '' }])).toEqual([]);
    expect(said(brokenByWindow('window://h/a', [{ blob: 'AA' }]))).toEqual([
      'window-text window://h/a contents',
    ]);
  });
});

describe('a document', () => {
  it('is fine with what the protocol asks for, and more', () => {
    const { read, violations } = brokenByDocument(
      uri,
      json({ ...document, last_modified: '2026-01-02', own: 1 }),
    );
    expect(violations).toEqual([]);
    expect(read).toMatchObject({ page_count: 1 });
  });
  it('is told each field that is missing or of another type', () => {
    const { title: _, ...untitled } = document;
    expect(said(brokenByDocument(uri, json({ ...untitled, page_count: '1' })).violations)).toEqual([
      `document ${uri} title`,
      `document ${uri} page_count`,
    ]);
  });
  it.each([
    [{ uri: 'dpe://h/other' }, 'uri'],
    [{ doc_ref: 'b' }, 'doc_ref'],
    [{ file_type: 'PDF' }, 'file_type'],
    [{ file_type: '.pdf' }, 'file_type'],
    [{ page_count: -1 }, 'page_count'],
    [{ last_modified: 'yesterday' }, 'last_modified'],
  ])('breaks a rule with %j at %s', (change, field) => {
    expect(said(brokenByDocument(uri, json({ ...document, ...change })).violations)).toEqual([
      `document ${uri} ${field}`,
    ]);
  });
  it.each([
    ['a b/c', 'a%20b%2Fc', true],
    ['a%20b%2Fc', 'a%20b%2Fc', true],
    ['a b%2Fc', 'a%20b%2Fc', false],
    ['a%20b', 'a%2520b', true],
    ['a%2520b', 'a%2520b', true],
    ['a b', 'a%2520b', false],
    ['%zz', '%25zz', true],
  ])('is right with the doc_ref %j at %j: %s', (doc_ref, written, isRight) => {
    const at = `dpe://h/${written}`;
    expect(said(brokenByDocument(at, json({ ...document, uri: at, doc_ref })).violations)).toEqual(
      isRight ? [] : [`document ${at} doc_ref`],
    );
  });
  it.each<[{ text?: string }[]]>([[[]], [[{}]], [[{ text: 'no JSON' }]]])(
    'is none when it gives %j',
    (contents) => {
      expect(said(brokenByDocument(uri, contents).violations)).toEqual([`document ${uri} -`]);
    },
  );
});

describe('a catalogue', () => {
  it('gives the documents that can be read, and says what is wrong with the others', () => {
    const { read, violations } = brokenByCatalogue(
      'dpe://h',
      json({ documents: [document, { ...document, title: 1 }], total_count: 1 }),
    );
    expect(read).toEqual([uri]);
    expect(said(violations)).toEqual([
      'catalogue dpe://h total_count',
      'catalogue dpe://h documents.1.title',
    ]);
  });
});

describe('pages and elements', () => {
  const listing = {
    ...document,
    pages: [{ page_index: 0, title: 'P', element_count: 1, uri: `${uri}/pages/0` }],
    ...{ page_offset: 0, page_limit: 20, page_total: 1 },
  };
  it('are fine as the protocol has them, with categories of their own', () => {
    expect(brokenByPages(uri, 1, 0, json(listing))).toEqual([]);
    expect(brokenByPage(uri, 0, json(page)).violations).toEqual([]);
    expect(brokenByElement(uri, 'e', json(element))).toEqual([]);
  });
  it('count right', () => {
    expect(said(brokenByPages(uri, 2, 1, json(listing)))).toEqual([
      `pages ${uri} page_total`,
      `pages ${uri} page_offset`,
      `pages ${uri} pages.0.page_index`,
    ]);
    const twice = { ...page, elements: [element, element] };
    expect(said(brokenByPage(uri, 3, json(twice)).violations)).toEqual([
      `page ${uri} page_index`,
      `page ${uri} element_count`,
      `page ${uri} elements.1.element_id`,
    ]);
    const { element_count: _, ...uncounted } = page;
    expect(said(brokenByPage(uri, 0, json(uncounted)).violations)).toEqual([`page ${uri} element_count`]);
  });
  it('are the ones that were asked for', () => {
    expect(said(brokenByElement(uri, 'other', json(element)))).toEqual([`element ${uri} element_id`]);
    expect(said(brokenByElement(uri, 'e', json({ ...element, content: 'text' })))).toEqual([
      `element ${uri} content`,
    ]);
  });
});
