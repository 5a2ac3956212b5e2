import { XMLSerializer } from '@xmldom/xmldom';
import { parseAllDocuments, isMap, isNode, isSeq, type Document as YamlDocument } from 'yaml';
import { readJson as readLenient } from '../../../machines/config/json-text.ts';
import { limits } from '../../../machines/document-files.ts';
import { pagesOf, type Draft, type DraftDocument, type DraftPage } from '../../../machines/documents.ts';
import { isObject, isTooDeep, mostLevels, type Fields } from '../../../machines/protocol/json.ts';
import { textReader } from './encoding.ts';
import { childElements, parseXml } from './office-file.ts';
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

export const readYaml = textReader((source, { name }) => {
  const documents = [...parseAllDocuments(source, { logLevel: 'silent' })] as YamlDocument[];
  const drafts = documents.flatMap((each, at): Draft[] => {
    if (each.errors.length > 0)
      throw new Unreadable(`it is not YAML: ${(each.errors[0]?.message ?? '').split('\n')[0] ?? ''}`);
    const start = at === 0 ? 0 : (each.range?.[0] ?? 0);
    return partsOfYaml(each, source, start);
  });
  const first: unknown = documents.length === 1 ? plain(documents[0]) : undefined;
  return { ...titleIn(first), ...pagesOf(inPages(drafts, name)) };
});
/** Undefined when its aliases would make it too large. */
function plain(document: YamlDocument | undefined): unknown {
  try {
    return document?.toJS({ maxAliasCount: 100 });
  } catch {
    return undefined;
  }
}
function partsOfYaml(document: YamlDocument, source: string, start: number): Draft[] {
  const { contents } = document;
  const end = document.range?.[2] ?? source.length;
  const value = plain(document);
  if (isSeq(contents) && isTable(value)) return tablesOf(value, '');
  if (!isMap(contents)) {
    const text = source.slice(start, end).trim();
    return text === '' ? [] : [codeOf(text, 'yaml', '')];
  }
  const starts = contents.items.map(({ key }, at) =>
    at === 0 ? start : isNode(key) ? (key.range?.[0] ?? start) : start,
  );
  return contents.items.flatMap(({ key }, at): Draft[] => {
    const title = String(isNode(key) ? key.toJS(document) : key);
    const inner = isObject(value) ? value[title] : undefined;
    if (isTable(inner)) return tablesOf(inner, title);
    return [codeOf(source.slice(starts[at], starts[at + 1] ?? end).trimEnd(), 'yaml', title)];
  });
}

const serializer = new XMLSerializer();
/** A table when the root has records of one name with plain fields, else the divided source. */
export const readXml = textReader((source, { name }): DraftDocument => {
  const root = ((): Element | undefined => {
    try {
      return parseXml(source, name, true).documentElement;
    } catch {
      return undefined;
    }
  })();
  // A file that is not well-formed is shown as it is.
  if (!root) return pagesOf([{ title: name, drafts: [codeOf(source, 'xml', '')] }]);
  const children = childElements(root);
  const records = children.map(recordOf);
  const isOfOneName = new Set(children.map(({ nodeName }) => nodeName)).size === 1;
  const drafts =
    children.length > 1 && isOfOneName && records.every((each) => each !== undefined)
      ? tablesOf(records, root.nodeName)
      : children.map((each) => codeOf(serializer.serializeToString(each), 'xml', each.nodeName));
  const text = root.textContent ?? '';
  const shown = drafts.length > 0 ? drafts : text.trim() === '' ? [] : [codeOf(source, 'xml', '')];
  return { summary: `<${root.nodeName}> with ${children.length} elements`, ...pagesOf(inPages(shown, name)) };
});
/** Undefined when a child has children, or two have one name. */
function recordOf(element: Element): Fields | undefined {
  const fields: Record<string, string> = {};
  for (const { name, value } of Array.from(element.attributes)) fields[name] = value;
  const children = childElements(element);
  for (const each of children) {
    if (childElements(each).length > 0 || Object.hasOwn(fields, each.nodeName)) return undefined;
    fields[each.nodeName] = (each.textContent ?? '').trim();
    for (const { name, value } of Array.from(each.attributes)) fields[`${each.nodeName}@${name}`] = value;
  }
  const own = children.length === 0 ? (element.textContent ?? '').trim() : '';
  return own === '' ? fields : { ...fields, text: own };
}
