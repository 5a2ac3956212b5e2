import { traceFields } from './trace-context.ts';
import { z } from 'zod';
import { toolResult } from '../tool-result.ts';
import { answered, asked, name, question, record, role, wholeSeconds } from '../fields.ts';

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
 * What an office reads of a question that it only carries, such as `client:get_blob` of 0.2 and later: who asks whom.
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
export const cancelReasons = ['timeout', 'left', 'closing'] as const;
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
 * What a computer says when something of it has changed, and the notices that the office makes of it (with the
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
