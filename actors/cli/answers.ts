import { aliasLine } from '../../machines/catalog/index.ts';
import type { ToolListing } from '../computer-handle.ts';
import type { CallOutcome } from '../pending-calls.ts';

/** The JSON shapes of answers.md, and what a person reads instead. */
export const callJson = ({
  outcome,
  server,
  tool,
  reqId,
  durationMs,
  phase,
  result,
  failure,
}: CallOutcome): object => ({
  outcome,
  phase,
  server,
  tool,
  req_id: reqId,
  duration_ms: durationMs,
  result,
  failure,
});

const firstLine = (text: string, width: number): string => {
  const [line = ''] = text.split('\n');
  return line.length > width ? `${line.slice(0, width - 1)}…` : line;
};
/** Names that several tools would have: who was refused, who is called otherwise, why, and what to write. */
export function conflictLines({ tools, refused }: Pick<ToolListing, 'tools' | 'refused'>): string[] {
  return [
    ...refused.map(
      ({ name, server, reason, suggestion }) => `refused: ${name} of ${server}: ${reason}. ${suggestion}`,
    ),
    ...tools.flatMap(({ name, original, server, renamed }) =>
      renamed
        ? [
            `renamed: ${renamed.from} of ${server} is ${name}: ${renamed.reason}. Another name is given in the config of '${server}': ${aliasLine(original, '…')}`,
          ]
        : [],
    ),
  ];
}
/** Servers that do not serve, and why. */
export const notReadyLines = ({ servers }: Pick<ToolListing, 'servers'>): string[] =>
  servers
    .filter((s) => s.state !== 'ready')
    .map((s) => `server ${s.name} is ${s.state}${s.reason === undefined ? '' : `: ${s.reason}`}`);
/** The same of those that are wanted: neither switched off nor at rest until somebody calls. */
export const absentLines = ({ servers }: Pick<ToolListing, 'servers'>): string[] =>
  notReadyLines({ servers: servers.filter((s) => !['disabled', 'idle', 'resting'].includes(s.state)) });
export function listingText(listing: ToolListing): string[] {
  const { tools } = listing;
  const width = Math.max(4, ...tools.map((t) => t.name.length));
  const ofServer = Math.max(6, ...tools.map((t) => t.server.length));
  return [
    ...tools.map(
      (t) => `${t.name.padEnd(width)}  ${t.server.padEnd(ofServer)}  ${firstLine(t.description, 80)}`,
    ),
    ...conflictLines(listing),
    ...notReadyLines(listing),
    ...(tools.length === 0 ? ['no tools'] : []),
  ];
}

interface Item {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly mimeType?: unknown;
  readonly data?: unknown;
}
const itemText = ({ type, text, mimeType, data }: Item): string =>
  typeof text === 'string'
    ? text
    : `[${String(type)}${typeof mimeType === 'string' ? ` ${mimeType}` : ''}${typeof data === 'string' ? `, ${data.length} characters of base64` : ''}]`;
/** What a tool answered, for a person: its texts, and a mark for what is no text. */
export function resultText(result: unknown): string {
  const content =
    typeof result === 'object' && result !== null && 'content' in result ? result.content : undefined;
  return Array.isArray(content)
    ? content.map((item: Item) => itemText(item)).join('\n')
    : JSON.stringify(result);
}
