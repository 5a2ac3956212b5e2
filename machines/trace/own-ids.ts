import type { EventObject } from 'xstate';
import type { Fields } from '../protocol/json.ts';

/** Ids of questions other than calls are counters of ours: who asks the same asks the same. */

/** Questions whose id their caller gave. */
const withGivenId: ReadonlySet<string> = new Set(['client:tool_call', 'server:tool_call_cancel']);
/** Stands in an answer for the id of its question, where that is a counter of ours. */
export const ownId = '$own';
/** Parameters of a question as far as its world cares. */
export const plainParams = (method: unknown, params: unknown): unknown => {
  if (typeof params !== 'object' || params === null || withGivenId.has(method as string)) return params;
  const { req_id: _, ...plain } = params as Fields;
  return plain;
};
/** An answer to a question of that id. One with another id answers another question, and says so. */
export function answered(ev: EventObject, own: unknown): EventObject {
  const { result } = ev as EventObject & Fields;
  if (own === undefined || typeof result !== 'object' || result === null) return ev;
  const isOwn = (result as Fields)['req_id'] === own;
  return isOwn ? ({ ...ev, result: { ...result, req_id: ownId } } as EventObject) : ev;
}
