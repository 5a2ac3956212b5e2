/** Messages of the wire, but for what a computer shows: seats, calls, their progress and their traces. */
import { z } from 'zod';
import { toolResult } from '../tool-result.ts';
import { unfitName } from '../../text.ts';

/**
 * The fields that many messages share. Readers are lax like those of the Python SDK: unknown keys pass, `"2"` is 2,
 * optional fields may be null. But what a stranger calls itself is kept, listed and repeated to others, so it has a
 * longest length, and no invisible characters.
 */
const longestName = 256;
const longestReqId = 1024;

export const name = z
  .string()
  .min(1)
  .max(longestName)
  .superRefine((text, { addIssue }) => {
    const message = unfitName(text);
    if (message !== undefined) addIssue({ code: 'custom', message });
  });
export const record = z.record(z.string(), z.unknown());
export const role = z.enum(['agent', 'computer']);

const asNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value;
export const wholeNumber = z.preprocess(asNumber, z.int('expected a whole number'));
const wholeSeconds = z.preprocess(
  asNumber,
  z.int('expected whole seconds').nonnegative('expected 0 (without limit) or more seconds'),
);

/** Fields of every request of an agent. `agent` is the name that it gives itself; the office believes only its seat. */
export const question = { agent: z.string().max(longestName), req_id: z.string().max(longestReqId) };
/** A question to one computer of the agent's office. */
export const asked = { ...question, computer: z.string().max(longestName) };
/** Our extension: servers are asked again, instead of an answer from what is known. Peers that do not know it ignore it. */
export const fresh = z.boolean().nullish();
/** Field of every reply: the id of its question. */
export const answered = { req_id: z.string() };

/** How far a call is, as its server tells it (MCP `notifications/progress`). */
export interface Progress {
  /** How far it is, in a unit of its own; it grows each time. */
  readonly progress: number;
  /** Final value of `progress`, where the server knows it. */
  readonly total?: number;
  /** Words of the server for what it does just now. */
  readonly message?: string;
}
type Told = { readonly [Key in keyof Progress]: Progress[Key] | undefined } & { readonly progress: number };
/** Progress alone, taken from a message with more fields. */
export const progressOf = ({ progress, total, message }: Told): Progress => ({
  progress,
  ...(total !== undefined && { total }),
  ...(message !== undefined && { message }),
});

/** Most characters of a server's words that go over the wire; the rest is cut off. */
export const mostProgressText = 1_000;
/**
 * `server:tool_call_progress` and `notify:tool_call_progress`, an extension of ours: how far the call of this `req_id` is. Its
 * agent asked for it with `progress: true` in the call. No ack is expected.
 */
export const toolCallProgress = z.looseObject({
  ...asked,
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().max(mostProgressText).optional(),
});
export type ToolCallProgress = z.infer<typeof toolCallProgress>;

/**
 * The place of a call in a distributed trace, as the W3C has it (Trace Context): an extension of ours in `client:tool_call`,
 * and in `_meta` of `tools/call`, where MCP has it.
 */
export interface TraceContext {
  /** Such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. */
  readonly traceparent: string;
  /** State that vendors add. */
  readonly tracestate?: string;
}
const traceparent = z.string().regex(/^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/);
const tracestate = z.string().max(512);
/** Fields of a trace; a malformed one is left out: no call fails by its trace. */
const traceFields = {
  traceparent: traceparent.optional().catch(undefined),
  tracestate: tracestate.optional().catch(undefined),
};
/** Trace context in what a peer or a host has given; undefined: there is none that is well-formed. */
export function traceIn(given: {
  readonly traceparent?: unknown;
  readonly tracestate?: unknown;
}): TraceContext | undefined {
  if (given.traceparent === undefined) return undefined;
  const parent = traceparent.safeParse(given.traceparent);
  if (!parent.success) return undefined;
  const state = tracestate.safeParse(given.tracestate);
  return { traceparent: parent.data, ...(state.success && { tracestate: state.data }) };
}

/**
 * One schema per wire message, the types inferred from it (a2c-wire §1). Here: seats, calls, tools, updates; the
 * others stand in desktop.ts, finder.ts, resource.ts and computer-config.ts.
 */

/** `server:join_office`; the ack has two arguments, `(true, null)` or `(false, text)`. */
export const joinOffice = z.looseObject({ role, name, office_id: name });
export type JoinOffice = z.infer<typeof joinOffice>;

/** `server:leave_office`; acked like a join. */
export const leaveOffice = z.looseObject({ office_id: name });
export type LeaveOffice = z.infer<typeof leaveOffice>;

/** `server:list_room` → `ListRoomReply`. */
export const listRoom = z.looseObject({ ...question, office_id: name });
export type ListRoom = z.infer<typeof listRoom>;

/** The ack of `server:list_room`: everybody who sits in that room, the asker too. `sid` is the id of the socket, `a2c_version` what it was opened with. */
export const listRoomReply = z.looseObject({
  sessions: z.array(
    z.looseObject({
      sid: z.string(),
      name: z.string(),
      role,
      office_id: z.string(),
      a2c_version: z.string().nullish(),
    }),
  ),
  ...answered,
});
export type ListRoomReply = z.infer<typeof listRoomReply>;

/** `client:tool_call` → `CallToolResult`. `timeout` in seconds, 0 = without limit. */
export const toolCall = z.looseObject({
  ...asked,
  tool_name: z.string(),
  params: record,
  timeout: wholeSeconds,
  /** An extension of ours: the agent wants to hear how far it is. */
  progress: z.boolean().optional().catch(undefined),
  ...traceFields,
});
export type ToolCall = z.infer<typeof toolCall>;

/**
 * Fields that an office reads of a question that it only carries, such as `client:get_blob` of 0.2 and later: who asks whom.
 * Everything else in it, and the whole answer, is between agent and computer.
 */
export const carried = z.looseObject({ ...asked });
export type Carried = z.infer<typeof carried>;

/** `client:get_tools` → `GetToolsReply`. */
export const getTools = z.looseObject({ ...asked });
export type GetTools = z.infer<typeof getTools>;

/** One tool as agents see it. `return_schema` (null allowed) and `bundle_id` are always written; readers tolerate their absence. */
export const smcpTool = z.looseObject({
  name: z.string().min(1),
  bundle_id: z.string().nullish(),
  description: z.string(),
  params_schema: record,
  return_schema: record.nullish(),
  meta: record.nullish(),
});
export type SMCPTool = z.infer<typeof smcpTool>;

/** The ack of `client:get_tools`: all tools of the computer that can be called, by names that are unique there. */
export const getToolsReply = z.looseObject({ tools: z.array(smcpTool), ...answered });
export type GetToolsReply = z.infer<typeof getToolsReply>;

/** `server:tool_call_cancel`. No ack is expected. */
export const toolCallCancel = z.looseObject(question);
export type ToolCallCancel = z.infer<typeof toolCallCancel>;

/** Why an office takes back a call by itself: it has given up waiting, its agent is gone, it closes. */
const cancelReasons = ['timeout', 'left', 'closing'] as const;
export type CancelReason = (typeof cancelReasons)[number];

/**
 * `notify:tool_call_cancel`. `reason` is an extension of ours, and there only where the office itself takes the call back:
 * without it, its agent does.
 */
export const toolCallCancelled = z.looseObject({
  ...question,
  reason: z.enum(cancelReasons).optional().catch(undefined),
});
export type ToolCallCancelled = z.infer<typeof toolCallCancelled>;

/** `notify:disconnecting`, an extension of ours: the office closes this connection now, for this reason. */
export const disconnecting = z.looseObject({ code: z.number(), message: z.string() });
export type Disconnecting = z.infer<typeof disconnecting>;

/**
 * Announcements of a computer when something of it has changed, and the notices that the office makes of it (with the
 * registered name): the rows of notifications.ts.
 */
export const computerUpdate = z.looseObject({ computer: asked.computer });
export type ComputerUpdate = z.infer<typeof computerUpdate>;

/** `notify:enter_office` and `notify:leave_office`: exactly one of `computer` and `agent`, a name. */
export const seatNotice = z.looseObject({
  office_id: z.string(),
  computer: z.string().nullish(),
  agent: z.string().nullish(),
});
export type SeatNotice = z.infer<typeof seatNotice>;

/** The result of a tool as MCP has it, read as everybody here reads one (`toolResult`): whatever JSON it is, it is a result. */
export const callToolResult = z.unknown().transform(toolResult);
