/** What failed, as an answer of the wire or of MCP says it. */
import { isUnknown } from '../../machines/process/server-failure.ts';
import { isAbandoned } from '../../machines/office/rooms/pending.ts';
import { events } from '../../machines/protocol/events.ts';
import {
  failureIn,
  readAnswer,
  readToolResult,
  wireCodes,
  type Failure,
} from '../../machines/protocol/index.ts';
import type { Fields } from '../../machines/protocol/json.ts';

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
export const ofTool = (method: string, result: unknown): Failure | undefined =>
  method === 'tools/call' ? failureInAnswer(result) : undefined;
/** The server of which the answer to an agent's call says that it has the tool. */
export const serverIn = (result: unknown): unknown =>
  (result as { readonly meta?: { readonly a2c_server?: unknown } } | null)?.meta?.a2c_server ?? null;

/** What somebody wants of a server. Everything else is asked to find out what it has. */
const wanted: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get']);
/**
 * Nothing is wrong: a server does not know a method that it need not have, or who asked a question has left before its
 * answer. A call whose asker left is a failure still, because nobody knows what it did.
 */
export const isExpected = (method: string, failure: Failure): boolean =>
  (isUnknown(failure) && !wanted.has(method)) || (isAbandoned(failure) && method !== events.toolCall);
/** Joins and leaves are answered by `(ok, text)`, everything else by one argument. */
export const failureInAck = ([first, text]: readonly unknown[]): Failure | undefined =>
  typeof first !== 'boolean'
    ? failureInAnswer(first)
    : first
      ? undefined
      : { code: wireCodes.conflict, message: String(text) };
