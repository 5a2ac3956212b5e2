import { limits } from '../../../machines/document-files.ts';
import { pagesOf, type Draft } from '../../../machines/documents.ts';
import { textReader } from './encoding.ts';
import { Unreadable } from './reader.ts';
import { isObject, type Fields } from '../../../machines/protocol/json.ts';

const paragraphsPerPage = 100;

/** Reads plain text as paragraphs separated by empty lines, a hundred paragraphs per page. */
export const readPlain = textReader((source, { name }) => {
  const paragraphs = source
    .split(/\r?\n[ \t]*(?:\r?\n[ \t]*)+/)
    .map((text) => text.replace(/^\s*\n|\s+$/g, ''))
    .filter((text) => text !== '');
  const pages = [];
  for (let from = 0; from < Math.max(paragraphs.length, 1); from += paragraphsPerPage) {
    const part = paragraphs.slice(from, from + paragraphsPerPage);
    const drafts = part.map((text): Draft => ({ category: 'text', content: { text } }));
    pages.push({ title: from === 0 ? name : `${name}, from paragraph ${from + 1}`, drafts });
  }
  return pagesOf(pages);
});

const isFlat = (row: unknown): row is Fields =>
  isObject(row) && Object.values(row).every((each) => typeof each !== 'object' || each === null);
const cell = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

function tableOf(rows: readonly Fields[]): Draft['content'] {
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

/** Reads JSON as one page: an object becomes one element per key, a list of flat objects a table. */
export const readJson = textReader((source, { name }) => {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    throw new Unreadable('it is not JSON');
  }
  const entries = isObject(value) ? Object.entries(value) : [];
  const isSplit = entries.length > 0 && entries.length <= limits.pageElements;
  const drafts = isSplit ? entries.map(([key, each]) => part(each, key)) : [part(value, '')];
  const title = isObject(value) && typeof value['title'] === 'string' ? { title: value['title'] } : {};
  return { ...title, ...pagesOf([{ title: name, drafts }]) };
});
