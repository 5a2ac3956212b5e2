import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { Envelope } from '../messages/envelope.ts';
import { idLiteralOf } from '../messages/overlong-id.ts';

/** A longer message is not looked through for the digits of its id. */
const longestSearched = 64 * 1024;
const byteOrderMark = 0xfeff;

/** Ids of requests with more digits than a number holds, as their server wrote them. */
const literals = new WeakMap<object, string>();

/** One message as a server wrote it, after a byte order mark or without one. Throws what `JSON.parse` throws. */
export function parsed(text: string): unknown {
  const value: unknown = JSON.parse(text.codePointAt(0) === byteOrderMark ? text.slice(1) : text);
  if (typeof value !== 'object' || value === null || !('id' in value)) return value;
  const { id } = value;
  if (typeof id !== 'number' || Number.isSafeInteger(id) || text.length > longestSearched) return value;
  const literal = idLiteralOf(text);
  if (literal !== undefined) literals.set(value, literal);
  return value;
}
/** The text of a message that goes out. An answer has the id of its request digit by digit. */
export function written(message: JSONRPCMessage): string {
  const literal = literals.get(message);
  if (literal === undefined) return JSON.stringify(message);
  const { jsonrpc, ...rest } = { ...message, id: null };
  // The first member of this name is the one that was just put there.
  return JSON.stringify({ jsonrpc, ...rest }).replace('"id":null', `"id":${literal}`);
}
/** Lets an answer have the id of its request as that was written. */
export function answering<Answer extends object>(request: object, answer: Answer): Answer {
  const literal = literals.get(request);
  if (literal !== undefined) literals.set(answer, literal);
  return answer;
}

const isSaid = (value: unknown): boolean => value !== undefined && value !== null;
/** An error that says nothing, which some write beside each result. */
const isEmpty = (error: unknown): boolean =>
  error === '' || error === false || (typeof error === 'object' && Object.keys(error ?? {}).length === 0);
const isMethod = (value: unknown): boolean => typeof value === 'string' && value !== '';
/** A request has neither result nor error. A message without a method is an answer, whatever else it lacks. */
export const isAnswer = ({ method, result, error }: Envelope): boolean =>
  isSaid(result) || isSaid(error) || !isSaid(method) || method === '';
/** A notification has no id. One that has null there is none of a request either. */
export const isNotification = ({ id, method }: Envelope): boolean =>
  isMethod(method) && (id === undefined || (id === null && String(method).startsWith('notifications/')));

/** The id of an answer. All ids of ours that look like numbers are numbers. */
export const answeredId = (id: unknown): unknown =>
  typeof id === 'string' && /^(0|[1-9]\d{0,14})$/.test(id) ? Number(id) : id;

/** An answer with the members that an answer has, and no others. */
export function answerOf({ id, result, error }: Envelope): JSONRPCMessage {
  const isError = isSaid(error) && !(isSaid(result) && isEmpty(error));
  const members = isError ? { error } : { ...(result !== undefined && { result }) };
  return { jsonrpc: '2.0', id: answeredId(id), ...members } as JSONRPCMessage;
}
