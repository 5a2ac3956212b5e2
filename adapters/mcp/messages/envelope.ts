import { fieldsOf } from '../../../machines/protocol/json.ts';
import { manyBytes } from '../../../machines/protocol/protocol.ts';

export interface Envelope {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface Notes {
  readonly bytes?: number;
}
const notes = new WeakMap<object, Notes>();
export function note(message: object, { bytes = 0 }: Notes): void {
  if (bytes > manyBytes) notes.set(message, { bytes });
}
export const notesOf = (message: object): Notes => notes.get(message) ?? {};

export function withNotes<Message extends object>(message: Message, was: object): Message {
  note(message, notesOf(was));
  return message;
}

export const hasError = ({ error }: Envelope): boolean => error !== undefined && error !== null;
export const hasResult = (answer: Envelope): boolean =>
  answer.result !== undefined && answer.result !== null && !hasError(answer);
/** An answer with neither result nor error, or with an error of another shape, is read as an error. */
export function errorOf(answer: Envelope): RpcError | undefined {
  const { error, result } = answer;
  if (!hasError(answer)) {
    if (typeof result === 'object' && result !== null) return undefined;
    return { code: -32603, message: 'the server answered with neither a result object nor an error' };
  }
  if (typeof error !== 'object' || error === null) return { code: -32603, message: JSON.stringify(error) };
  const code = 'code' in error && typeof error.code === 'number' ? error.code : -32603;
  const message = 'message' in error && typeof error.message === 'string' ? error.message : '';
  const data = 'data' in error ? { data: error.data } : {};
  return { code, message: message || 'the server gave no reason', ...data };
}

/** Code of our own error that replaces an answer which is too large; within the range that JSON-RPC leaves to implementations. */
const tooLargeCode = -32_013;
/** Largest nesting depth of a message that is parsed: parsing a few MB of brackets takes many seconds. */
export const messageLevels = 50_000;
export type TooLarge = { readonly bytes: number; readonly limit: number } | { readonly limit_levels: number };
/** `bytes` is Infinity for one that is nested too deep. */
export const tooLargeError = (bytes: number, limit: number): RpcError => ({
  code: tooLargeCode,
  message: 'the answer is too large',
  data: bytes === Infinity ? { limit_levels: messageLevels } : { bytes, limit },
});
export function tooLargeOf({ code, data }: RpcError): TooLarge | undefined {
  if (code !== tooLargeCode) return undefined;
  const { bytes, limit, limit_levels } = fieldsOf(data);
  if (typeof limit_levels === 'number') return { limit_levels };
  return typeof bytes === 'number' && typeof limit === 'number' ? { bytes, limit } : undefined;
}

const id = String.raw`"id"\s*:\s*(\d{1,15}|"[^"\\]{0,200}")`;
/** Where MCP SDKs write the id of a message: before everything long, or as one of the last two members. */
const [leading, trailing] = [
  new RegExp(
    String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"method"\s*:\s*"[^"\\]*"\s*,\s*)?${id}`,
  ),
  new RegExp(String.raw`,\s*${id}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`),
];
/** Id of a message of which only the ends are known; undefined where it is not seen. */
export function idIn(head: string, tail: string): number | string | undefined {
  const literal = (leading.exec(head) ?? trailing.exec(tail))?.[1];
  return literal === undefined ? undefined : (JSON.parse(literal) as number | string);
}
/** A request has a method before its params, or after them. */
export const hasMethod = (head: string, tail: string): boolean =>
  /^[^[{]*\{[^[{]*"method"\s*:/.test(head) || /[\]}]\s*,[^[\]{}]*"method"\s*:[^[\]{}]*\}\s*$/.test(tail);
