import { utils, write } from '@e965/xlsx';
import { describe, expect, it } from 'vitest';
import type { Draft, DraftDocument } from '../../../machines/documents.ts';
import { zipped } from '../../../scenarios/fixtures/office-parts.ts';
import { readEpub } from './epub.ts';
import { readMarkdown } from './markdown.ts';
import { readNotebook } from './notebook.ts';
import { readOdp, readOdt } from './open-document.ts';
import { readMail } from './mail.ts';
import { readCode, readPlain } from './plain.ts';
import type { Reader } from './reader.ts';
import { readRtf } from './rtf.ts';
import { readOds, readXls } from './xlsx.ts';

const read = async (reader: Reader, content: string | Uint8Array): Promise<DraftDocument> => {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return reader({ bytes, name: 'a', fileType: '', from: 0, to: 99 });
};
const brief = ({ pages }: DraftDocument): unknown[] =>
  Object.values(pages)
    .flatMap(({ drafts }): Draft[] => [...drafts])
    .map(({ category, content }) => [category, content]);
describe('text', () => {
  it('is divided into pages by its length, with nothing left out', async () => {
    const source = `${'word '.repeat(40_000)}THE END`;
    const { pages, pageCount } = await read(readPlain, source);
    expect(pageCount).toBe(4);
    const texts = Object.values(pages).flatMap(({ drafts }) => drafts.map(({ content }) => content['text']));
    expect(texts.join(' ').split(/\s+/)).toEqual(source.split(/\s+/));
  });
});

it('JSON, YAML and XML are shown as they are written, in pages', async () => {
  const source = '// head\n{"a": 1, /* b */ "b": [2,]\n';
  expect(brief(await read(readCode, source))).toEqual([['code', { language: '', text: source }]]);
  const lines = Array.from({ length: 20_000 }, (_, at) => `<e id="${at}"/>`);
  const { pages, pageCount } = await read(readCode, lines.join('\n'));
  const texts = Object.values(pages).flatMap(({ drafts }) => drafts.map(({ content }) => content['text']));
  expect([pageCount, texts.join('\n').split('\n')]).toEqual([5, lines]);
});

it.each([
  ['an entity in a heading', '# A &amp; B', ['heading', { text: 'A & B', level: 1 }]],
  [
    'an item with a task',
    '- [ ] one\n  more\n- two',
    ['list', { items: ['[ ] one\nmore', 'two'], ordered: false }],
  ],
  ['a list that begins later', '3. c', ['list', { items: ['c'], ordered: true, start: 3 }]],
  ['a quotation without its marks', '> one\n> two', ['text', { text: 'one\ntwo' }]],
  ['a footnote of two lines', '[^n]: one\ntwo', ['annotation', { text: 'one\ntwo', name: 'n' }]],
  ['a link by reference', '[Home][h]', ['link', { text: 'Home', url: 'https://h/' }]],
  ['a cell of two lines', '|a|\n|-|\n|b<br>c\\|d|', ['table', { columns: ['a'], rows: [['b\nc|d']] }]],
  ['a formula', '$$\nx\n$$', ['formula', { expression: 'x' }]],
  ['code with its language', '```js title=x\na\n```', ['code', { text: 'a', language: 'js' }]],
])('Markdown has %s', async (_, source, draft) => {
  expect(brief(await read(readMarkdown, `${source}\n\n[h]: https://h/`))[0]).toEqual(draft);
});

it('a notebook has its texts, code and outputs', async () => {
  const cells = [
    { cell_type: 'markdown', source: ['# Title\n', 'See $x$.'] },
    {
      cell_type: 'code',
      source: 'show()',
      outputs: [
        { output_type: 'stream', text: ['hello\n'] },
        {
          output_type: 'execute_result',
          data: { 'text/html': '<table><tr><th>a</table>', 'text/plain': 'a' },
        },
        { output_type: 'display_data', data: { 'image/png': 'iVBO', 'text/plain': '<Figure>' } },
        { output_type: 'error', traceback: ['\u001b[31mNo\u001b[0m'] },
      ],
    },
  ];
  const document = await read(
    readNotebook,
    JSON.stringify({ cells, metadata: { language_info: { name: 'python' } } }),
  );
  expect(document.title).toBe('Title');
  expect(brief(document)).toEqual([
    ['heading', { text: 'Title', level: 1 }],
    ['text', { text: 'See $x$.' }],
    ['code', { text: 'show()', language: 'python' }],
    ['code', { text: 'hello' }],
    ['table', { columns: ['a'], rows: [] }],
    ['image', { description: '<Figure>' }],
    ['code', { text: 'No' }],
  ]);
});

it('EPUB has its parts in reading order', async () => {
  const page = (title: string): string =>
    `<html><head><title/></head><body><a id="x"/><h1>${title}</h1><p>of ${title}</p></body></html>`;
  const parts = {
    'META-INF/container.xml':
      '<container><rootfiles><rootfile full-path="b/book.opf"/></rootfiles></container>',
    'b/book.opf':
      '<package xmlns:dc="d"><metadata><dc:title>The book</dc:title><dc:subject>tea</dc:subject></metadata><manifest>' +
      '<item id="1" href="one.xhtml"/><item id="2" href="t%20wo.xhtml"/></manifest><spine><itemref idref="2"/><itemref idref="1"/></spine></package>',
    'b/one.xhtml': page('One'),
    'b/t wo.xhtml': page('Two'),
  };
  const book = await read(readEpub, zipped(parts));
  expect(book).toMatchObject({ title: 'The book', keywords: ['tea'], pageCount: 2 });
  expect(Object.values(book.pages).map(({ title }) => title)).toEqual(['Two', 'One']);
  expect(brief(book)[1]).toEqual(['text', { text: 'of Two' }]);
  const locked = { ...parts, 'META-INF/encryption.xml': '<CipherReference URI="b/one.xhtml"/>' };
  await expect(read(readEpub, zipped(locked))).rejects.toThrow('it is encrypted');
});

it('RTF has its text, in its encoding', async () => {
  const source =
    '{\\rtf1\\ansi\\ansicpg1251{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset204 Arial Cyr;}}{\\colortbl;\\red0;}' +
    "{\\*\\generator Any;}\\f0 Caf\\u233\\'e9 \\b bold\\b0\\par {\\f1 \\'cc\\'e8\\'f0}, \\u8364?5 \\u-10179?\\u-8704? a\\~b\\line\n" +
    '{\\field{\\*\\fldinst HYPERLINK "u"}{\\fldrslt a link}}\\par one\\cell two\\cell\\row{\\pict ffff}{\\*\\shpinst{\\sp{\\sn x}}{\\shptxt in a box\\par}}\\{end\\}}';
  expect(
    brief(await read(readRtf, source)).map((each) => (each as [string, { text: string }])[1].text),
  ).toEqual([...['Café bold', 'Мир, €5 😀 a b\na link', 'one\ttwo\t\nin a box', '{end}']]);
});

describe('mail', () => {
  const mail = (...lines: string[]): string => lines.join('\r\n');
  it('has its subject, its people, its text and the names of what is attached', async () => {
    const source = mail(
      'Subject: =?utf-8?Q?Tea_=E2=82=AC5?=',
      ' =?iso-8859-1?B?ZulsaXg=?=',
      'From: Ada <ada@example.com>',
      'Content-Type: multipart/mixed; boundary="=_b 1"',
      '',
      'for old programs',
      '--=_b 1',
      'Content-Type: multipart/alternative; boundary=inner',
      '',
      '--inner',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'A long =',
      'line of caf=E9',
      '',
      'Bye',
      '--inner',
      'Content-Type: text/html',
      '',
      '<p>another form</p>',
      '--inner--',
      '--=_b 1',
      'Content-Type: application/pdf; name="plan.pdf"',
      'Content-Transfer-Encoding: base64',
      '',
      'AAAA',
      '--=_b 1--',
      '',
    );
    const document = await read(readMail, source);
    expect(document.title).toBe('Tea €5félix');
    expect(brief(document)).toEqual([
      ['heading', { text: 'Tea €5félix', level: 1 }],
      ['text', { text: 'From: Ada <ada@example.com>' }],
      ['text', { text: 'A long line of café' }],
      ['text', { text: 'Bye' }],
      ['annotation', { text: 'Attached: plan.pdf', kind: 'attachment' }],
    ]);
  });

  it('has the text of HTML in it, of a mail within it, and in Base64', async () => {
    const html = mail('Content-Type: text/html', 'Content-Transfer-Encoding: base64', '');
    const inner = mail('Subject: Re', 'Content-Type: text/plain', '', 'yes');
    const source = mail(
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      mail(html, Buffer.from('<ul><li>a</ul>').toString('base64')),
      '--x',
      mail('Content-Type: message/rfc822', '', inner),
      '--x--',
    );
    expect(brief(await read(readMail, source))).toMatchObject([
      ['list', { items: ['a'] }],
      ['heading', { text: 'Re' }],
      ['text', { text: 'yes' }],
    ]);
    expect(brief(await read(readMail, 'no header at all'))).toEqual([]);
  });

  it('ends where mails are nested without end', async () => {
    const source = 'Content-Type: message/rfc822\n\n'.repeat(5000);
    expect(brief(await read(readMail, source))).toEqual([]);
  });
});

describe('OpenDocument', () => {
  const names = ['office', 'text', 'table', 'style', 'draw', 'presentation', 'xlink', 'dc', 'fo']
    .map((name) => `xmlns:${name}="urn:${name}"`)
    .join(' ');
  const content = (kind: string, inner: string, styles = ''): Record<string, string> => ({
    'content.xml': `<office:document-content ${names}><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:${kind}>${inner}</office:${kind}></office:body></office:document-content>`,
  });

  it('has lists, spans, notes, comments and links of a text', async () => {
    const styles =
      '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style>' +
      '<style:style style:name="up"><style:text-properties style:text-position="super 58%"/></style:style>';
    const cell = (text: string, more = ''): string =>
      `<table:table-cell ${more}><text:p>${text}</text:p></table:table-cell>`;
    const body =
      '<text:h text:outline-level="1">Title</text:h>' +
      '<text:p>10<text:span text:style-name="up">6</text:span><text:line-break/>see <text:a xlink:href="https://e.com/">it</text:a>' +
      '<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>so</text:p></text:note-body></text:note>' +
      '<office:annotation><dc:creator>Ada</dc:creator><text:p>Why?</text:p></office:annotation></text:p>' +
      '<text:list text:style-name="L"><text:list-item><text:p>a</text:p><text:list><text:list-item><text:p>b</text:p></text:list-item></text:list></text:list-item></text:list>' +
      `<table:table><table:table-row>${cell('Year')}${cell('Q')}</table:table-row>` +
      `<table:table-row>${cell('2023', 'table:number-rows-spanned="2"')}${cell('1')}</table:table-row>` +
      `<table:table-row><table:covered-table-cell/>${cell('2')}</table:table-row></table:table>`;
    expect(brief(await read(readOdt, zipped(content('text', body, styles))))).toMatchObject([
      ['heading', { text: 'Title' }],
      ['text', { text: '10⁶\nsee [it](https://e.com/)[1]' }],
      ['list', { items: ['a\n- b'], ordered: true }],
      [
        'table',
        {
          columns: ['Year', 'Q'],
          rows: [
            ['2023', '1'],
            ['2023', '2'],
          ],
        },
      ],
      ['annotation', { text: 'so' }],
      ['annotation', { text: 'Why?', name: 'Ada' }],
    ]);
  });

  it('has its text and its formulas of old OpenOffice, whatever is in an embedded object', async () => {
    const object = (name: string): string => `<draw:frame><draw:object xlink:href="./${name}"/></draw:frame>`;
    const body = `<text:p>before ${object('1')}${object('2')}${object('3')} after</text:p>`;
    const bomb = '<!DOCTYPE m [<!ENTITY a "b">]><m>&a;</m>';
    const formula =
      '<!DOCTYPE math:math PUBLIC "-//OpenOffice.org//DTD Modified W3C MathML 1.01//EN" "math.dtd"><math:math xmlns:math="m"><math:mi>x</math:mi></math:math>';
    const parts = { '1/content.xml': bomb, '2/content.xml': '<a', '3/content.xml': formula };
    expect(brief(await read(readOdt, zipped({ ...content('text', body), ...parts })))).toMatchObject([
      ['text', { text: 'before $x$ after' }],
    ]);
    await expect(read(readOdt, zipped({ 'content.xml': bomb }))).rejects.toThrow('document type');
  });

  it('has the slides and notes of a presentation', async () => {
    const frame = (text: string, kind: string): string =>
      `<draw:frame presentation:class="${kind}"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;
    const slide = `<draw:page>${frame('Aims', 'title')}${frame('Fewer faults', 'outline')}<presentation:notes>${frame('Say it', 'notes')}</presentation:notes></draw:page>`;
    const document = await read(readOdp, zipped(content('presentation', slide)));
    const row = '<table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row>';
    const table = `<draw:page><draw:frame><table:table>${row}</table:table><draw:image/></draw:frame></draw:page>`;
    expect(brief(await read(readOdp, zipped(content('presentation', table))))).toMatchObject([
      ['text', { text: 'a' }],
    ]);
    expect(document.title).toBe('Aims');
    expect(brief(document)).toEqual([
      ['heading', { text: 'Aims', level: 1 }],
      ['text', { text: 'Fewer faults' }],
      ['annotation', { text: 'Say it', kind: 'notes' }],
    ]);
  });

  it('says so when it is encrypted', async () => {
    const parts = { ...content('text', ''), 'META-INF/manifest.xml': '<m:encryption-data/>' };
    await expect(read(readOdt, zipped(parts))).rejects.toThrow('it is encrypted: it needs a password');
    await expect(read(readOdt, zipped(content('presentation', '')))).rejects.toThrow('another kind');
  });

  it.each([
    ['ods', readOds],
    ['xls', readXls],
  ] as const)('has the cells of its sheets, and so has an old workbook: %s', async (bookType, reader) => {
    const book = utils.book_new();
    const sheet = utils.aoa_to_sheet([
      ['a', 'b'],
      [1, 2.5],
    ]);
    sheet['C2'] = { t: 'n', v: 3.5, f: 'A2+B2' };
    sheet['!ref'] = 'A1:C2';
    utils.book_append_sheet(book, sheet, 'S');
    const bytes = new Uint8Array(write(book, { type: 'array', bookType }) as ArrayBuffer);
    expect(brief(await read(reader, bytes))).toMatchObject([
      ['table', { columns: ['a', 'b', ''], rows: [['1', '2.5', '3.5']] }],
      ...(bookType === 'ods' ? [['formula', { cell: 'C2', expression: '=A2+B2' }]] : []),
    ]);
  });
});
