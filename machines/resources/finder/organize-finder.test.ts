import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DPEDocumentSummary } from '../../protocol/messages/collections.ts';
import {
  arrangeDocuments,
  finderQueryOf,
  finderQuestion,
  organizeFinder,
  type FinderPage,
  type FinderQuery,
} from './index.ts';

/**
 * Mirrors `../desktop/organize-desktop.test.ts`. F05 to F10 are the cases of a2c-wire §8.9; "Organizer 1" to "7" the points
 * of seed 000, 测试策略, Finder Organizer; steps are those of its organize_finder.
 */
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

describe('step 1: what is no document is left out', () => {
  it('Organizer 1: of nothing comes nothing', () => {
    expect(page([])).toEqual({ documents: [], totalCount: 0 });
    expect(page([], { keywords: ['a'], offset: 3 })).toEqual({ documents: [], totalCount: 0 });
  });
  it.each(['http://h/d', 'dpe://', 'dpe://h/d/foo', 'dpe://h/d?limit=0', ''])(
    'X25 one with the URI %j, and its neighbour stays',
    (uri) => {
      const found = page([documentOf('wrong', { uri }), documentOf('right')]);
      expect([namesOf(found), found.totalCount]).toEqual([['right'], 1]);
    },
  );
});

describe('step 2: keywords', () => {
  const documents = [
    documentOf('in-title', { title: 'The Budget of 2026' }),
    documentOf('in-keywords', { title: '', keywords: ['plan', 'BUDGET'] }),
    documentOf('in-summary', { title: '', summary: 'about budgets' }),
    documentOf('elsewhere', { title: '', doc_ref: 'elsewhere', file_uri: 'file:///budget', keywords: null }),
  ];
  it('Organizer 2, F05 are looked for in title, keywords and summary, whatever their case', () => {
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
  it('Organizer 2, F05 one of them is enough', () => {
    expect(namesOf(page(documents, { keywords: ['nothing', 'plan'] }))).toEqual(['in-keywords']);
    expect(namesOf(page(documents, { keywords: ['nothing'] }))).toEqual([]);
    expect(page(documents, { keywords: [] }).totalCount).toBe(4);
  });
});

describe('step 3: the file type', () => {
  const documents = [
    documentOf('a'),
    documentOf('b', { file_type: 'PDF' }),
    documentOf('c', { file_type: 'x' }),
  ];
  it('Organizer 3, F06 is exactly the one that is wanted', () => {
    expect(namesOf(page(documents, { fileType: 'pdf' }))).toEqual(['a']);
    expect(page(documents, { fileType: 'xlsx' })).toEqual({ documents: [], totalCount: 0 });
    expect(page(documents, { fileType: '' }).totalCount).toBe(3);
  });
  it('and keywords must both fit', () => {
    expect(namesOf(page(documents, { fileType: 'x', keywords: ['a', 'c'] }))).toEqual(['c']);
  });
});

describe('step 4: servers', () => {
  it('Organizer 4, F07 come by their last call, the latest first, then by name', () => {
    const documents = ['B', 'D', 'A', 'C'].map((server) => documentOf(server, { server }));
    expect(namesOf(page(documents, {}, ['D', 'A', 'gone', 'C', 'A', 'C']))).toEqual(['C', 'A', 'D', 'B']);
    expect(namesOf(page(documents))).toEqual(['A', 'B', 'C', 'D']);
  });
});

describe('step 5: the documents of one server', () => {
  const at = (doc: string, lastModified: string | null) => documentOf(doc, { last_modified: lastModified });
  it('Organizer 5, F08 come by age, the newest first, those without a time last', () => {
    const documents = [
      documentOf('never'),
      at('old', '2025-01-01'),
      at('null', null),
      at('new', '2026-01-01'),
    ];
    expect(namesOf(page(documents))).toEqual(['new', 'old', 'never', 'null']);
  });
  it('are compared as instants, not as texts', () => {
    const documents = [
      at('03:00Z', '2026-02-14T10:00:00+07:00'),
      at('05:00Z', '2026-02-14T05:00:00Z'),
      at('04:30Z', '20260213T233000-0500'),
      at('04:00Z', '2026-02-14 04:00'),
      at('04:00:00.5Z', '2026-02-14T04:00:00.500000Z'),
    ];
    expect(namesOf(page(documents))).toEqual(['05:00Z', '04:30Z', '04:00:00.5Z', '04:00Z', '03:00Z']);
  });
  it('stay as listed where their times are equal; what is no time is none', () => {
    const names = Array.from({ length: 40 }, (_, n) => `d${n}`);
    const spelled = ['2026-02-14T10:00:00Z', '2026-02-14T12:00:00+02:00'];
    expect(
      page(
        names.map((name, n) => at(name, spelled[n % 2] ?? '')),
        { limit: 40 },
      ).documents.map(({ doc_ref }) => doc_ref),
    ).toEqual(names);
    expect(namesOf(page([at('a', 'yesterday'), at('b', null), at('c', '1970-01-01')]))).toEqual([
      'c',
      'a',
      'b',
    ]);
  });
});

describe('step 6: a page', () => {
  it('Organizer 6, F09 is what stands behind the offset, as far as there is any', () => {
    expect(namesOf(page(many(55), { offset: 50, limit: 20 }))).toEqual(['d50', 'd51', 'd52', 'd53', 'd54']);
    expect(page(many(55), { offset: 100 })).toEqual({ documents: [], totalCount: 55 });
    expect(page(many(55), { offset: 55 }).documents).toEqual([]);
    expect(namesOf(page(many(5), { offset: -3, limit: 2 }))).toEqual(['d0', 'd1']);
  });
  it('begins at 0 and has 20 documents where nobody says otherwise', () => {
    expect(namesOf(page(many(55)))).toEqual(many(20).map(({ doc_ref }) => doc_ref));
  });
  it.each([0, -1, Number.NaN])(
    'Organizer 6: a limit of %d wants none, and is told how many there are',
    (limit) => {
      expect(page(many(55), { limit })).toEqual({ documents: [], totalCount: 55 });
    },
  );
  it.each([101, 500, Infinity])('F10 a limit of %d counts as 100', (limit) => {
    expect(page(many(150), { limit }).documents).toHaveLength(100);
  });
  it('Organizer 6: a limit above what there is gives all', () => {
    expect(page(many(3), { limit: 100 }).documents).toHaveLength(3);
  });
  it('goes on with the next server', () => {
    const documents = [...many(3), documentOf('x', { server: 'B' }), documentOf('y', { server: 'B' })];
    expect(namesOf(page(documents, { offset: 2, limit: 2 }))).toEqual(['d2', 'x']);
    expect(namesOf(page(documents, { offset: 4, limit: 2 }))).toEqual(['y']);
    expect(namesOf(page(documents, { offset: 1, limit: 3 }, ['B']))).toEqual(['y', 'd0', 'd1']);
  });
  it('Organizer 7: the total counts what is wanted, not what is on the page', () => {
    const documents = [...many(30), documentOf('other', { file_type: 'x' })];
    expect(page(documents, { fileType: 'pdf', limit: 1 }).totalCount).toBe(30);
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
const times = [undefined, null, '2026-01-01', '2026-01-01T01:00:00+01:00', '2025-06-01T00:00:00Z', 'never'];
const documents: fc.Arbitrary<readonly DPEDocumentSummary[]> = fc
  .array(
    fc.record({
      server: fc.constantFrom(...servers),
      uri: fc.constantFrom('dpe://h/d', 'dpe://h/e', 'dpe://h/d/foo'),
      title: fc.constantFrom('red', 'Green', ''),
      file_type: fc.constantFrom('pdf', 'xlsx'),
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
  it('does not change when it is put in order again', () => {
    fc.assert(
      fc.property(documents, filter, history, (all, query, called) => {
        const once = arrangeDocuments(all, query, called);
        expect(arrangeDocuments(once, query, called)).toEqual(once);
      }),
    );
  });
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
  it('has an answer to whatever is asked: at most a hundred that follow each other, and the same total', () => {
    const junk = fc.array(
      fc.record({
        ...{ server: fc.string(), uri: fc.oneof(fc.string(), fc.constant('dpe://h/d')), title: fc.string() },
        ...{ file_type: fc.string(), last_modified: fc.string(), keywords: fc.array(fc.string()) },
      }),
    );
    fc.assert(
      fc.property(junk, filter, history, fc.double(), fc.double(), (all, query, called, offset, limit) => {
        const listed = all.map((each, n) => documentOf(`d${n}`, each));
        const whole = arrangeDocuments(listed, query, called);
        const { documents: part, totalCount } = organizeFinder(listed, { ...query, offset, limit }, called);
        const at = part[0] ? whole.indexOf(part[0]) : 0;
        expect(part).toEqual(whole.slice(at, at + part.length));
        expect([totalCount, part.length <= Math.max(0, Math.min(100, limit || 0))]).toEqual([
          whole.length,
          true,
        ]);
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
          const sorted = [['2026-01-01', '2026-01-01T01:00:00+01:00'], ['2025-06-01T00:00:00Z']].flatMap(
            (group) => wanted.filter((each) => group.includes(each.last_modified ?? '')),
          );
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
