import type { PastCall } from '../../../machines/call/history/index.ts';
import { fitting, type Terminal } from '../../../adapters/index.ts';
import { rowsOf } from './commands-shown.ts';
import { contentText } from './contents.ts';
import type {
  DesktopShown,
  DocumentSummary,
  FinderShown,
  ResourceContent,
} from '../../api/computer-handle.ts';
import type { MissingServer } from '../../servers/server-handle.ts';

/** What a person reads of a Desktop, a Finder, a resource, the history of calls. */
export interface Shown {
  /** Texts: each may have several lines. */
  readonly out: readonly string[];
  /** Beside the result: lines. */
  readonly err: readonly string[];
}
export function tell(terminal: Terminal, { out, err }: Shown): void {
  for (const text of out) terminal.outText(text);
  for (const line of err) terminal.err(line);
}

/** At most so many columns of a terminal; line ends are spaces. */
export const inOneLine = (text: string, width: number): string =>
  fitting(text.replaceAll(/\s+/g, ' ').trim(), width, '…');
const warnings = (missing: readonly MissingServer[]): string[] =>
  missing.map(
    ({ server, reason }) => `warning: not all of server '${server}' is shown: ${inOneLine(reason, 300)}`,
  );

/** Each window under its URI. `wanted`: the one that was asked for. */
export function desktopText({ desktops, missing }: DesktopShown, wanted?: string): Shown {
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

const widest = 48;
const columns: readonly (readonly [string, (d: DocumentSummary) => string])[] = [
  ['title', ({ title }) => inOneLine(title, widest)],
  ['type', ({ file_type }) => inOneLine(file_type, 8)],
  ['pages', ({ page_count }) => String(page_count)],
  ['modified', ({ last_modified }) => inOneLine(last_modified ?? '', 20)],
  ['server', ({ server }) => inOneLine(server, 20)],
  // Whole: it is what a read needs.
  ['uri', ({ uri }) => uri],
];
export function finderText({ documents, total_count, missing }: FinderShown): Shown {
  const rows = [columns.map(([name]) => name), ...documents.map((d) => columns.map(([, of]) => of(d)))];
  const table = rowsOf(rows);
  const count = `${documents.length} of ${total_count} documents`;
  return {
    out: documents.length > 0 ? table : [total_count === 0 ? 'no documents' : count],
    err: [...(documents.length > 0 && documents.length < total_count ? [count] : []), ...warnings(missing)],
  };
}

export const contentsText = (contents: readonly ResourceContent[]): Shown => ({
  out: contents.map(contentText),
  err: contents.length === 0 ? ['it has no contents'] : [],
});

/** The newest first, a line for each. */
export const historyText = (history: readonly PastCall[]): string[] =>
  history.length === 0
    ? ['no calls']
    : history.map(({ timestamp, reqId, server, tool, parameters, state, outcome, reason }) => {
        const why = reason === null ? '' : `: ${inOneLine(reason, 80)}`;
        const how = outcome === 'succeeded' ? 'done' : `${outcome ?? state}${why}`;
        return `${timestamp}  ${server || '-'}  ${tool} ${inOneLine(JSON.stringify(parameters), 80)}  ${how}  (${inOneLine(reqId, 40)})`;
      });
