import Papa from 'papaparse';
import { pagesOf, type Draft, type DraftDocument } from '../../../machines/documents.ts';
import { textReader } from './encoding.ts';
import { rowsPerPage } from './reader.ts';

const paragraphsPerPage = 100;
const charsPerPage = 64 * 1024;

export const readPlain = textReader((source, { name }) => pagesOfText(source, name));

export function pagesOfText(source: string, name: string): DraftDocument {
  const paragraphs = paragraphsIn(source).flatMap(parts);
  const pages: { title: string; drafts: Draft[] }[] = [{ title: name, drafts: [] }];
  let chars = 0;
  for (const [at, text] of paragraphs.entries()) {
    let page = pages.at(-1);
    const isFull =
      (page?.drafts.length ?? 0) >= paragraphsPerPage || (chars > 0 && chars + text.length > charsPerPage);
    if (!page || isFull) {
      page = { title: `${name}, from paragraph ${at + 1}`, drafts: [] };
      pages.push(page);
      chars = 0;
    }
    chars += text.length;
    page.drafts.push({ category: 'text', content: { text } });
  }
  return pagesOf(pages);
}

/** No pattern, because a file may have megabytes of empty lines. */
export function paragraphsIn(source: string): readonly string[] {
  const runs: string[][] = [[]];
  for (const line of source.split('\n'))
    if (line.trim() === '') runs.push([]);
    else runs.at(-1)?.push(line);
  return runs
    .map((lines, at) => (at === 0 ? lines.join('\n').trimEnd() : lines.join('\n').trim()))
    .filter((text) => text !== '');
}

function parts(text: string): string[] {
  const found: string[] = [];
  let rest = text;
  while (rest.length > charsPerPage) {
    const room = rest.slice(0, charsPerPage);
    const line = room.lastIndexOf('\n');
    const end = line > 0 ? line : room.lastIndexOf(' ');
    const isPair = /[\ud800-\udbff]$/.test(room);
    const at = end > 0 ? end + 1 : charsPerPage - (isPair ? 1 : 0);
    found.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at);
  }
  return [...found, rest];
}

/** As it is written. */
export const readCode = textReader((source, { name, fileType }) =>
  pagesOf(
    parts(source).map((text, at) => ({
      title: at === 0 ? name : `${name}, part ${at + 1}`,
      drafts: text.trim() === '' ? [] : [{ category: 'code', content: { language: fileType, text } }],
    })),
  ),
);

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
