import { utils, write } from '@e965/xlsx';
import { describe, expect, it } from 'vitest';
import type { DraftPage } from '../../../machines/documents.ts';
import { relations, root, zipped } from '../../../scenarios/fixtures/office-parts.ts';
import { readCsv } from './plain.ts';
import { readXls, readXlsx } from './xlsx.ts';

type Cell = string | number | Date | null | { v?: unknown; t: string; z?: string; f?: string };
const book = (rows: readonly (readonly Cell[])[], title = 'S'): Uint8Array => {
  const file = utils.book_new();
  utils.book_append_sheet(file, utils.aoa_to_sheet(rows.map((row) => [...row])), title);
  return new Uint8Array(write(file, { type: 'array' }) as ArrayBuffer);
};
const pagesOf = async (bytes: Uint8Array): Promise<DraftPage[]> =>
  Object.values((await readXlsx({ bytes, name: 'a.xlsx', fileType: 'xlsx', from: 0, to: 1 })).pages);
const date = (v: number, z: string): Cell => ({ t: 'n', v, z });

describe('a sheet', () => {
  it('repeats a merged cell in the rows that it covers, and not in the columns', async () => {
    const file = utils.book_new();
    const sheet = utils.aoa_to_sheet([
      ['Report'],
      ['Year', 'Quarter', 'Sum'],
      ['2023', 'Q1', 1],
      [null, 'Q2', 2],
      [null, null, 3],
    ]);
    const range = (text: string) => utils.decode_range(text);
    sheet['!merges'] = [range('A1:C1'), range('A3:A1048576'), range('B4:B5')];
    utils.book_append_sheet(file, sheet, 'S');
    const [page] = await pagesOf(new Uint8Array(write(file, { type: 'array' }) as ArrayBuffer));
    const [table, ...others] = page?.drafts ?? [];
    expect(others).toEqual([]);
    expect(table?.content).toMatchObject({
      columns: ['Report', '', ''],
      rows: [
        ['Year', 'Quarter', 'Sum'],
        ['2023', 'Q1', '1'],
        ['2023', 'Q2', '2'],
        ['2023', 'Q2', '3'],
      ],
    });
  });
  it('has its cells as they are shown, and numbers without a format with all their digits', async () => {
    const [page] = await pagesOf(
      book([
        ['what', date(45_356, 'd mmm yyyy')],
        ['date', date(45_356, 'm/d/yy')],
        ['time', date(45_356.5, 'yyyy-mm-dd hh:mm')],
        ['share', { t: 'n', v: 0.12345, z: '0%' }],
        ['cost', { t: 'n', v: 1234.5, z: '"$"#,##0' }],
        ['count', { t: 'n', v: 1234, z: '#,##0' }],
        ['large', 12_345_678_901_234],
        ['sum', 0.1 + 0.2],
        ['code', { t: 'n', v: 7, z: '000' }],
      ]),
    );
    const [table] = page?.drafts ?? [];
    expect(table?.content).toEqual({
      columns: ['what', '5 Mar 2024'],
      rows: [
        ['date', '2024-03-05'],
        ['time', '2024-03-05 12:00'],
        ['share', '12%'],
        ['cost', '$1,235'],
        ['count', '1,234'],
        ['large', '12345678901234'],
        ['sum', '0.3'],
        ['code', '007'],
      ],
    });
  });

  it('is divided into pages of 2,000 rows, with nothing left out', async () => {
    const rows = Array.from({ length: 5000 }, (_, at) => [`row${at + 1}`, at]);
    const pages = await pagesOf(book([['name', 'n'], ...rows]));
    expect(pages.map(({ title }) => title)).toEqual(['S', 'S, rows 2001 to 4000', 'S, rows 4001 to 5001']);
    const tables = pages.flatMap(({ drafts }) => drafts);
    expect(tables.flatMap(({ content }) => content['rows'] as string[][]).map(([name]) => name)).toEqual(
      rows.map(([name]) => name),
    );
    expect(tables[2]?.metadata).toMatchObject({ header_row: 1, first_row: 4001, rows_total: 5000 });
    expect(tables[2]?.content['columns']).toEqual(['name', 'n']);
  });

  it('has all its formulas, on more pages', async () => {
    const formulas = Array.from({ length: 900 }, (_, at): Cell[] =>
      ['A', 'B', 'C'].map((column) => ({ t: 'n', v: at, f: `${column}1+${at}` })),
    );
    const pages = await pagesOf(book([['a', 'b', 'c'], ...formulas]));
    const found = pages.map(({ drafts }) => drafts.filter(({ category }) => category === 'formula').length);
    expect(found).toEqual([1998, 702]);
  });

  it('shows no rows without a value at its ends, and tables apart where rows are empty', async () => {
    const empty: Cell[] = [null];
    const rows: Cell[][] = [
      empty,
      empty,
      [null, 'a', 'b'],
      [null, '1', '2'],
      empty,
      empty,
      empty,
      ['x'],
      empty,
      ['y'],
    ];
    const [page] = await pagesOf(book(rows));
    expect(
      page?.drafts.map(({ content, metadata }) => [content['columns'], content['rows'], metadata?.['range']]),
    ).toEqual([
      [['a', 'b'], [['1', '2']], 'B3:C4'],
      [['x'], [['y']], 'A8:A10'],
    ]);
    expect((await pagesOf(book([])))[0]).toEqual({ title: 'S', drafts: [] });
  });

  it('has the texts of its text boxes', async () => {
    const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
    const about = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
    const parts = {
      '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="${about}.sheet.main+xml"/><Override PartName="/xl/sheet.xml" ContentType="${about}.worksheet+xml"/></Types>`,
      '_rels/.rels': relations(['r1', 'officeDocument', 'xl/workbook.xml']),
      'xl/workbook.xml': `<workbook ${main} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': relations(['r1', 'worksheet', 'sheet.xml']),
      'xl/sheet.xml': `<worksheet ${main}><sheetData/></worksheet>`,
      'xl/_rels/sheet.xml.rels': relations(['r1', 'drawing', 'drawing.xml']),
      'xl/drawing.xml': root(
        'd',
        '<txBody><a:p><a:r><a:t>Ask </a:t></a:r><a:r><a:t>Ada</a:t></a:r></a:p></txBody>',
      ),
    };
    const [page] = await pagesOf(zipped(parts));
    expect(page).toEqual({ title: 'S', drafts: [{ category: 'text', content: { text: 'Ask Ada' } }] });
  });
});

it('CSV shows all columns, too', async () => {
  const row = Array.from({ length: 1000 }, (_, at) => `c${at}`).join(',');
  const bytes = Buffer.from(`${row}\n`.repeat(501));
  const { pages } = await readCsv({ bytes, name: 'a.csv', fileType: 'csv', from: 0, to: 1 });
  const tables = Object.values(pages).flatMap(({ drafts }) => drafts);
  expect(tables.map(({ content }) => (content['rows'] as string[][]).map(({ length }) => length))).toEqual([
    Array.from({ length: 400 }, () => 1000),
    Array.from({ length: 100 }, () => 1000),
  ]);
});

it.each([
  ['sep=;\r\na,b;c\r\n1;2\r\n', ['a,b', 'c']],
  ['SEP=,\na,b;c\n1,2\n', ['a', 'b;c']],
])(
  'CSV has the separator that its first line names for Excel, and no row of that line: %j',
  async (text, columns) => {
    const { pages } = await readCsv({
      ...{ bytes: Buffer.from(text), name: 'a.csv', fileType: 'csv' as const },
      ...{ from: 0, to: 1 },
    });
    expect(pages[0]?.drafts[0]?.content).toEqual({ columns, rows: [['1', '2']] });
  },
);

it('a workbook that cannot be read tells the reason', async () => {
  const bytes = new Uint8Array(600).fill(1);
  bytes.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  const reading = async () => readXls({ bytes, name: 'a.xls', fileType: 'xls', from: 0, to: 1 });
  await expect(reading()).rejects.toThrow(/^it is not a whole workbook: \S/);
});

it('Of a long CSV only some pages are kept, with the numbers of their rows and of all', async () => {
  const lines = Array.from({ length: 600_000 }, (_, at) => `${at + 1},"a\nb"`);
  const bytes = Buffer.from(`n,text\n${lines.join('\n')}\n`);
  const read = await readCsv({ bytes, name: 'a.csv', fileType: 'csv', from: 150, to: 151 });
  expect(read).toMatchObject({ pageCount: 300, summary: '600000 rows: n, text' });
  expect(Object.keys(read.pages)).toEqual(Array.from({ length: 100 }, (_, at) => String(at + 150)));
  const { title, drafts } = read.pages[151] ?? {};
  expect(title).toBe('a.csv, rows 302001 to 304000');
  expect(drafts?.[0]).toMatchObject({ metadata: { first_row: 302_001, rows_total: 600_000 } });
  const rows = drafts?.[0]?.content['rows'] as string[][];
  expect([rows.length, rows[0], rows.at(-1)]).toEqual([2000, ['302001', 'a\nb'], ['304000', 'a\nb']]);
});
