/** What failed, as an answer of the wire or of MCP says it. */
import {
  failureIn,
  readAnswer,
  readToolResult,
  wireCodes,
  type Failure,
} from '../../machines/protocol/index.ts';

type Fields = Readonly<Record<string, unknown>>;
export const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const textsIn = (content: unknown): string =>
  (Array.isArray(content) ? (content as unknown[]) : [])
    .flatMap((item) => (isRecord(item) && typeof item['text'] === 'string' ? [item['text']] : []))
    .join('\n');
/** Why the first argument of an ack is no good answer; undefined: it is one. */
export function failureInAnswer(answer: unknown): Failure | undefined {
  const read = readAnswer(answer);
  if (!read.ok) return read.failure;
  if (!isRecord(read.body) || read.body['isError'] !== true) return undefined;
  const result = readToolResult(answer);
  const message = textsIn(read.body['content']) || 'The tool says that it failed';
  return (result.ok ? failureIn(result.result) : undefined) ?? { code: wireCodes.toolFailed, message };
}
/** Joins and leaves are answered by `(ok, text)`, everything else by one argument. */
export const failureInAck = ([first, text]: readonly unknown[]): Failure | undefined =>
  typeof first !== 'boolean'
    ? failureInAnswer(first)
    : first
      ? undefined
      : { code: wireCodes.conflict, message: String(text) };
