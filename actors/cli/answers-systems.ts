import type { PastCall } from '../../machines/history/index.ts';
import type { Terminal } from '../../adapters/index.ts';
import type {
  DesktopShown,
  DocumentSummary,
  FinderShown,
  MissingServer,
  ResourceContent,
} from '../systems-handle.ts';

/** What a person reads of a Desktop, a Finder, a resource, the history of calls. */
export interface Shown {
  readonly out: readonly string[];
  /** Beside the result. */
  readonly err: readonly string[];
}
export function tell(terminal: Terminal, { out, err }: Shown): void {
  for (const line of out) terminal.out(line);
  for (const line of err) terminal.err(line);
}

/** Texts of servers may hold anything: a terminal must not obey them. Lines and tabs stay. */
// oxlint-disable-next-line no-control-regex
const plain = (text: string): string => text.replaceAll(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g, '');
export const inOneLine = (text: string, width: number): string => {
  const line = plain(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
};
const warnings = (missing: readonly MissingServer[]): string[] =>
  missing.map(
    ({ server, reason }) => `warning: not all of server '${server}' is shown: ${inOneLine(reason, 300)}`,
  );

/** Each window under its URI. */
export function desktopText({ desktops, missing }: DesktopShown): Shown {
  const windows = desktops.map((window) => {
    const [uri = '', ...body] = plain(window).split('\n\n');
    return [`── ${uri}`, ...(body.length > 0 ? [body.join('\n\n')] : [])].join('\n');
  });
  const out = windows.map((window, at) => (at === 0 ? window : `\n${window}`));
  return { out: out.length > 0 ? out : ['no windows'], err: warnings(missing) };
}

const widest = 48;
const columns: readonly (readonly [string, (d: DocumentSummary) => string])[] = [
  ['title', ({ title }) => inOneLine(title, widest)],
  ['type', ({ file_type }) => inOneLine(file_type, 8)],
  ['pages', ({ page_count }) => String(page_count)],
  ['modified', ({ last_modified }) => inOneLine(last_modified ?? '', 20)],
  ['server', ({ server }) => inOneLine(server, 20)],
  // Whole: it is what a read needs.
  ['uri', ({ uri }) => plain(uri)],
];
export function finderText({ documents, total_count, missing }: FinderShown): Shown {
  const rows = [columns.map(([name]) => name), ...documents.map((d) => columns.map(([, of]) => of(d)))];
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  const table = rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  const count = `${documents.length} of ${total_count} documents`;
  return {
    out: documents.length > 0 ? table : [total_count === 0 ? 'no documents' : count],
    err: [...(documents.length > 0 && documents.length < total_count ? [count] : []), ...warnings(missing)],
  };
}

const blobBytes = (base64: string): number => Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
const contentText = ({ text, blob, mimeType }: ResourceContent): string => {
  if (typeof text === 'string') return plain(text);
  const type = typeof mimeType === 'string' ? ` ${inOneLine(mimeType, 60)}` : '';
  return typeof blob === 'string' ? `[blob${type}, ${blobBytes(blob)} bytes]` : '[nothing]';
};
export const contentsText = (contents: readonly ResourceContent[]): Shown => ({
  out: contents.map(contentText),
  err: contents.length === 0 ? ['it has no contents'] : [],
});

/** The newest first, a line for each. */
export const historyText = (history: readonly PastCall[]): string[] =>
  history.length === 0
    ? ['no calls']
    : history.map(({ timestamp, server, tool, parameters, success, error }) => {
        const how = success ? 'done' : `failed: ${inOneLine(error ?? '', 80)}`;
        return `${timestamp}  ${server}  ${tool} ${inOneLine(JSON.stringify(parameters), 80)}  ${how}`;
      });
