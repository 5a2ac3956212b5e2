import type { EventObject } from 'xstate';
import type { Fields } from '../protocol/json.ts';

/**
 * Handling of request ids in traces. Ids of questions other than calls come from counters of this library, so
 * traces treat questions that differ only in such an id as the same.
 */

/** Questions whose request id was given by the caller and is therefore kept. */
const withGivenId: ReadonlySet<string> = new Set(['client:tool_call', 'server:tool_call_cancel']);
/** Placeholder written into an answer in place of a request id that this library generated. */
export const ownId = '$own';
/** Returns the parameters of a question without a generated request id. */
export const plainParams = (method: unknown, params: unknown): unknown => {
  if (typeof params !== 'object' || params === null || withGivenId.has(method as string)) return params;
  const { req_id: _, ...plain } = params as Fields;
  return plain;
};
/**
 * Replaces the request id in an answer by the placeholder when it is the generated id of its question.
 * Another id is kept, because that answer belongs to another question.
 */
export function answered(ev: EventObject, own: unknown): EventObject {
  const { result } = ev as EventObject & Fields;
  if (own === undefined || typeof result !== 'object' || result === null) return ev;
  const isOwn = (result as Fields)['req_id'] === own;
  return isOwn ? ({ ...ev, result: { ...result, req_id: ownId } } as EventObject) : ev;
}
