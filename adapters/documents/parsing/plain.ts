import { limits, pagesOf, type Draft } from '../../../machines/documents/index.ts';
import { decoded, Unreadable, type Reader } from './reader.ts';

const paragraphsPerPage = 100;

/** Plain text: paragraphs between empty lines, a hundred to a page. */
export const readPlain: Reader = ({ bytes, name }) => {
  const paragraphs = decoded(bytes)
    .split(/\r?\n[ \t]*(?:\r?\n[ \t]*)+/)
    .map((text) => text.replace(/^\s*\n|\s+$/g, ''))
    .filter((text) => text !== '');
  const pages = [];
  for (let from = 0; from < Math.max(paragraphs.length, 1); from += paragraphsPerPage) {
    const part = paragraphs.slice(from, from + paragraphsPerPage);
    const drafts = part.map((text): Draft => ({ category: 'text', content: { text } }));
    pages.push({ title: from === 0 ? name : `${name}, from paragraph ${from + 1}`, drafts });
  }
  return Promise.resolve(pagesOf(pages));
};

type Json = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isFlat = (row: unknown): row is Json =>
  isRecord(row) && Object.values(row).every((each) => typeof each !== 'object' || each === null);
const cell = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

function tableOf(rows: readonly Json[]): Draft['content'] {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, limits.tableColumns);
  const shown = rows.slice(0, limits.tableRows);
  const more = rows.length > shown.length ? { rows_total: rows.length } : {};
  return { columns, rows: shown.map((row) => columns.map((key) => cell(row[key]))), ...more };
}
const part = (value: unknown, key: string): Draft =>
  Array.isArray(value) && value.length > 0 && value.every(isFlat)
    ? { category: 'table', content: tableOf(value), ...(key && { summary: key }) }
    : {
        category: 'code',
        content: { language: 'json', text: JSON.stringify(value, null, 2) },
        ...(key && { summary: key, key: `key ${key}` }),
      };

/** JSON: one page; of an object one element a key, of a list of flat objects a table. */
export const readJson: Reader = async ({ bytes, name }) => {
  let value: unknown;
  try {
    value = JSON.parse(decoded(bytes));
  } catch {
    throw new Unreadable('it is not JSON');
  }
  const entries = isRecord(value) ? Object.entries(value) : [];
  const isSplit = entries.length > 0 && entries.length <= limits.pageElements;
  const drafts = isSplit ? entries.map(([key, each]) => part(each, key)) : [part(value, '')];
  const title = isRecord(value) && typeof value['title'] === 'string' ? { title: value['title'] } : {};
  return { ...title, ...pagesOf([{ title: name, drafts }]) };
};
