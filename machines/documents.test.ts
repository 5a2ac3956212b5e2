import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  documentUri,
  elementAnswer,
  metadataAnswer,
  pageAnswer,
  pagesAnswer,
  formatOf,
  gradeAt,
  misfit,
  inSections,
  linesOfWords,
  named,
  pageOfId,
  pagesOf,
  renderElement,
  rankOf,
  renderPage,
  snippet,
  textIn,
  wideEncodingOf,
  wordsIn,
  type DocumentFormat,
  type Draft,
  type Element,
} from './documents.ts';
import { buildDpeUri, parseDpeUri } from './resources/dpe-uri.ts';

const heading = (text: string, level: number): Draft => ({ category: 'heading', content: { text, level } });
const text = (said: string): Draft => ({ category: 'text', content: { text: said } });
const digest = (said: string): string => Buffer.from(said).toString('hex').slice(-12);
const ids = (drafts: readonly Draft[], isByPage = false): string[] =>
  Object.values(named(pagesOf(inSections(drafts, 'x')), isByPage, digest).pages).flatMap(({ elements }) =>
    elements.map(({ element_id }) => element_id),
  );

describe('ids of elements', () => {
  it('stay when something is put before them, and are there once each', () => {
    const before = [heading('A', 1), text('same'), text('same'), text('other')];
    expect(ids([text('new'), ...before]).slice(1)).toEqual(ids(before));
    expect(new Set(ids(before)).size).toBe(4);
  });
  it('name their page where pages are read one by one', () => {
    expect(ids([heading('A', 1), heading('B', 2)], true).map(pageOfId)).toEqual([0, 1]);
    expect(['text-1', 'p-1', 'px-1', ''].map(pageOfId)).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('sections', () => {
  it('begin at headings of the first two levels, and lose nothing', () => {
    const drafts = [text('intro'), heading('A', 1), text('a'), heading('deep', 3), heading('B', 2)];
    expect(inSections(drafts, 'name').map(({ title }) => title)).toEqual(['name', 'A', 'B']);
    expect(inSections(drafts, 'name').flatMap((page) => page.drafts)).toEqual(drafts);
    expect(inSections([], 'name')).toEqual([{ title: 'name', drafts: [] }]);
  });
});

describe('names of documents', () => {
  const key = fc
    .array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(' ', '%', '%20', '/', 'ü', '空', '😀')))
    .map((parts) => parts.join(''))
    .filter((ref) => ref !== '' && !/\p{Surrogate}/u.test(ref));
  it('are told decoded at each level, and what is built of them reads the document', () => {
    fc.assert(
      fc.property(key, (ref) => {
        const listed = {
          ref,
          fileUri: 'file:///x',
          fileType: 'md',
          sizeBytes: 1,
          lastModified: '2026-01-01',
        };
        const element = { element_id: 'e', category: 'text', content: { text: 'x' } } as const;
        const read = { title: 't', pageCount: 1, pages: { 0: { title: 't', elements: [element] } } };
        const pages = pagesAnswer('documents', listed, read, 0, 1);
        const told = [
          metadataAnswer('documents', listed, undefined),
          pages,
          ...(pages['pages'] as Record<string, unknown>[]),
          pageAnswer('documents', listed, 0, 't', [element]),
          elementAnswer('documents', listed, 0, element),
        ].map((answer) => answer['doc_ref']);
        expect(new Set(told)).toEqual(new Set([ref]));
        const built = buildDpeUri({ level: 1, host: 'documents', docRef: String(told[0]) });
        expect(built).toEqual({ ok: true, uri: documentUri('documents', ref) });
      }),
    );
    expect(buildDpeUri({ level: 1, host: 'documents', docRef: '' })).toMatchObject({ ok: false });
  });
  it('come back from their URI, whatever is in them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (ref) => {
        fc.pre(!/\p{Surrogate}/u.test(ref));
        expect(parseDpeUri(documentUri('documents', ref))).toMatchObject({
          ok: true,
          uri: { level: 1, docRef: ref },
        });
      }),
    );
  });
  it.each([
    ['a/b.MD', 'md'],
    ['b.markdown', 'md'],
    ['b.rst', 'txt'],
    ['b.RTF', 'rtf'],
    ['b.eml', 'eml'],
    ['b.mht', 'eml'],
    ['x.tar.gz', undefined],
    ['.md', undefined],
    ['md', undefined],
    ['x.constructor', undefined],
  ])('the format of %s is %s', (path, format) => expect(formatOf(path)).toBe(format));
  it('say a format that the content of the file must fit', () => {
    const told = (format: DocumentFormat, said: string | Uint8Array): string | undefined =>
      misfit(format, typeof said === 'string' ? new TextEncoder().encode(said) : said);
    const wrong = 'it is not what its name says';
    expect([told('pdf', '\n%PDF-1.4'), told('pdf', 'PK')]).toEqual([undefined, wrong]);
    expect([told('docx', 'PK..'), told('docx', '%PDF-')]).toEqual([undefined, wrong]);
    expect([told('md', 'a'), told('md', 'a\0')]).toEqual([undefined, wrong]);
    expect(told('txt', Uint8Array.of(0xff, 0xfe, 0x41, 0))).toBe(undefined);
    const container = Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0);
    expect(told('xlsx', container)).toContain('it is encrypted and needs a password, or');
  });
});

describe('UTF-16 without a mark', () => {
  const bigEndian = (said: string): Buffer => Buffer.from(said, 'utf16le').swap16();
  it.each([
    'plain text',
    'Привет, мир',
    'imię,miasto\nŁukasz,Łódź\n',
    'Καλημέρα κόσμε, αυτό είναι ένα κείμενο',
    'שלום עולם\nمرحبا بالعالم',
    '你好，世界。\n今天天气很好，我们去公园。\n',
    'a \u2000\u0100 😀\uffff!',
  ])('is known by what is written in it: %j', (said) => {
    expect(wideEncodingOf(Buffer.from(said, 'utf16le'))).toBe('utf-16le');
    expect(wideEncodingOf(bigEndian(said))).toBe('utf-16be');
  });
  it.each([
    ['UTF-8', Buffer.from('Привет, мир')],
    ['ASCII', Buffer.from('plain text')],
    ['PNG', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, 0x49, 0x48])],
    ['UTF-32', Buffer.from('a\0\0\0b\0\0\0c\0\0\0', 'latin1')],
    ['half of a pair', Buffer.from('\0\xd8 \0a\0b\0\0\xd8', 'latin1')],
  ])('is not seen in %s', (_, bytes) => expect(wideEncodingOf(bytes)).toBe(undefined));
});

describe('elements as text', () => {
  it.each<[Element['category'], Element['content'], string, string]>([
    ['heading', { text: 'T', level: 3 }, '### T', 'T'],
    ['list', { items: ['a', 'b'], ordered: true }, '1. a\n2. b', 'a\nb'],
    ['list', { items: ['a'] }, '- a', 'a'],
    ['code', { text: 'a\n```\nb', language: 'md' }, '````md\na\n```\nb\n````', 'a\n```\nb'],
    [
      'table',
      { columns: ['a', 'b'], rows: [['1|2', 'x\ny']] },
      '| a | b |\n| --- | --- |\n| 1\\|2 | x<br>y |',
      'a\tb\n1|2\tx y',
    ],
    [
      'list',
      { items: ['a\n- b\n  - c', 'd'], start: 9, ordered: true },
      '9. a\n   - b\n     - c\n10. d',
      'a\n- b\n  - c\nd',
    ],
    ['heading', { text: 'a b', level: 1 }, '# a b', 'a b'],
    [
      'chart',
      {
        title: 'C',
        series: [
          { name: 's', categories: ['May', 'June'], values: [1, null] },
          { name: 't', categories: ['May', 'June'], values: [3] },
        ],
      },
      '[chart: C]\n\n|  | s | t |\n| --- | --- | --- |\n| May | 1 | 3 |\n| June |  |  |',
      'C\n\ts\tt\nMay\t1\t3\nJune\t\t',
    ],
    ['chart', { title: '' }, '[chart]', ''],
    ['form', { name: 'City', value: 'Rome' }, '[form: City = Rome]', '[form: City = Rome]'],
    ['form', { name: 'City', value: '' }, '[form: City]', '[form: City]'],
    ['image', { description: '' }, '[image]', ''],
    ['image', { alt: 'A', url: 'u.png' }, '![A](u.png)', 'A'],
    ['image', { description: 'D' }, '[image: D]', 'D'],
    ['link', { text: 'L', url: 'u' }, '[L](u)', 'L u'],
    ['formula', { expression: 'a+b' }, '$ a+b $', 'a+b'],
    ['widget', {}, '[widget: S]', '[widget: S]'],
  ])('are written as Markdown and as plain text: %s', (category, content, markdown, plain) => {
    const element = { element_id: 'e', category, content, summary: 'S' };
    expect([renderElement(element, 'markdown'), renderElement(element, 'text')]).toEqual([markdown, plain]);
  });
  it('stand in a page with an empty line between them', () => {
    const elements: Element[] = ['a', 'b'].map((said) => ({
      element_id: said,
      category: 'text',
      content: { text: said },
    }));
    expect(renderPage({ title: '', elements }, 'text')).toBe('a\n\nb');
  });
  it('elements as text have the title of their page before them, unless one of them says it', () => {
    const elements: Element[] = [{ element_id: 'e', category: 'text', content: { text: 'Costs ' } }];
    expect(renderPage({ title: 'Sheet', elements }, 'markdown')).toBe('## Sheet\n\nCosts ');
    expect(renderPage({ title: 'Costs', elements }, 'markdown')).toBe('Costs ');
  });
});

describe('words', () => {
  it('are letters and digits in a row, whatever their case; of Chinese each letter is one', () => {
    expect(wordsIn("The OAK's x_1, naïve 茶道 v2茶")).toEqual([
      ...['the', 'oak', 's', 'x', '1', 'naïve', '茶', '道', 'v2', '茶'],
    ]);
    expect(wordsIn('')).toEqual([]);
  });
  it('words of a chart are those of its table, with the numbers', () => {
    const content = { title: 'Costs', series: [{ name: 's', categories: ['May'], values: [450] }] };
    expect(wordsIn(textIn({ element_id: 'c', category: 'chart', content, summary: 'x' }))).toEqual([
      ...['costs', 's', 'may', '450'],
    ]);
  });
  it('are shown with what stands around them', () => {
    const shown = (said: string): string | undefined => snippet(said, ['needle'])?.text;
    expect(shown(`${'x '.repeat(200)}Needle${' y'.repeat(200)}`)).toMatch(/^…[x ]+Needle[y ]+…$/);
    expect([shown('nothing'), shown('a knitneedle'), shown('Needle first')]).toEqual([
      ...[undefined, undefined, 'Needle first'],
    ]);
    expect(snippet('Boil the kettle', ['boil', 'kett', 'tea'])?.count).toBe(2);
  });
  it('words of a search must all be there; whole words come before beginnings, names before texts', () => {
    expect(
      ['茶道 needles, needle', 'needlework', 'my_needle', 'kneedle'].map((said) => gradeAt(said, 'needle')),
    ).toEqual([...[2, 1, 2, 0]]);
    expect(gradeAt('v2茶', '茶')).toBe(2);
    const rank = (...words: string[]): number =>
      rankOf(words, linesOfWords(['needles']), (word) => gradeAt('a thread', word));
    expect([rank('needles'), rank('needle'), rank('thread'), rank('thre'), rank('thread', 'x')]).toEqual([
      ...[4, 3, 2, 1, 0],
    ]);
  });
});
