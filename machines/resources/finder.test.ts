import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DPEDocumentSummary } from '../protocol/messages/collections.ts';
import {
  arrangeDocuments,
  organizeFinder,
  dpeUrisIn,
  urisOfLevel,
  readCatalogue,
  readElement,
  readMetadata,
  readPage,
  readPages,
  readSummary,
  instantOf,
  type FinderPage,
} from './finder.ts';
import { finderQueryOf, finderQuestion, finderDifference, type FinderQuery } from './asked.ts';

const documentOf = (doc: string, more: Partial<DPEDocumentSummary> = {}): DPEDocumentSummary => ({
  doc_ref: doc,
  uri: `dpe://h/${doc}`,
  file_uri: `file:///${doc}`,
  file_type: 'pdf',
  title: doc,
  page_count: 1,
  server: 'A',
  ...more,
});
const page = (
  documents: readonly DPEDocumentSummary[],
  query: FinderQuery = {},
  called: readonly string[] = [],
): FinderPage =>
  organizeFinder(
    documents,
    query,
    called.map((server) => ({ server })),
  );
const namesOf = ({ documents }: FinderPage): readonly string[] => documents.map(({ doc_ref }) => doc_ref);
const many = (count: number): DPEDocumentSummary[] =>
  Array.from({ length: count }, (_, n) => documentOf(`d${n}`));

describe('what is no document', () => {
  it.each(['http://h/d', 'dpe://', 'dpe://h/d/foo', 'dpe://h/d?limit=0', ''])(
    'is left out with the URI %j, and its neighbour stays',
    (uri) => {
      const found = page([documentOf('wrong', { uri }), documentOf('right')]);
      expect([namesOf(found), found.totalCount]).toEqual([['right'], 1]);
    },
  );
});

describe('the keywords of a query', () => {
  const documents = [
    documentOf('in-title', { title: 'The Budget of 2026' }),
    documentOf('in-keywords', { title: '', keywords: ['plan', 'BUDGET'] }),
    documentOf('in-summary', { title: '', summary: 'about budgets' }),
    documentOf('elsewhere', { title: '', doc_ref: 'elsewhere', file_uri: 'file:///budget', keywords: null }),
  ];
  it('are looked for in title, keywords and summary, whatever their case', () => {
    for (const word of ['budget', 'BUDGET', 'udge'])
      expect(namesOf(page(documents, { keywords: [word] }))).toEqual([
        'in-title',
        'in-keywords',
        'in-summary',
      ]);
  });
  it('are looked for in all keywords of a document as one text, with blanks between them', () => {
    expect(namesOf(page(documents, { keywords: ['plan budget'] }))).toEqual(['in-keywords']);
    expect(namesOf(page(documents, { keywords: ['planbudget', 'of 2026plan'] }))).toEqual([]);
  });
  it('need one match to find a document', () => {
    expect(namesOf(page(documents, { keywords: ['nothing', 'plan'] }))).toEqual(['in-keywords']);
    expect(namesOf(page(documents, { keywords: ['nothing'] }))).toEqual([]);
    expect(page(documents, { keywords: [] }).totalCount).toBe(4);
  });
});

describe('the servers of a catalogue', () => {
  it('come by their last call, the latest first, then by name', () => {
    const documents = ['B', 'D', 'A', 'C'].map((server) => documentOf(server, { server }));
    expect(namesOf(page(documents, {}, ['D', 'A', 'gone', 'C', 'A', 'C']))).toEqual(['C', 'A', 'D', 'B']);
    expect(namesOf(page(documents))).toEqual(['A', 'B', 'C', 'D']);
  });
});

describe('the documents of one server', () => {
  const at = (doc: string, lastModified: string | null) => documentOf(doc, { last_modified: lastModified });
  it('are compared as instants, not as texts', () => {
    const documents = [
      at('03:00Z', '2026-02-14T10:00:00+07:00'),
      at('05:00Z', '2026-02-14T05:00:00Z'),
      at('04:30Z', '2026-02-13T23:30:00-05:00'),
      at('04:00Z', '2026-02-14 04:00'),
      at('04:00:00.5Z', '2026-02-14T04:00:00.500000Z'),
    ];
    expect(namesOf(page(documents))).toEqual(['05:00Z', '04:30Z', '04:00:00.5Z', '04:00Z', '03:00Z']);
  });
});

describe('a page of a catalogue', () => {
  it('begins at 0 and has 20 documents where nobody says otherwise', () => {
    expect(namesOf(page(many(55)))).toEqual(many(20).map(({ doc_ref }) => doc_ref));
    expect(namesOf(page(many(5), { offset: -3, limit: 2 }))).toEqual(['d0', 'd1']);
    expect(namesOf(page(many(5), { offset: 1.5, limit: 1.5 }))).toEqual(['d1']);
  });
  it.each([0, -1, Number.NaN])(
    'is empty with a limit of %d, and tells how many documents there are',
    (limit) => {
      expect(page(many(55), { limit })).toEqual({ documents: [], totalCount: 55 });
    },
  );
  it.each([101, 500, Infinity])('has a limit of 100 where %d is asked for', (limit) => {
    expect(page(many(150), { limit }).documents).toHaveLength(100);
  });
});

describe('the query on the wire', () => {
  const asked = { agent: 'a', req_id: 'r', computer: 'c' };
  it('lacks what is so by default', () => {
    expect(finderQuestion({ offset: 0, limit: 20 })).toEqual({});
    expect(finderQuestion({ keywords: ['k'], fileType: 'pdf', offset: 20, limit: 5 })).toEqual({
      ...{ keywords: ['k'], file_type: 'pdf' },
      ...{ offset: 20, limit: 5 },
    });
  });
  it('is read as it was asked, null like nothing', () => {
    const query = { keywords: ['k'], fileType: 'pdf', offset: 20, limit: 0 };
    expect(finderQueryOf({ ...asked, ...finderQuestion(query) })).toEqual(query);
    expect(finderQueryOf({ ...asked, keywords: null, file_type: null, offset: null, limit: null })).toEqual(
      {},
    );
  });
});

const servers = ['A', 'B', 'C', '__proto__'];
const times = [
  undefined,
  null,
  '2026-01-01',
  '2026-01-01T01:00:00+01:00',
  '2025-06-01T00:00:00Z',
  '1970-01-01',
  'never',
];
const documents: fc.Arbitrary<readonly DPEDocumentSummary[]> = fc
  .array(
    fc.record({
      server: fc.constantFrom(...servers),
      uri: fc.constantFrom('dpe://h/d', 'dpe://h/e', 'dpe://h/d/foo'),
      title: fc.constantFrom('red', 'Green', ''),
      file_type: fc.constantFrom('pdf', 'PDF', 'xlsx'),
      last_modified: fc.constantFrom(...times),
    }),
    { maxLength: 40 },
  )
  .map((list) => list.map((each, n) => documentOf(`d${n}`, each as Partial<DPEDocumentSummary>)));
const history = fc.array(
  fc.constantFrom(...servers, 'gone').map((server) => ({ server })),
  { maxLength: 6 },
);
const filter: fc.Arbitrary<FinderQuery> = fc.record(
  { keywords: fc.subarray(['RED', 'een', 'blue']), fileType: fc.constantFrom('pdf', 'xlsx', '') },
  { requiredKeys: [] },
);

describe('a catalogue', () => {
  it('is, page by page, the whole once, with the same total on every page', () => {
    fc.assert(
      fc.property(documents, filter, history, fc.integer({ min: 1, max: 7 }), (all, query, called, limit) => {
        const whole = arrangeDocuments(all, query, called);
        const offsets = Array.from({ length: Math.ceil(whole.length / limit) + 1 }, (_, n) => n * limit);
        const pages = offsets.map((offset) => organizeFinder(all, { ...query, offset, limit }, called));
        expect(pages.flatMap((each) => each.documents)).toEqual(whole);
        for (const { totalCount } of pages) expect(totalCount).toBe(whole.length);
      }),
    );
  });
  it('has of each server what is wanted, by age and then as listed', () => {
    fc.assert(
      fc.property(documents, filter, history, (all, query, called) => {
        const arranged = arrangeDocuments(all, query, called);
        const { keywords = [], fileType = '' } = query;
        for (const server of servers) {
          const wanted = all
            .filter((each) => each.server === server && !each.uri.endsWith('foo'))
            .filter((each) => fileType === '' || each.file_type === fileType)
            .filter(({ title }) => {
              const words = keywords.map((word) => word.toLowerCase());
              return words.length === 0 || words.some((word) => title.toLowerCase().includes(word));
            });
          const sorted = [
            ['2026-01-01', '2026-01-01T01:00:00+01:00'],
            ['2025-06-01T00:00:00Z'],
            ['1970-01-01'],
          ].flatMap((group) => wanted.filter((each) => group.includes(each.last_modified ?? '')));
          const rest = wanted.filter((each) => !sorted.includes(each));
          expect(arranged.filter((each) => each.server === server)).toEqual([...sorted, ...rest]);
        }
        const order = arranged.map((each) => each.server);
        expect(order.filter((server, at) => server !== order[at - 1])).toHaveLength(new Set(order).size);
      }),
    );
  });
  it('leaves what it was made of as it was', () => {
    fc.assert(
      fc.property(documents, filter, history, (all, query, called) => {
        const before = structuredClone([all, query, called]);
        organizeFinder(all, query, called);
        expect([all, query, called]).toEqual(before);
      }),
    );
  });
});

const listed = (...uris: readonly string[]) => dpeUrisIn(uris.map((uri) => ({ uri })));

describe('a list of a server', () => {
  it('has the documents in it, each once, in their order', () => {
    const uris = ['file:///a', 'dpe://h/b', 'window://h/w', 'dpe://h', 'dpe://h/b', 'dpe://h/d/foo'];
    expect(listed(...uris)).toEqual(['dpe://h/b', 'dpe://h']);
  });
  it('may hold catalogues, documents and their parts', () => {
    const uris = listed('dpe://h', 'dpe://h/d', 'dpe://h/d/pages/0', 'dpe://h/e', 'dpe://h/d/elements/x');
    expect(([0, 1, 2, 3] as const).map((level) => urisOfLevel(uris, level))).toEqual([
      ['dpe://h'],
      ['dpe://h/d', 'dpe://h/e'],
      ['dpe://h/d/pages/0'],
      ['dpe://h/d/elements/x'],
    ]);
  });
});

describe('what an agent tells of two catalogues', () => {
  it('tells which documents came, which went, and which were modified, as they are now', () => {
    const [old, now] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
    const [a, b] = [documentOf('a', { last_modified: old }), documentOf('b')];
    const [changed, c] = [documentOf('a', { last_modified: now, title: 'A' }), documentOf('c')];
    expect(finderDifference([a, b], [c, changed])).toEqual({ added: [c], removed: [b], changed: [changed] });
  });
  const others = {
    ...{ title: 'x', page_count: 2, file_type: 'md', file_uri: 'file:///b', keywords: ['k'], summary: 's' },
    ...{ pages_read: 3, last_modified: '2026-01-02' },
  };
  it.each(Object.entries(others))(
    'has a document as changed whose %s is another, without a new time',
    (key, value) => {
      for (const time of [{}, ...[null, '2026-01-01', 'never'].map((last_modified) => ({ last_modified }))]) {
        const [a, b] = [documentOf('a', time), documentOf('a', { ...time, [key]: value })];
        expect([finderDifference([a], [b]), finderDifference([b], [a])]).toMatchObject([
          { changed: [b] },
          { changed: [a] },
        ]);
      }
    },
  );
  it('is nothing where only the order of its fields is another', () => {
    const { title, ...rest } = documentOf('a', { last_modified: '2026-01-01' });
    expect(finderDifference([{ title, ...rest }], [{ ...rest, title }])).toEqual({
      ...{ added: [], removed: [], changed: [] },
    });
  });
});

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
const pageJson = {
  ...{ page_index: 0, title: 'P', doc_ref: 'd', uri: 'dpe://h/d/pages/0' },
  ...{ elements: [element], element_count: 1 },
};
const detail = { ...element, doc_ref: 'd', page_index: 0, uri: 'dpe://h/d/elements/e', metadata: { a: 1 } };

describe('a read of a document', () => {
  it.each([
    ['Level 1', readMetadata, document],
    ['Level 1 with its pages', readPages, pages],
    ['Level 2', readPage, pageJson],
    ['Level 3', readElement, detail],
  ])('gives of %s the JSON of its first text, with keys that we do not know', (_, read, value) => {
    expect(read(json(value))).toEqual({ ok: true, body: value });
    expect(read([{ text: null }, ...json(value), ...json(1)])).toEqual({ ok: true, body: value });
  });
  it('may have elements of a kind that we do not know', () => {
    expect(readElement(json({ ...detail, category: 'Hologram' })).ok).toBe(true);
  });
  it.each([
    [[], 'The server gave no text where a document was to be'],
    [[{ text: undefined }], 'The server gave no text where a document was to be'],
    [[{ text: '# not JSON' }], /^What the server gave is not a document: /],
    [json([]), /^What the server gave is not a document: /],
    [json({ ...document, page_count: 'many' }), /^What the server gave is not a document: page_count: /],
  ])('says so when it is none: %j', (contents, message) => {
    const read = readMetadata(contents);
    expect(read).toMatchObject({ ok: false, failure: { code: 500 } });
    expect(read.ok ? '' : read.failure.message).toMatch(message);
  });
});

describe('a summary', () => {
  it('has what Level 1 says, and which server has it, whatever that server says itself', () => {
    expect(readSummary(json({ ...document, server: 'other' }), 'docs')).toEqual({
      ok: true,
      body: { ...document, server: 'docs' },
    });
    expect(readSummary([], 'docs').ok).toBe(false);
  });
  it('is in Level 0 for a server that lists its catalogue; an entry that is no document falls alone', () => {
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

const utc = (text: string): number => Date.parse(text);

describe('an ISO 8601 time', () => {
  it.each([
    ['2026-02-14', '2026-02-14T00:00:00Z'],
    ['2026-02-14T10:30', '2026-02-14T10:30:00Z'],
    ['2026-02-14 10:30:01', '2026-02-14T10:30:01Z'],
    ['2026-02-14t10:30:01z', '2026-02-14T10:30:01Z'],
    ['2026-02-14T10:30:01+05:30', '2026-02-14T05:00:01Z'],
    ['2026-02-14T24:00:00Z', '2026-02-15T00:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2000-02-29', '2000-02-29T00:00:00Z'],
    ['0099-12-31', '0099-12-31T00:00:00Z'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.500Z'],
  ])('is read from %s as %s: without a zone it is UTC', (text, instant) =>
    expect(instantOf(text)).toBe(utc(instant)),
  );

  it.each([
    ...['', 'never', '14.02.2026', 'Feb 14 2026', '1739529001', '2026', '2026-02', '2026-W07-6'],
    ...['2026-13-01', '2026-00-01', '2026-02-00', '20260214', '2026-02-14T10:30:01-0530'],
    ...['2026-02-14T', '2026-02-14T25:00', '2026-02-14T24:01', '2026-02-14T10:60', '2026-02-14T10:30:61'],
    ...[
      '2026-02-14Z',
      '2026-02-14T10:30+24:00',
      '2026-02-14T10:30+1',
      ' 2026-02-14',
      '2026-02-14T10:30:01.Z',
    ],
  ])('is not read from %j', (text) => expect(instantOf(text)).toBe(undefined));

  it('is the same as everybody else reads it', () => {
    const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(date, (each) => {
        expect(instantOf(each.toISOString())).toBe(each.getTime());
      }),
    );
  });
});
