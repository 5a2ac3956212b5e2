import type { Digits } from '../../../machines/protocol/json.ts';
import { manyBytes } from '../../../machines/protocol/protocol.ts';

/** JSON-RPC message from the wire, with members of unchecked types. */
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

/** Facts about a received message that its JSON does not hold. */
export interface Notes {
  /** Size of the message in bytes, present only for a large one. */
  readonly bytes?: number;
  /** Integers in the result that are too large for a JavaScript number. */
  readonly digits?: readonly Digits[];
}
const notes = new WeakMap<object, Notes>();
export function note(message: object, { bytes = 0, digits = [] }: Notes): void {
  const isMany = bytes > manyBytes;
  if (isMany || digits.length > 0)
    notes.set(message, { ...(isMany && { bytes }), ...(digits.length > 0 && { digits }) });
}
export const notesOf = (message: object): Notes => notes.get(message) ?? {};

/** Copies the notes of a message to another version of the same message. */
export function noted<Message extends object>(message: Message, was: object): Message {
  note(message, notesOf(was));
  return message;
}

/** Tells whether a message has an error member, of any type but null. */
export const hasError = ({ error }: Envelope): boolean => error !== undefined && error !== null;
/** Tells whether an answer has a result that is not null, and no error beside it. */
export const hasResult = (answer: Envelope): boolean =>
  answer.result !== undefined && answer.result !== null && !hasError(answer);
/**
 * Returns the error of an answer. An answer with neither result nor error, or with an error of another shape,
 * is read as an error; undefined for a result.
 */
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
