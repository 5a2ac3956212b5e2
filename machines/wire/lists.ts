import type { z } from 'zod';
import { wireCodes, type Failure } from './failure.ts';
import { getConfigReply, type GetConfigReply } from './computer-config.ts';
import { getDesktopReply, type GetDesktopReply } from './desktop.ts';
import { getFinderReply, type GetFinderReply } from './finder.ts';
import { getToolsReply, listRoomReply } from './messages.ts';
import { readAnswer } from './reading.ts';
import { readResourceReply, type ReadResourceReply } from './resource.ts';
import type { SmcpTool } from './tool.ts';

export type Read<T> =
  | { readonly ok: true; readonly body: T }
  | { readonly ok: false; readonly failure: Failure };
export interface RoomMember {
  readonly name: string;
  readonly role: string;
}

const unreadable = (message: string): Read<never> => ({
  ok: false,
  failure: { code: wireCodes.internal, message },
});

/** An ack that has to be a body of this shape. */
function readBody<T>(ack: unknown, schema: z.ZodType<T>): Read<T> {
  const answer = readAnswer(ack);
  if (!answer.ok) return answer;
  const parsed = schema.safeParse(answer.body);
  if (parsed.success) return { ok: true, body: parsed.data };
  return unreadable(`The peer's answer is not readable: ${parsed.error.issues[0]?.message ?? 'wrong shape'}`);
}

/** An ack that has to echo the `req_id` too; another one is not the answer to this question (R09). */
function readReply<T extends { req_id: string }>(ack: unknown, reqId: string, schema: z.ZodType<T>): Read<T> {
  const read = readBody(ack, schema);
  if (!read.ok || read.body.req_id === reqId) return read;
  return unreadable(`The answer is for '${read.body.req_id}', not for '${reqId}'`);
}

/** The ack of `client:get_tools`. */
export function readTools(ack: unknown, reqId: string): Read<readonly SmcpTool[]> {
  const read = readReply(ack, reqId, getToolsReply);
  return read.ok ? { ok: true, body: read.body.tools as readonly SmcpTool[] } : read;
}

/** The ack of `server:list_room`. */
export function readRoom(ack: unknown, reqId: string): Read<readonly RoomMember[]> {
  const read = readReply(ack, reqId, listRoomReply);
  return read.ok ? { ok: true, body: read.body.sessions } : read;
}

/** The ack of `client:get_config`, the one that echoes no `req_id`. */
export const readConfig = (ack: unknown): Read<GetConfigReply> => readBody(ack, getConfigReply);

/** The ack of `client:get_desktop`. */
export const readDesktop = (ack: unknown, reqId: string): Read<GetDesktopReply> =>
  readReply(ack, reqId, getDesktopReply);

/** The ack of `client:get_finder`. */
export const readFinder = (ack: unknown, reqId: string): Read<GetFinderReply> =>
  readReply(ack, reqId, getFinderReply);

/** The ack of `client:read_resource`. */
export const readContents = (ack: unknown, reqId: string): Read<ReadResourceReply> =>
  readReply(ack, reqId, readResourceReply);
