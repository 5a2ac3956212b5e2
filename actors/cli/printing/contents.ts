/** Texts of results, resources, windows, documents, skills and calls for a terminal. */
import type {
  DesktopShown,
  DocumentSummary,
  FinderShown,
  ResourceContent,
  Skill,
  SkillFile,
} from '../../api/computer-handle.ts';
import type { MissingServer } from '../../servers/server-handle.ts';
import { fitting, columnsOf, padded } from '../../../adapters/terminal/typed-line.ts';
import type { Bytes } from '../../../adapters/storage/user-files.ts';
import type { Terminal } from '../../../adapters/terminal/terminal.ts';
import { readingFrom, type ReadCommand } from './hints.ts';
import type { KnownCall } from '../../../machines/call/history.ts';
import { blobRefOf, type BlobRef } from '../../../machines/protocol/messages/blob-ref.ts';
import { isObject, type Fields } from '../../../machines/protocol/json.ts';

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const widest = 300;
const brief = (value: unknown): string => fitting(JSON.stringify(value) ?? String(value), widest, '…');
const bytesIn = (base64: string): number =>
  Math.floor((base64.replace(/(?<![\s=])[\s=]+$/, '').length * 3) / 4);
const mark = (words: readonly (string | undefined)[], ...known: readonly (string | undefined)[]): string =>
  `[${[words.filter((word) => word !== undefined).join(' '), ...known.filter((fact) => fact !== undefined)].join(', ')}]`;
const sized = (bytes: number): string => `${bytes} bytes`;
const sizeOf = (base64: unknown): string =>
  typeof base64 === 'string' ? sized(bytesIn(base64)) : 'without data';
const shortType = (type: unknown): string | undefined => textIn(type) && fitting(String(type), 60, '…');

export function contentText(content: unknown): string {
  if (!isObject(content)) return mark(['no content'], brief(content));
  const { text, blob, mimeType } = content;
  if (typeof text === 'string') return text;
  if (typeof blob === 'string') return mark(['blob', shortType(mimeType)], sizeOf(blob));
  return mark(['neither text nor blob'], brief(content));
}
function embeddedText(resource: unknown): string {
  if (!isObject(resource)) return mark(['embedded resource without contents'], brief(resource));
  const { uri, text, mimeType } = resource;
  const words = ['embedded', shortType(mimeType), textIn(uri)];
  if (typeof text === 'string') return `${mark(words)}\n${text}`;
  return mark(
    words,
    typeof resource['blob'] === 'string' ? sizeOf(resource['blob']) : 'neither text nor blob',
  );
}
function linkText({ uri, name, title, mimeType, size, description }: Fields, reading: ReadCommand): string {
  const words = ['link', textIn(title) ?? textIn(name), textIn(uri) ?? 'without URI'];
  const type = shortType(mimeType);
  const bytes = typeof size === 'number' ? sized(size) : undefined;
  const said = textIn(description);
  const read = textIn(uri) === undefined ? '' : `\n  ${reading(String(uri))}`;
  return mark(words, type, bytes) + (said === undefined ? '' : ` ${said}`) + read;
}
function largeText({ type, mimeType, resource }: Fields, { totalBytes }: BlobRef): string {
  const kind = shortType(isObject(resource) ? resource['mimeType'] : mimeType);
  const size = totalBytes === undefined ? undefined : sized(totalBytes);
  return mark([textIn(type) ?? 'content', kind], size, 'too large to be shown: add --save FOLDER');
}
export function itemText(item: unknown, reading: ReadCommand = readingFrom()): string {
  if (!isObject(item)) return mark(['no content'], brief(item));
  const { type, text, mimeType, data, resource } = item;
  // Marks a value that is no MCP content, which an agent gets as `{ type: "unknown", value }` (machines/protocol).
  if (type === 'unknown' && 'value' in item) return mark(['no content'], brief(item['value']));
  if (type === 'text' && typeof text === 'string') return text;
  const large = blobRefOf(item);
  if (large) return largeText(item, large);
  if (type === 'image' || type === 'audio') return mark([type, shortType(mimeType)], sizeOf(data));
  if (type === 'resource_link') return linkText(item, reading);
  if (type === 'resource') return embeddedText(resource);
  return mark([`content of type ${textIn(type) ?? 'none'}`], brief(item));
}
/** Values of structured content that are searched in the text. */
const mostLeaves = 1_000;
/** Structured content only where the contents do not say it; a server may send any value. */
export function resultText(result: unknown, reading?: ReadCommand): string {
  if (!isObject(result)) return JSON.stringify(result) ?? String(result);
  const { content, structuredContent } = result;
  const structured = structuredContent ?? undefined;
  if (!Array.isArray(content) && structured === undefined) return JSON.stringify(result);
  const texts = (Array.isArray(content) ? content : []).map((item) => itemText(item, reading));
  if (structured === undefined) return texts.length > 0 ? texts.join('\n') : mark(['no content']);
  const pretty = JSON.stringify(structured, null, 2);
  const compact = JSON.stringify(structured);
  const shown = texts.map((text) => (compactOf(text) === compact ? pretty : text));
  const said = texts.join('\n');
  const leaves = leavesOf(structured);
  // Where structured content has the whole text, such as that of a file, the rest only describes it.
  const isValue = said.includes('\n') && leaves.some((leaf) => leaf.trim() === said.trim());
  const isSaid =
    isValue ||
    shown.includes(pretty) ||
    (texts.length > 0 && leaves.length <= mostLeaves && leaves.every((leaf) => said.includes(leaf)));
  return [...shown, ...(isSaid ? [] : [pretty])].join('\n');
}
function compactOf(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}
const leavesOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [String(value)];

/** That of the resource in a message of a prompt. */
const deepest = 8;
export function bytesOf(given: unknown, levels = deepest): Bytes[] {
  if (levels === 0) return [];
  if (Array.isArray(given)) return given.flatMap((each) => bytesOf(each, levels - 1));
  if (!isObject(given)) return [];
  const { type, data, blob, mimeType, content, resource } = given;
  const base64 = type === 'image' || type === 'audio' ? data : blob;
  if (typeof base64 === 'string' && base64 !== '') return [{ base64, mimeType: textIn(mimeType) }];
  return [content, resource, given['contents'], given['messages']].flatMap((part) =>
    isObject(part) || Array.isArray(part) ? bytesOf(part, levels - 1) : [],
  );
}

export interface AnswerText {
  readonly out: readonly string[];
  readonly err: readonly string[];
}
export function tell(terminal: Terminal, { out, err }: AnswerText): void {
  for (const text of out) terminal.outText(text);
  for (const line of err) terminal.err(line);
}

/** `width` is in terminal columns; line ends become spaces. */
export const inOneLine = (text: string, width: number): string =>
  fitting(text.replaceAll(/\s+/g, ' ').trim(), width, '…');
const warnings = (missing: readonly MissingServer[]): string[] =>
  missing.map(
    ({ server, reason }) => `warning: not all of server '${server}' is shown: ${inOneLine(reason, 300)}`,
  );

/** `wanted` is the URI of a single window that was asked for. */
export function desktopText({ desktops, missing }: DesktopShown, wanted?: string): AnswerText {
  const windows = desktops.map((window) => {
    const [uri = '', ...body] = window.split('\n\n');
    return [`── ${uri}`, ...(body.length > 0 ? [body.join('\n\n')] : [])].join('\n');
  });
  const out = windows.map((window, at) => (at === 0 ? window : `\n${window}`));
  return {
    out: out.length > 0 ? out : [wanted === undefined ? 'no windows' : `no window ${wanted}`],
    err: warnings(missing),
  };
}

const widestTitle = 48;
const columns: readonly (readonly [string, (d: DocumentSummary) => string])[] = [
  ['title', ({ title }) => inOneLine(title, widestTitle)],
  ['type', ({ file_type }) => inOneLine(file_type, 8)],
  ['pages', ({ page_count }) => String(page_count)],
  ['modified', ({ last_modified }) => inOneLine(last_modified ?? '', 20)],
  ['server', ({ server }) => inOneLine(server, 20)],
  // URIs are never shortened, because reading a document needs the whole one.
  ['uri', ({ uri }) => uri],
];
export function finderText({ documents, total_count, missing }: FinderShown): AnswerText {
  const count = `${documents.length} of ${total_count} documents`;
  const rows = documents.map((d) => columns.map(([, of]) => of(d)));
  const isPart = documents.length < total_count;
  return {
    out:
      rows.length > 0 ? rowsOf([columns.map(([name]) => name), ...rows]) : [isPart ? count : 'no documents'],
    err: [...(rows.length > 0 && isPart ? [count] : []), ...warnings(missing)],
  };
}

export const skillsText = (skills: readonly Skill[]): AnswerText => ({
  out:
    skills.length === 0
      ? ['no skills']
      : rowsOf([
          ['name', 'source', 'description'],
          ...skills.map(({ name, source, description }) => [name, source, inOneLine(description, 200)]),
        ]),
  err:
    skills.length === 0 ? ['folders with skills are named by "a2c": {"skills": […]} (docs/skills.md)'] : [],
});
export const skillText = ({ text, bytes, mimeType }: SkillFile): AnswerText => ({
  out: text === null ? [] : [text.replace(/\n$/, '')],
  err: text === null ? [`${mimeType} of ${bytes} bytes, which is no text`] : [],
});

export const contentsText = (contents: readonly ResourceContent[]): AnswerText => ({
  out: contents.map(contentText),
  err: contents.length === 0 ? ['it has no contents'] : [],
});

export const historyText = (history: readonly KnownCall[]): string[] =>
  history.length === 0
    ? ['no calls']
    : history.map(({ at, endedAt, reqId, server, tool, arguments: given, state, outcome, reason }) => {
        const why = reason === null ? '' : `: ${inOneLine(reason, 80)}`;
        const how = outcome === 'succeeded' ? 'done' : `${outcome ?? state}${why}`;
        return `${endedAt ?? at}  ${server || '-'}  ${tool} ${inOneLine(JSON.stringify(given), 80)}  ${how}  (${inOneLine(reqId, 40)})`;
      });

export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
export const toolsText = (count: number): string => countOf(count, 'tool');
export const listedLine = (server: string, count: string, failure: string | null): string =>
  failure === null
    ? `${server}: ${count}`
    : `${server}: ${count}; not all: ${fitting(failure.replaceAll(/\s+/g, ' ').trim(), 200, '…')}`;

/** The last cell of a row is not padded. */
export function rowsOf(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => columnsOf(row[at] ?? ''))));
  return rows.map((row) =>
    row
      .map((cell, at) => padded(cell, at === row.length - 1 ? 0 : (widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
