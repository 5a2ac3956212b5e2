import Papa from 'papaparse';
import { pagesOf, type Draft, type DraftDocument, type DraftPage } from '../../../machines/documents.ts';
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

/** Each read goes through the whole file, so it gives more pages than were asked for. */
const pagesAtOnce = 100;

/** Rows of other pages than the wanted are only counted. */
export const readCsv = textReader((text, { name, fileType, from, to }) => {
  const end = Math.max(to, from + pagesAtOnce);
  const kept: string[][] = [];
  let columns: readonly string[] | undefined;
  let [most, total, mistakes, delimiter] = [1, 0, 0, ''];
  // The line in which a file for Excel names its separator.
  const [line = '', named = fileType === 'tsv' ? '\t' : ''] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  Papa.parse<string[]>(text.slice(line.length), {
    skipEmptyLines: true,
    delimiter: named,
    step: ({ data, errors, meta }) => {
      mistakes += errors.length;
      if (!columns) [columns, most, delimiter] = [data, rowsPerPage(data.length), meta.delimiter];
      else if ((total += 1) > from * most && total <= end * most) kept.push(data);
    },
  });
  const names = columns?.slice(0, 20).join(', ') ?? '';
  const pageCount = Math.max(1, Math.ceil(total / most));
  const pages: Record<number, DraftPage> = {};
  for (let page = from; page < Math.min(end, pageCount); page += 1) {
    const first = page * most;
    const rows = kept.slice(first - from * most, first - from * most + most);
    const last = first + rows.length;
    const metadata = {
      delimiter,
      first_row: first + 1,
      rows_total: total,
      ...(mistakes > 0 && { mistakes }),
    };
    const summary = `${names}: rows ${Math.min(first + 1, last)} to ${last} of ${total}`;
    pages[page] = {
      title: page === 0 ? name : `${name}, rows ${first + 1} to ${last}`,
      drafts: [{ category: 'table', summary, content: { columns: columns ?? [], rows }, metadata }],
    };
  }
  return { pageCount, pages, summary: `${total} rows: ${names}` };
});
