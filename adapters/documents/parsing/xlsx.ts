import { read, utils, type CellObject, type WorkSheet } from '@e965/xlsx';
import { limits } from '../../../machines/document-files.ts';
import type { Draft, DraftPage } from '../../../machines/documents.ts';
import {
  chartOf,
  type Lookup,
  openOfficeFile,
  propertiesOf,
  elements,
  type OfficeFile,
} from './office-file.ts';
import { Unreadable, type Reader } from './reader.ts';

/** Reads XLSX as one page per sheet, with its table, formulas, links, comments and charts. */
export const readXlsx: Reader = ({ bytes }) => {
  const file = openOfficeFile(bytes, 'xlsx');
  const book = ((): ReturnType<typeof read> => {
    try {
      return read(file.packed(withoutEmptyValues), {
        type: 'array',
        cellHTML: false,
        cellText: true,
        sheetStubs: true,
        sheetRows: limits.tableRows + 1,
      });
    } catch {
      throw new Unreadable('it is not a whole workbook');
    }
  })();
  const charts = chartsBySheet(file, (range) => valuesIn(book.Sheets, range));
  const pages = book.SheetNames.map((title): DraftPage => {
    const sheet = book.Sheets[title];
    return { title, drafts: [...(sheet ? draftsOf(sheet, title) : []), ...(charts.get(title) ?? [])] };
  });
  const named = propertiesOf(file);
  const summary = named.summary ?? `sheets: ${book.SheetNames.slice(0, 20).join(', ')}`;
  return Promise.resolve({
    ...named,
    summary,
    pageCount: pages.length,
    pages: Object.fromEntries(pages.entries()),
  });
};

/** Removes empty formula values, which programs without calculation write and which the library would read as 0. */
const withoutEmptyValues = (name: string, text: string): string =>
  name.startsWith('xl/worksheets/') ? text.replace(/<v\s*(?:\/>|><\/v>)/g, '') : text;

const shown = (cell: CellObject | undefined): string =>
  cell?.t === 'z' ? '' : (cell?.w ?? (cell?.v === undefined || cell.v === null ? '' : String(cell.v)));

function draftsOf(sheet: WorkSheet, title: string): Draft[] {
  if (sheet['!ref'] === undefined) return [];
  const { s: start, e: end } = utils.decode_range(sheet['!ref']);
  const whole = utils.decode_range(sheet['!fullref'] ?? sheet['!ref']);
  const lastColumn = Math.min(end.c, start.c + limits.tableColumns - 1);
  const rows: string[][] = [];
  const beside: Draft[] = [];
  for (let r = start.r; r <= end.r; r += 1) {
    const row: string[] = [];
    for (let c = start.c; c <= lastColumn; c += 1) {
      const address = utils.encode_cell({ r, c });
      const cell = sheet[address] as CellObject | undefined;
      row.push(shown(cell));
      if (cell && beside.length < limits.pageElements)
        beside.push(...draftsAt(cell, `${title}!${address}`, address));
    }
    rows.push(row);
  }
  const [columns = [], ...rest] = rows;
  const range = utils.encode_range(whole);
  const metadata = {
    range,
    first_row: start.r + 1,
    first_column: utils.encode_col(start.c),
    ...(whole.e.r > end.r && { rows_total: whole.e.r - start.r }),
    ...(whole.e.c > lastColumn && { columns_total: whole.e.c - start.c + 1 }),
  };
  const summary = `${title} ${range}`;
  return [
    { category: 'table', summary, content: { columns, rows: rest }, metadata, key: `table ${title}` },
    ...beside,
  ];
}
function draftsAt(cell: CellObject, key: string, address: string): Draft[] {
  const drafts: Draft[] = [];
  if (cell.f !== undefined)
    drafts.push({
      category: 'formula',
      content: { cell: address, expression: `=${cell.f}`, value: shown(cell) },
      summary: `${address} =${cell.f}`,
      key,
    });
  if (cell.l?.Target)
    drafts.push({ category: 'link', content: { text: shown(cell), url: cell.l.Target, cell: address }, key });
  for (const comment of cell.c ?? [])
    drafts.push({
      category: 'annotation',
      content: { text: comment.t ?? '', author: comment.a ?? '', cell: address },
      key,
    });
  return drafts;
}

/**
 * Charts of each sheet by its name, found through the drawings of the sheet, because the sheet library reads neither drawings nor
 * charts.
 */
function chartsBySheet(file: OfficeFile, lookup: Lookup): ReadonlyMap<string, Draft[]> {
  const workbook = file.xml(file.main);
  const relations = file.relations(file.main);
  return new Map(
    (workbook ? elements(workbook, 'sheet') : []).map((sheet) => {
      const target = relations.get(sheet.getAttribute('r:id') ?? '')?.target ?? '';
      const drawings = [...file.relations(target).values()].filter(({ type }) => type === 'drawing');
      const charts = drawings.flatMap((drawing) =>
        [...file.relations(drawing.target).values()].filter(({ type }) => type === 'chart'),
      );
      return [
        sheet.getAttribute('name') ?? '',
        charts.flatMap((chart) => chartOf(file, chart.target, lookup) ?? []),
      ];
    }),
  );
}

/** Values of a range such as `'My sheet'!$B$2:$B$4`, up to the row and column limits of a table. */
function valuesIn(sheets: Readonly<Record<string, WorkSheet>>, written: string): string[] {
  const [, quoted, bare, range = ''] = /^(?:'((?:[^']|'')+)'|([^!']+))!(.+)$/.exec(written) ?? [];
  const sheet = sheets[quoted?.replaceAll("''", "'") ?? bare ?? ''];
  if (!sheet || !/^\$?[A-Z]{1,3}\$?\d+(:\$?[A-Z]{1,3}\$?\d+)?$/.test(range)) return [];
  const { s: start, e: end } = utils.decode_range(range.replaceAll('$', ''));
  const values: string[] = [];
  for (let r = start.r; r <= Math.min(end.r, start.r + limits.tableRows); r += 1)
    for (let c = start.c; c <= Math.min(end.c, start.c + limits.tableColumns); c += 1)
      values.push(shown(sheet[utils.encode_cell({ r, c })] as CellObject | undefined));
  return values;
}
