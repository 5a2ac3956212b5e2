import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toWireError, type Failure } from '../protocol/failure.ts';
import { readAnswer } from '../protocol/reading.ts';
import {
  buildDpeUri,
  isDpeUri,
  parseDpeUri,
  dpeCategories,
  dpeDepths,
  dpeFormats,
  elementPlace,
  metadataPlace,
  pagePlace,
  pagesPlace,
  documentNotFound,
  elementNotFound,
  hostNotFound,
  invalidDpeUri,
  pageOutOfRange,
  type DpePlace,
  type DpeQuery,
  type DpeUri,
} from './dpe-uri.ts';
import { buildWindowUri } from './window-uri.ts';
import { routeOf, readRefusal } from './finder.ts';
import { namesIn } from '../../scenarios/fixtures/names.ts';

const read = (raw: string): DpeUri | undefined => {
  const parsed = parseDpeUri(raw);
  return parsed.ok ? parsed.uri : undefined;
};
const ruleOf = (raw: string): unknown => {
  const parsed = parseDpeUri(raw);
  return parsed.ok ? 'none' : parsed.failure.details?.['rule'];
};

describe('the scheme of a document URI', () => {
  it.each(['dpe://h', 'DPE://h/d'])('is dpe in %s', (raw) => expect(read(raw)?.host).toBe('h'));
  it.each(['http://h/d', 'window://h', 'dpe:h', 'dpe:/h', 'dpe', '', ' dpe://h', 'invalid://...'])(
    'is not dpe in %j',
    (raw) => expect(ruleOf(raw)).toBe('scheme'),
  );
});

describe('the host of a document URI', () => {
  it.each([
    ['dpe://com.example.docs', 'com.example.docs'],
    ['dpe://Docs/d', 'docs'],
  ])('is read from %s as %s', (raw, host) => expect(read(raw)?.host).toBe(host));
  it.each(['dpe://', 'dpe:///d', 'dpe://?format=json'])('is missing in %s', (raw) =>
    expect(ruleOf(raw)).toBe('host'),
  );
});

describe('the part behind a document in its URI', () => {
  it.each(['dpe://h/d/pages/0', 'dpe://h/d/pages/12', 'dpe://h/d/elements/e1', 'dpe://h/d/elements/a/b'])(
    'is a page or an element in %s',
    (raw) => expect(isDpeUri(raw)).toBe(true),
  );
  it.each(
    namesIn(`
    dpe://h/d/ dpe://h/d/foo dpe://h/d/foo/1 dpe://h/d/pages dpe://h/d/pages/ dpe://h/d/pages/-1
    dpe://h/d/pages/x dpe://h/d/pages/1.5 dpe://h/d/pages/%201 dpe://h/d/pages/1/2
    dpe://h/d/pages/99999999999999999999 dpe://h/d/elements dpe://h/d/elements/
    dpe://h/d/element/e1 dpe://h// dpe://h//pages/1
  `),
  )('is refused in %s', (raw) => expect(ruleOf(raw)).toBe('sub-path'));
});

describe('the query of a document URI', () => {
  it.each([
    ['format=json', { format: 'json' }],
    ['format=markdown', { format: 'markdown' }],
    ['format=text', { format: 'text' }],
    ['depth=metadata', { depth: 'metadata' }],
    ['depth=pages', { depth: 'pages' }],
    ['offset=0', { offset: 0 }],
    ['offset=1000', { offset: 1000 }],
    ['limit=1', { limit: 1 }],
    ['limit=100', { limit: 100 }],
    ['categories=table', { categories: ['table'] }],
    ['categories=table,pivot_table', { categories: ['table', 'pivot_table'] }],
    ['categories=table%2C+chart', { categories: ['table', 'chart'] }],
    [`categories=${dpeCategories.join(',')}`, { categories: [...dpeCategories] }],
  ])('is valid with %s', (query, more) =>
    expect(read(`dpe://h/d?${query}`)).toEqual({ level: 1, host: 'h', docRef: 'd', ...more }),
  );
  it.each([
    ['format', ['xml', '', 'JSON', 'json,text']],
    ['depth', ['all', '', 'page']],
    ['offset', ['-1', '', 'abc', '1.5', '%zz']],
    ['limit', ['0', '101', '-5', 'abc', '']],
    ['categories', ['bogus', '', 'table,', 'table;list', 'Table', 'table,bogus']],
  ])('a dpe:// URI is refused where %s has any value of %j', (key, values) => {
    for (const value of values) expect(ruleOf(`dpe://h/d?${key}=${value}`)).toBe(key);
  });
  it('knows 19 kinds of elements', () => {
    expect(new Set(dpeCategories).size).toBe(19);
  });
});

describe('the level of a document URI', () => {
  it.each([
    ['dpe://h', { level: 0, host: 'h' }],
    ['dpe://h/', { level: 0, host: 'h' }],
    ['dpe://h/report.pdf', { level: 1, host: 'h', docRef: 'report.pdf' }],
    ['dpe://h/d/pages/3', { level: 2, host: 'h', docRef: 'd', pageIndex: 3 }],
    ['dpe://h/d/pages/007', { level: 2, host: 'h', docRef: 'd', pageIndex: 7 }],
    ['dpe://h/d/elements/t-1', { level: 3, host: 'h', docRef: 'd', elementId: 't-1' }],
  ])('is read from %s', (raw, uri) => expect(read(raw)).toEqual(uri));
});

describe('keys of the query together', () => {
  it('are all read, the first of two, and none that is not known', () => {
    const query = 'categories=list&limit=5&offset=10&depth=pages&format=text&x=1&limit=0';
    expect(read(`dpe://h/d?${query}`)).toEqual({
      ...{ level: 1, host: 'h', docRef: 'd' },
      ...{ format: 'text', depth: 'pages', offset: 10, limit: 5, categories: ['list'] },
    });
  });
  it('are valid at every level', () => {
    for (const place of ['', '/d', '/d/pages/0', '/d/elements/e'])
      expect(read(`dpe://h${place}?depth=pages&categories=text`)).toMatchObject({ depth: 'pages' });
  });
});

describe('an unusual document URI', () => {
  it.each([
    ['dpe://h/a%2Fb', { docRef: 'a/b' }],
    ['dpe://h/docs%2F%E4%BD%A0%20.md/pages/0', { docRef: 'docs/你 .md', level: 2 }],
    ['dpe://h/d/elements/a%2Fb%3F', { elementId: 'a/b?' }],
    ['dpe://h/d#x', { docRef: 'd', level: 1 }],
    ['dpe://h/你', { docRef: '你' }],
  ])('is read all the same: %s', (raw, part) => expect(read(raw)).toMatchObject(part));
  it.each(['dpe://h/%', 'dpe://h/%ff/pages/1', 'dpe://h/d/elements/%zz', 'dpe://%'])(
    'is refused when it is broken: %s',
    (raw) => expect(ruleOf(raw)).toBe('encoding'),
  );
  it('is refused with 4204, which says which URI broke which rule', () => {
    expect(parseDpeUri('dpe://h/d?limit=0')).toEqual({
      ok: false,
      failure: {
        code: 4204,
        message: 'Invalid DPE URI: limit must be a whole number from 1 to 100',
        details: { uri: 'dpe://h/d?limit=0', rule: 'limit' },
      },
    });
  });
});

const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((each) => !/\p{Surrogate}/u.test(each));
const word = text.filter((each) => each !== '');
const host = word.map((each) => each.toLowerCase());
const place: fc.Arbitrary<DpePlace> = fc.oneof(
  fc.record({ level: fc.constant(0 as const), host }),
  fc.record({ level: fc.constant(1 as const), host, docRef: word }),
  fc.record({ level: fc.constant(2 as const), host, docRef: word, pageIndex: fc.maxSafeNat() }),
  fc.record({ level: fc.constant(3 as const), host, docRef: word, elementId: word }),
);
const query: fc.Arbitrary<DpeQuery> = fc.record(
  {
    format: fc.constantFrom(...dpeFormats),
    depth: fc.constantFrom(...dpeDepths),
    offset: fc.maxSafeNat(),
    limit: fc.integer({ min: 1, max: 100 }),
    categories: fc.array(fc.constantFrom(...dpeCategories), { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: [] },
);
const dpeUri: fc.Arbitrary<DpeUri> = fc.tuple(place, query).map(([at, asked]) => ({ ...at, ...asked }));

describe('a built URI', () => {
  it('is spelled in one way', () => {
    const at = { level: 2, host: 'H', docRef: "a/b c's", pageIndex: 4 } as const;
    expect(buildDpeUri({ ...at, categories: ['text', 'list'], limit: 5, format: 'json' })).toEqual({
      ok: true,
      uri: 'dpe://h/a%2Fb%20c%27s/pages/4?format=json&limit=5&categories=text,list',
    });
  });
  it('is read as what it was built from', () => {
    fc.assert(
      fc.property(dpeUri, (uri) => {
        const built = buildDpeUri(uri);
        expect(built.ok && parseDpeUri(built.uri)).toEqual({ ok: true, uri });
      }),
      { numRuns: 500 },
    );
  });
  it('is refused where no URI could say it', () => {
    const document = { level: 1, host: 'h', docRef: 'd' } as const;
    const wrong: readonly [DpeUri, string][] = [
      [{ level: 0, host: '' }, 'host'],
      [{ ...document, docRef: '' }, 'sub-path'],
      [{ ...document, level: 2, pageIndex: -1 }, 'sub-path'],
      [{ ...document, level: 2, pageIndex: 0.5 }, 'sub-path'],
      [{ ...document, level: 3, elementId: '' }, 'sub-path'],
      [{ ...document, docRef: '\ud800' }, 'encoding'],
      [{ ...document, offset: -1 }, 'offset'],
      [{ ...document, limit: 0 }, 'limit'],
      [{ ...document, limit: 101 }, 'limit'],
      [{ ...document, categories: [] }, 'categories'],
      [{ ...document, categories: ['bogus' as 'text'] }, 'categories'],
      [{ ...document, format: 'xml' as 'json' }, 'format'],
      [{ ...document, depth: 'all' as 'pages' }, 'depth'],
      [{ ...document, host: 7 as never }, 'host'],
      [{ level: 1, docRef: 'd' } as never, 'host'],
      [null as never, 'host'],
      ['dpe://h/d' as never, 'host'],
      [{ ...document, docRef: undefined as never }, 'sub-path'],
      [{ ...document, docRef: null as never }, 'sub-path'],
      [{ ...document, docRef: ['d'] as never }, 'sub-path'],
      [{ ...document, level: 2, pageIndex: '1' as never }, 'sub-path'],
      [{ ...document, level: 3, elementId: 1 as never }, 'sub-path'],
      [{ ...document, offset: '0' as never }, 'offset'],
      [{ ...document, categories: 'text' as never }, 'categories'],
      [{ ...document, categories: [1] as never }, 'categories'],
    ];
    for (const [uri, rule] of wrong)
      expect(buildDpeUri(uri)).toMatchObject({ ok: false, failure: { code: 4204, details: { rule } } });
  });
});

describe('any text', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string().map((rest) => `dpe://${rest}`),
    fc.string().map((rest) => `dpe://h/d/${rest}`),
    fc.string().map((rest) => `dpe://h/d?limit=${rest}&categories=${rest}`),
  );
  it('is a URI of a document or has one reason why not; what is one can be spelled and stays what it is', () => {
    fc.assert(
      fc.property(anything, (raw) => {
        const parsed = parseDpeUri(raw);
        expect(isDpeUri(raw)).toBe(parsed.ok);
        if (!parsed.ok) {
          expect(parsed.failure.message).toMatch(/^Invalid DPE URI: \w/);
          return;
        }
        const built = buildDpeUri(parsed.uri);
        expect(built.ok && parseDpeUri(built.uri)).toEqual(parsed);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the places of a document', () => {
  const document = 'dpe://H:1/a(b).pdf';
  it('keep its own spelling, and carry what is asked of them', () => {
    for (const from of [document, `${document}?format=text#x`, `${document}/pages/9`])
      expect([
        metadataPlace(from),
        pagesPlace(from, 20, 10),
        pagePlace(from, 3, 'markdown'),
        elementPlace(from, 'a/b?'),
      ]).toEqual([
        { ok: true, uri: document },
        { ok: true, uri: `${document}?depth=pages&offset=20&limit=10` },
        { ok: true, uri: `${document}/pages/3?format=markdown` },
        { ok: true, uri: `${document}/elements/a%2Fb%3F` },
      ]);
  });
  it('do not exist for what is no document', () => {
    const wrong = [
      metadataPlace('dpe://h'),
      metadataPlace('http://h/d'),
      pagesPlace(document, -1, 10),
      pagesPlace(document, 0, 101),
      pagePlace(document, -1, 'json'),
      elementPlace(document, ''),
      elementPlace(document, '\ud800'),
    ];
    const rules = wrong.map((built) => (built.ok ? 'none' : built.failure.details?.['rule']));
    expect(rules).toEqual(['sub-path', 'scheme', 'offset', 'limit', 'sub-path', 'sub-path', 'encoding']);
  });
});

const uriOf = (raw: string): DpeUri => {
  const parsed = parseDpeUri(raw);
  return parsed.ok ? parsed.uri : { level: 0, host: 'wrong' };
};

describe('the failures of Finder', () => {
  it.each([
    [documentNotFound('d'), 4201, { doc_ref: 'd' }],
    [hostNotFound('h'), 4201, { host: 'h' }],
    [pageOutOfRange(99, 12), 4202, { page_index: 99, page_count: 12 }],
    [elementNotFound('e'), 4203, { element_id: 'e' }],
    [invalidDpeUri('scheme', 'x://h'), 4204, { uri: 'x://h', rule: 'scheme' }],
  ])('come with %j to an agent as they are', (failure, code, details) => {
    const error = toWireError(failure);
    expect(error).toEqual({ code, message: failure.message, details });
    expect(readAnswer({ error })).toEqual({ ok: false, failure });
  });
});

describe('an error of the server that was asked', () => {
  const refused = (code: number, data?: unknown): Failure => ({
    code: 4003,
    message: 'said the server',
    details: { code, ...(data !== undefined && { data }) },
  });
  it.each([
    [refused(4202, { page_index: 9, page_count: 2 }), 4202, { page_index: 9, page_count: 2 }],
    [refused(4201, { details: { doc_ref: 'd' } }), 4201, { doc_ref: 'd' }],
    [refused(-32_000, { code: 4203, element_id: 'e' }), 4203, { element_id: 'e' }],
    [refused(-32_602, { code: 4202, message: 'm', details: { page_count: 2 } }), 4202, { page_count: 2 }],
    [refused(-32_002, { uri: 'dpe://h/d/pages/7' }), 4201, { doc_ref: 'd' }],
  ])('passes with its code and its details: %j', (failure, code, details) => {
    expect(readRefusal(failure, uriOf('dpe://h/d/pages/7'))).toEqual({
      code,
      message: 'said the server',
      details,
    });
  });
  it('says what was asked for when it is without details', () => {
    expect(
      [
        readRefusal(refused(4201), uriOf('dpe://h/a%2Fb')),
        readRefusal(refused(4202), uriOf('dpe://h/d/pages/7')),
        readRefusal(refused(4203), uriOf('dpe://h/d/elements/e')),
        readRefusal(refused(4202), uriOf('dpe://h/d')),
        readRefusal(refused(-32_002), uriOf('dpe://h')),
      ].map(({ details }) => details),
    ).toEqual([{ doc_ref: 'a/b' }, { page_index: 7 }, { element_id: 'e' }, { doc_ref: 'd' }, { host: 'h' }]);
  });
  it.each([refused(-32_603), refused(4204), refused(-32_602, { code: 4204 }), refused(1, 'text')])(
    'becomes 500 with its text: %j',
    (failure) => {
      expect(readRefusal(failure, uriOf('dpe://h/d'))).toEqual({
        code: 500,
        message: 'said the server',
        details: { code: failure.details?.['code'] },
      });
    },
  );
  it('stays what it is when the server did not say it', () => {
    for (const failure of [
      { code: 'ServerLost', message: 'gone' },
      { code: 413, message: 'too large', details: { bytes: 9, limit: 8 } },
    ] as const)
      expect(readRefusal(failure, uriOf('dpe://h/d'))).toBe(failure);
  });
});

describe('the server that is asked for a document', () => {
  const ask = (
    raw: string,
    listed: readonly { readonly server: string; readonly uris: readonly string[] }[],
    ...called: readonly string[]
  ) =>
    routeOf(
      raw,
      uriOf(raw),
      listed,
      called.map((server) => ({ server })),
    );
  const [a, b, c] = [
    { server: 'A', uris: ['dpe://one/x', 'dpe://One/y', 'dpe://two/x'] },
    { server: 'B', uris: ['dpe://one/z', 'dpe://one/z/pages/1'] },
    { server: 'C', uris: ['dpe://three'] },
  ];
  it('is the one that has its host, whatever the level', () => {
    for (const raw of ['dpe://two', 'dpe://TWO/any', 'dpe://two/x/pages/1'])
      expect(ask(raw, [a, b, c])).toEqual({ server: 'A', rivals: [] });
    expect(ask('dpe://three/d', [a, b, c])?.server).toBe('C');
  });
  it('is nobody where no server has its host', () => {
    expect(ask('dpe://four/d', [a, b, c])).toBe(undefined);
    expect(ask('dpe://one/d', [])).toBe(undefined);
  });
  it('is of two the one that lists the URI, or its document, and the other is named', () => {
    expect(ask('dpe://one/z/pages/1', [a, b], 'A')).toEqual({ server: 'B', rivals: ['A'] });
    expect(ask('dpe://one/x/elements/e', [a, b], 'B')).toEqual({ server: 'A', rivals: ['B'] });
  });
  it('is else the one whose tool was called last, then the first by name', () => {
    expect(ask('dpe://one/new', [b, a], 'A', 'B')).toEqual({ server: 'B', rivals: ['A'] });
    expect(ask('dpe://one', [b, a])).toEqual({ server: 'A', rivals: ['B'] });
  });
});

it.each([
  [buildDpeUri, { host: 'h', docRef: 'a', page: 3 }, 'page'],
  [buildDpeUri, { host: 'h', docRef: 'a', pageIndex: 3 }, 'pageIndex'],
  [buildDpeUri, { level: 1, host: 'h', docRef: 'a', query: { limit: 500 } }, 'query'],
  [buildDpeUri, { level: 0, host: 'h', docRef: 'a' }, 'docRef'],
  [buildWindowUri, { host: 'h', path: [], size: 3 }, 'size'],
])('a URI with a part that it does not have is refused, and the part is named', (build, parts, name) => {
  expect((build as (given: object) => unknown)(parts)).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining(`no part '${name}'`) as string },
  });
});
