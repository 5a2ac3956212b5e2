import type { z } from 'zod';
import { wireCodes, type Failure } from './failure.ts';
import { getToolsReply, listRoomReply } from './messages.ts';
import { readAnswer } from './reading.ts';
import type { SmcpTool } from './tool.ts';

export type Read<T> =
  | { readonly ok: true; readonly body: T }
  | { readonly ok: false; readonly failure: Failure };
export interface RoomMember {
  readonly name: string;
  readonly role: string;
}

/** An ack that has to hold a list and echo the `req_id`; another one is not the answer to this question (R09). */
function readList<T extends { req_id: string }>(ack: unknown, reqId: string, schema: z.ZodType<T>): Read<T> {
  const answer = readAnswer(ack);
  if (!answer.ok) return answer;
  const parsed = schema.safeParse(answer.body);
  if (parsed.success && parsed.data.req_id === reqId) return { ok: true, body: parsed.data };
  const message = parsed.success
    ? `The answer is for '${parsed.data.req_id}', not for '${reqId}'`
    : `The peer's answer is not readable: ${parsed.error.issues[0]?.message ?? 'wrong shape'}`;
  return { ok: false, failure: { code: wireCodes.internal, message } };
}

/** The ack of `client:get_tools`. */
export function readTools(ack: unknown, reqId: string): Read<readonly SmcpTool[]> {
  const read = readList(ack, reqId, getToolsReply);
  return read.ok ? { ok: true, body: read.body.tools as readonly SmcpTool[] } : read;
}

/** The ack of `server:list_room`. */
export function readRoom(ack: unknown, reqId: string): Read<readonly RoomMember[]> {
  const read = readList(ack, reqId, listRoomReply);
  return read.ok ? { ok: true, body: read.body.sessions } : read;
}
