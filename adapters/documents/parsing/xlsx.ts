/** Markdown tables of an Excel workbook. */
import { zipSync } from 'fflate';
import { read, SSF, utils, type CellObject, type WorkSheet } from '@e965/xlsx';
import { limits } from '../../../machines/document-files.ts';
import { pagesOf, type Draft, type DraftDocument, type DraftPage } from '../../../machines/documents.ts';
import {
  chartOf,
  type Lookup,
  openOfficeFile,
  propertiesOf,
  elements,
  textIn,
  type OfficeFile,
} from './office-file.ts';
import { openOpenDocument } from './open-document.ts';
import { rowsPerPage, toldOf, Unreadable, type Reader } from './reader.ts';

export const readXlsx: Reader = ({ bytes }) => {
  const file = openOfficeFile(bytes, 'xlsx');
  const book = bookOf(file.packed(withoutEmptyValues));
  const drawn = drawingsBySheet(file, (range) => valuesIn(book, range));
  const pages = pagesOf(pagesOfBook(book, drawn));
  return Promise.resolve({ summary: summaryOf(book), ...propertiesOf(file), ...pages });
};

type Book = ReturnType<typeof read>;
function bookOf(bytes: Uint8Array): Book {
  try {
    return read(bytes, {
      type: 'array',
      dense: true,
      cellHTML: false,
      cellText: true,
      cellNF: true,
      sheetStubs: true,
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/password|encrypt/i.test(message)) throw new Unreadable('it is encrypted: it needs a password');
    throw new Unreadable(`it is not a whole workbook: ${(message.split('\n')[0] ?? '').slice(0, 200)}`);
  }
}
const pagesOfBook = (book: Book, drawn: ReadonlyMap<string, readonly Draft[]>): DraftPage[] =>
  book.SheetNames.flatMap((title) => {
    const sheet = book.Sheets[title];
    const is1904 = book.Workbook?.WBProps?.date1904 === true;
    const pages = sheet ? new SheetPages(sheet, title, is1904).pages() : [{ title, drafts: [] }];
    const [first = { title, drafts: [] }, ...others] = pages;
    return [{ ...first, drafts: [...first.drafts, ...(drawn.get(title) ?? [])] }, ...others];
  });

/** Programs that do not calculate write them, and the library would read them as 0. */
const withoutEmptyValues = (name: string, text: string): string =>
  name.startsWith('xl/worksheets/') ? text.replace(/<v\s*(?:\/>|><\/v>)/g, '') : text;

type Cells = readonly (CellObject | undefined)[];
const rowsIn = (sheet: WorkSheet): readonly (Cells | undefined)[] =>
  (sheet as { '!data'?: readonly (Cells | undefined)[] })['!data'] ?? [];

/** Shown differently in each country, so that the file does not say what its author saw. */
const isLocal = (format: unknown): boolean => /^m\/d\/yy( h:mm)?$/.test(String(format));
/** As the spreadsheet program shows it; dates without a format of their own are ISO dates. */
const shown = (cell: CellObject | undefined, is1904 = false): string => {
  if (!cell || cell.t === 'z') return '';
  // With all its digits, where Excel shows `1.23457E+13`.
  if (cell.t === 'n' && (cell.z ?? 'General') === 'General')
    return String(Number(Number(cell.v).toPrecision(15)));
  if (isLocal(cell.z) && typeof cell.v === 'number') return isoDate(cell.v, is1904) ?? cell.w ?? '';
  return cell.w ?? (cell.v === undefined || cell.v === null ? '' : String(cell.v));
};

function isoDate(value: number, is1904: boolean): string | undefined {
  const date = SSF.parse_date_code(value, { date1904: is1904 }) as
    | { y: number; m: number; d: number; H: number; M: number; S: number }
    | undefined;
  if (!date) return undefined;
  const two = (number: number): string => String(Math.trunc(number)).padStart(2, '0');
  const time = `${two(date.H)}:${two(date.M)}:${two(date.S)}`;
  const day = `${String(date.y).padStart(4, '0')}-${two(date.m)}-${two(date.d)}`;
  if (value > 0 && value < 1) return time;
  return Number.isInteger(value) ? day : `${day}T${time}`;
}

interface Row {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly drafts: readonly Draft[];
}
interface Block {
  readonly rows: Row[];
  from: number;
  to: number;
}
/** Two empty rows or more end a table, and long tables are divided into pages. */
class SheetPages {
  readonly #title: string;
  readonly #is1904: boolean;
  readonly #cells: readonly (Cells | undefined)[];
  readonly #covered: ReadonlyMap<number, ReadonlyMap<number, CellObject>>;
  readonly #pages: { title: string; drafts: Draft[] }[] = [];
  #drafts: Draft[] = [];
  #rows: number[] = [];
  #beside = 0;

  constructor(sheet: WorkSheet, title: string, is1904: boolean) {
    this.#title = title;
    this.#is1904 = is1904;
    this.#cells = rowsIn(sheet);
    this.#covered = coveredIn(sheet, this.#cells);
  }

  pages(): readonly DraftPage[] {
    for (const [at, block] of this.#blocks().entries()) this.#add(block, at === 0);
    if (this.#drafts.length > 0 || this.#pages.length === 0) this.#close();
    return this.#pages;
  }

  #blocks(): Block[] {
    const blocks: Block[] = [];
    for (const at of this.#cells.keys()) {
      const row = this.#rowAt(at);
      if (!row) continue;
      const last = blocks.at(-1);
      const before = last?.rows.at(-1);
      if (last && before && at - before.at <= 2) {
        last.rows.push(row);
        last.from = Math.min(last.from, row.from);
        last.to = Math.max(last.to, row.to);
      } else blocks.push({ rows: [row], from: row.from, to: row.to });
    }
    return blocks;
  }

  #rowAt(at: number): Row | undefined {
    const cells = this.#cells[at] ?? [];
    let [from, to] = [Infinity, -1];
    const drafts: Draft[] = [];
    for (const [column, cell] of cells.entries()) {
      if (!cell) continue;
      const beside = this.#draftsAt(cell, utils.encode_cell({ r: at, c: column }));
      drafts.push(...beside);
      if (beside.length === 0 && shown(cell).trim() === '') continue;
      from = Math.min(from, column);
      to = column;
    }
    return to < 0 ? undefined : { at, from, to, drafts };
  }

  #draftsAt(cell: CellObject, address: string): Draft[] {
    const key = `${this.#title}!${address}`;
    const text = shown(cell, this.#is1904);
    const drafts: Draft[] = [];
    if (cell.f !== undefined)
      drafts.push({
        category: 'formula',
        content: { cell: address, expression: `=${cell.f}`, value: text },
        summary: `${address} =${cell.f}`,
        key,
      });
    if (cell.l?.Target)
      drafts.push({ category: 'link', content: { text, url: cell.l.Target, cell: address }, key });
    for (const comment of cell.c ?? [])
      drafts.push({
        category: 'annotation',
        content: { text: comment.t ?? '', kind: 'comment', author: comment.a ?? '', cell: address },
        key,
      });
    return drafts;
  }

  #add({ rows: [head, ...rest], from, to }: Block, isFirst: boolean): void {
    if (!head) return;
    const most = rowsPerPage(to - from + 1);
    const columns = this.#line(head.at, from, to);
    let waiting: Row[] = [];
    let isBegun = false;
    const flush = (): void => {
      if (isBegun && waiting.length === 0) return;
      this.#drafts.push(this.#table(head, columns, waiting, rest.length, from, to, isFirst && !isBegun));
      for (const row of isBegun ? waiting : [head, ...waiting]) this.#drafts.push(...row.drafts);
      isBegun = true;
      waiting = [];
    };
    this.#take(head);
    for (const row of rest) {
      if (this.#rows.length >= most || this.#beside + row.drafts.length > limits.pageElements) {
        flush();
        this.#close();
      }
      waiting.push(row);
      this.#take(row);
    }
    flush();
  }
  #take(row: Row): void {
    this.#rows.push(row.at);
    this.#beside += row.drafts.length;
  }

  #table(
    head: Row,
    columns: readonly string[],
    rows: readonly Row[],
    total: number,
    from: number,
    to: number,
    isFirst: boolean,
  ): Draft {
    const [first, last] = [rows[0]?.at ?? head.at + 1, rows.at(-1)?.at ?? head.at];
    const numbers = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
    const range = utils.encode_range({ s: { r: Math.min(head.at, first), c: from }, e: { r: last, c: to } });
    return {
      category: 'table',
      summary: `${this.#title} ${range}`,
      content: {
        columns,
        rows: numbers.map((at) => this.#line(at, from, to)),
      },
      metadata: {
        range,
        header_row: head.at + 1,
        first_row: first + 1,
        first_column: utils.encode_col(from),
        rows_total: total,
      },
      key: isFirst ? `table ${this.#title}` : `table ${this.#title} ${range}`,
    };
  }
  #line(at: number, from: number, to: number): string[] {
    return Array.from({ length: to - from + 1 }, (_, column) =>
      shown(this.#cellAt(at, from + column), this.#is1904),
    );
  }
  #cellAt(at: number, column: number): CellObject | undefined {
    return this.#covered.get(at)?.get(column) ?? this.#cells[at]?.[column];
  }
  #close(): void {
    const [first = 0, last = 0] = [this.#rows[0], this.#rows.at(-1)];
    const isFirst = this.#pages.length === 0;
    const title = isFirst ? this.#title : `${this.#title}, rows ${first + 1} to ${last + 1}`;
    this.#pages.push({ title, drafts: this.#drafts });
    [this.#drafts, this.#rows, this.#beside] = [[], [], 0];
  }
}
/** Only of the first column, to say what each row belongs to: a title over a whole table would fill all. */
function coveredIn(
  sheet: WorkSheet,
  rows: readonly (Cells | undefined)[],
): ReadonlyMap<number, ReadonlyMap<number, CellObject>> {
  const covered = new Map<number, Map<number, CellObject>>();
  let left: number = limits.tableCells;
  for (const { s: start, e: end } of sheet['!merges'] ?? []) {
    const cell = rows[start.r]?.[start.c];
    if (!cell) continue;
    for (let r = start.r + 1; r <= Math.min(end.r, rows.length - 1) && left > 0; r += 1, left -= 1) {
      const line = covered.get(r) ?? new Map<number, CellObject>();
      covered.set(r, line.set(start.c, cell));
    }
  }
  return covered;
}
/** The sheet library reads no drawings. */
function drawingsBySheet(file: OfficeFile, lookup: Lookup): ReadonlyMap<string, Draft[]> {
  const workbook = file.xml(file.main);
  const relations = file.relations(file.main);
  return new Map(
    (workbook ? elements(workbook, 'sheet') : []).map((sheet) => {
      const target = relations.get(sheet.getAttribute('r:id') ?? '')?.target ?? '';
      const drawings = [...file.relations(target).values()].filter(({ type }) => type === 'drawing');
      const drafts = drawings.flatMap((drawing): Draft[] => {
        const charts = [...file.relations(drawing.target).values()].filter(({ type }) => type === 'chart');
        return [
          ...charts.flatMap((chart) => chartOf(file, chart.target, lookup) ?? []),
          ...textBoxesIn(file.xml(drawing.target)),
        ];
      });
      return [sheet.getAttribute('name') ?? '', drafts];
    }),
  );
}
const textBoxesIn = (drawing: Document | undefined): Draft[] =>
  (drawing ? elements(drawing, 'txBody') : []).flatMap((body) => {
    const lines = elements(body, 'p').map((each) => textIn(each));
    const text = lines.filter((line) => line.trim() !== '').join('\n');
    return text === '' ? [] : [{ category: 'text' as const, content: { text } }];
  });

/** Such as `'My sheet'!$B$2:$B$4`, up to the row and column limits of a table. */
function valuesIn(book: Book, written: string): string[] {
  const [, quoted, bare, range = ''] = /^(?:'((?:[^']|''){1,1000})'|([^!']+))!(.+)$/.exec(written) ?? [];
  const sheet = book.Sheets[quoted?.replaceAll("''", "'") ?? bare ?? ''];
  if (!sheet || !/^\$?[A-Z]{1,3}\$?\d+(:\$?[A-Z]{1,3}\$?\d+)?$/.test(range)) return [];
  const { s: start, e: end } = utils.decode_range(range.replaceAll('$', ''));
  const cells = rowsIn(sheet);
  const values: string[] = [];
  for (let r = start.r; r <= Math.min(end.r, start.r + limits.tableRows); r += 1)
    for (let c = start.c; c <= Math.min(end.c, start.c + limits.tableColumns); c += 1)
      values.push(shown(cells[r]?.[c]));
  return values;
}

/** A newer workbook with the ending `.xls` is read by its content. */
export const readXls: Reader = (source) => {
  const [first, second] = source.bytes;
  if (first === 0x50 && second === 0x4b) return readXlsx(source);
  return Promise.resolve(documentOf(bookOf(source.bytes)));
};
export const readOds: Reader = ({ bytes }) => {
  const { entries } = openOpenDocument(bytes);
  return Promise.resolve(documentOf(bookOf(zipSync(entries as Record<string, Uint8Array>, { level: 0 }))));
};
const documentOf = (book: Book): DraftDocument => ({
  ...toldOf({ title: book.Props?.Title, keywords: book.Props?.Keywords, summary: summaryOf(book) }),
  ...pagesOf(pagesOfBook(book, new Map())),
});
const summaryOf = ({ SheetNames }: Book): string => `sheets: ${SheetNames.slice(0, 20).join(', ')}`;
