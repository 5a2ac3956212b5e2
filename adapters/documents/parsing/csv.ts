import Papa from 'papaparse';
import { pagesOf } from '../../../machines/documents.ts';
import { textReader } from './encoding.ts';
import { rowsPerPage } from './tables.ts';

/** Reads CSV and TSV. The first row holds the column names, and each page has up to 2,000 rows. */
export const readCsv = textReader((text, { name, fileType }) => {
  const { data, errors, meta } = Papa.parse<string[]>(text, {
    skipEmptyLines: true,
    ...(fileType === 'tsv' && { delimiter: '\t' }),
  });
  const [head = [], ...rows] = data;
  const columns = head;
  const most = rowsPerPage(columns.length);
  const pages = [];
  for (let from = 0; from < Math.max(rows.length, 1); from += most) {
    const shown = rows.slice(from, from + most);
    const to = from + shown.length;
    const metadata = {
      delimiter: meta.delimiter,
      first_row: from + 1,
      rows_total: rows.length,
      ...(errors.length > 0 && { mistakes: errors.length }),
    };
    const names = columns.slice(0, 20).join(', ');
    const summary = `${names}: rows ${Math.min(from + 1, to)} to ${to} of ${rows.length}`;
    pages.push({
      title: from === 0 ? name : `${name}, rows ${from + 1} to ${to}`,
      drafts: [{ category: 'table' as const, summary, content: { columns, rows: shown }, metadata }],
    });
  }
  return { ...pagesOf(pages), summary: `${rows.length} rows: ${columns.slice(0, 20).join(', ')}` };
});
