import type { Digits } from '../../../machines/protocol/exact-numbers.ts';
import { manyBytes } from '../../../machines/protocol/protocol.ts';

/** A JSON-RPC message as a stranger sent it: nothing about its members is known yet. */
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

/** What is known of a message that does not stand in it. */
export interface Notes {
  /** How many bytes brought it, where that is many. */
  readonly bytes?: number;
  /** Integers in its result that a number cannot hold. */
  readonly digits?: readonly Digits[];
}
const notes = new WeakMap<object, Notes>();
export function note(message: object, { bytes = 0, digits = [] }: Notes): void {
  const isMany = bytes > manyBytes;
  if (isMany || digits.length > 0)
    notes.set(message, { ...(isMany && { bytes }), ...(digits.length > 0 && { digits }) });
}
export const notesOf = (message: object): Notes => notes.get(message) ?? {};

/** The same message in other words: what is known of it holds of these. */
export function noted<Message extends object>(message: Message, was: object): Message {
  note(message, notesOf(was));
  return message;
}

/** It says that it is an error, in whatever form. */
export const hasError = ({ error }: Envelope): boolean => error !== undefined && error !== null;
/** It has a result, whatever JSON that is but null, and no error beside it. */
export const hasResult = (answer: Envelope): boolean =>
  answer.result !== undefined && answer.result !== null && !hasError(answer);
/** A response without either member, or with an error of a foreign shape, is read as an error. */
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

/** Our own answer in place of one that is too large; inside the range that JSON-RPC leaves to implementations. */
const tooLargeCode = -32_013;
export interface TooLarge {
  readonly reason: 'tooLarge';
  readonly bytes: number;
  readonly limit: number;
}
export const tooLargeError = (bytes: number, limit: number): RpcError => ({
  code: tooLargeCode,
  message: `the answer has ${bytes} bytes, the limit is ${limit}`,
  data: { reason: 'tooLarge', bytes, limit } satisfies TooLarge,
});
export function tooLargeOf({ code, data }: RpcError): TooLarge | undefined {
  if (code !== tooLargeCode || typeof data !== 'object' || data === null) return undefined;
  if (!('bytes' in data) || !('limit' in data)) return undefined;
  const { bytes, limit } = data;
  if (typeof bytes !== 'number' || typeof limit !== 'number') return undefined;
  return { reason: 'tooLarge', bytes, limit };
}
