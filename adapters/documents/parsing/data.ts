import { readJson as readLenient } from '../../../machines/config/json-text.ts';
import { limits } from '../../../machines/document-files.ts';
import { pagesOf, type Draft, type DraftPage } from '../../../machines/documents.ts';
import { isObject, isTooDeep, mostLevels, type Fields } from '../../../machines/protocol/json.ts';
import { textReader } from './encoding.ts';
import { Unreadable, rowsPerPage } from './reader.ts';

const isFlat = (row: unknown): row is Fields =>
  isObject(row) && Object.values(row).every((each) => typeof each !== 'object' || each === null);
const isTable = (value: unknown): value is readonly Fields[] =>
  Array.isArray(value) && value.length > 0 && value.every(isFlat);
const cell = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

function tablesOf(rows: readonly Fields[], name: string): Draft[] {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const most = rowsPerPage(columns.length);
  const drafts: Draft[] = [];
  for (let from = 0; from < rows.length; from += most) {
    const shown = rows.slice(from, from + most).map((row) => columns.map((key) => cell(row[key])));
    drafts.push({
      category: 'table',
      content: { columns, rows: shown },
      ...(name && { summary: name }),
      ...(rows.length > most && { metadata: { first_row: from + 1, rows_total: rows.length } }),
    });
  }
  return drafts;
}
const codeOf = (text: string, language: string, name: string): Draft => ({
  category: 'code',
  content: { language, text },
  ...(name && { summary: name, key: `key ${name}` }),
});
const part = (value: unknown, name: string): Draft[] =>
  isTable(value) ? tablesOf(value, name) : [codeOf(JSON.stringify(value, null, 2), 'json', name)];

function inPages(drafts: readonly Draft[], name: string): DraftPage[] {
  const pages: { title: string; drafts: Draft[] }[] = [];
  let weight = Infinity;
  for (const draft of drafts) {
    const rows = draft.content['rows'];
    const own = Array.isArray(rows) ? Math.max(1, rows.length) : 1;
    if (weight + own > limits.pageElements) {
      pages.push({ title: pages.length === 0 ? name : `${name}, part ${pages.length + 1}`, drafts: [] });
      weight = 0;
    }
    pages.at(-1)?.drafts.push(draft);
    weight += own;
  }
  return pages.length > 0 ? pages : [{ title: name, drafts: [] }];
}
const titleIn = (value: unknown): { title?: string } =>
  isObject(value) && typeof value['title'] === 'string' ? { title: value['title'] } : {};

/** It may have comments and trailing commas, as config files have. */
function valueIn(source: string): unknown {
  // Refuses depth, because each level of the indented text is longer than the one before.
  if (isTooDeep(source, mostLevels)) throw new Unreadable(`it is nested deeper than ${mostLevels} levels`);
  try {
    return JSON.parse(source);
  } catch {
    const read = readLenient(source);
    if (!read.ok) throw new Unreadable('it is not JSON');
    return read.value;
  }
}
/** An object becomes one element for each key, a list of flat objects a table. */
export const readJson = textReader((source, { name }) => {
  const value = valueIn(source);
  const entries = isObject(value) ? Object.entries(value) : [];
  const drafts = entries.length > 0 ? entries.flatMap(([key, each]) => part(each, key)) : part(value, '');
  return { ...titleIn(value), ...pagesOf(inPages(drafts, name)) };
});

export const readJsonLines = textReader((source, { name }) => {
  const lines = source.split('\n').map((text, at) => ({ text: text.trim(), number: at + 1 }));
  const values = lines
    .filter(({ text }) => text !== '')
    .map(({ text, number }): unknown => {
      try {
        if (!isTooDeep(text, mostLevels)) return JSON.parse(text);
      } catch {
        throw new Unreadable(`line ${number} is not JSON`);
      }
      throw new Unreadable(`line ${number} is nested deeper than ${mostLevels} levels`);
    });
  const drafts = isTable(values)
    ? tablesOf(values, '')
    : values.map((value, at) => codeOf(JSON.stringify(value, null, 2), 'json', `line ${at + 1}`));
  return { ...pagesOf(inPages(drafts, name)), summary: `${values.length} lines` };
});
