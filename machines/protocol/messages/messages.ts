/** Schemas of the messages that offices and peers exchange. */
import { z } from 'zod';
import { toolResult } from '../tool-result.ts';
import { unfitName } from '../../text.ts';

/** As lax as the Python SDK (`"2"` is 2), but names are stored and repeated, so their length is limited. */
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

/** `agent` is the name that the agent claims; the office trusts only its seat. */
export const question = { agent: z.string().max(longestName), req_id: z.string().max(longestReqId) };
export const computerQuestion = { ...question, computer: z.string().max(longestName) };
/** Asks the servers instead of known data: an extension of ours, which other peers ignore. */
export const fresh = z.boolean().nullish();
export const replyFields = { req_id: z.string() };

/** Progress of a call, as its server reports it (MCP `notifications/progress`). */
export interface Progress {
  /** Amount done so far, in a unit of the server's choice; grows with each report. */
  readonly progress: number;
  /** Final value of `progress`, when the server knows it. */
  readonly total?: number;
  /** Description by the server of its current work. */
  readonly message?: string;
}
type Told = { readonly [Key in keyof Progress]: Progress[Key] | undefined } & { readonly progress: number };
export const progressOf = ({ progress, total, message }: Told): Progress => ({
  progress,
  ...(total !== undefined && { total }),
  ...(message !== undefined && { message }),
});

/** With what an agent has to know of its limit. */
export const toldOf = ({ held, ...told }: Told & { readonly held?: boolean | undefined }) => ({
  ...progressOf(told),
  ...(held !== undefined && { held }),
});

/** In characters; the rest is cut off. */
export const mostProgressText = 1_000;
/**
 * Progress of the call with this `req_id` (`server:tool_call_progress` and `notify:tool_call_progress`), an extension
 * of ours. The agent requested it with `progress: true` in the call. No acknowledgement is expected.
 */
export const toolCallProgress = z.looseObject({
  ...computerQuestion,
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().max(mostProgressText).optional(),
  /** True when the limit of the call begins to stand still, because a person is asked; false when it goes on. */
  held: z.boolean().optional(),
});
export type ToolCallProgress = z.infer<typeof toolCallProgress>;

/**
 * Position of a call in a distributed trace (W3C Trace Context): an extension of ours in `client:tool_call`, and in
 * `_meta` of `tools/call`, where MCP defines it.
 */
export interface TraceContext {
  /** Trace and parent span, such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. */
  readonly traceparent: string;
  /** State that tracing vendors add, up to 512 characters (`tracestate`). */
  readonly tracestate?: string;
}
const traceparent = z.string().regex(/^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/);
const tracestate = z.string().max(512);
/** Malformed ones are dropped, because a trace must never make a call fail. */
const traceFields = {
  traceparent: traceparent.optional().catch(undefined),
  tracestate: tracestate.optional().catch(undefined),
};
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

/** Message `server:join_office`; acknowledged with two arguments, `(true, null)` or `(false, text)`. */
export const joinOffice = z.looseObject({ role, name, office_id: name });
export type JoinOffice = z.infer<typeof joinOffice>;

/** Message `server:leave_office`; acknowledged like a join. */
export const leaveOffice = z.looseObject({ office_id: name });
export type LeaveOffice = z.infer<typeof leaveOffice>;

/** Question `server:list_room`, answered with `ListRoomReply`. */
export const listRoom = z.looseObject({ ...question, office_id: name });
export type ListRoom = z.infer<typeof listRoom>;

/**
 * Reply to `server:list_room`: all members of the room, including the asking peer. `sid` is the id of the socket,
 * `a2c_version` the protocol version that it declared.
 */
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
  ...replyFields,
});
export type ListRoomReply = z.infer<typeof listRoomReply>;

/** Message `client:tool_call`, answered with `CallToolResult`. `timeout` is in seconds, 0 = no limit. */
export const toolCall = z.looseObject({
  ...computerQuestion,
  tool_name: z.string(),
  params: record,
  timeout: wholeSeconds,
  /**
   * Longest time in seconds of a call whose agent set no limit: an extension of ours. `timeout` then begins again with
   * each progress of the server, and stands still while the server waits for its host.
   */
  timeout_total: wholeSeconds.optional().catch(undefined),
  /** Requests progress reports for this call: an extension of ours. */
  progress: z.boolean().optional().catch(undefined),
  /**
   * Longest time in seconds beyond `timeout` in which a person may be asked: an extension of ours. `timeout` stands still
   * meanwhile, and a progress with `held` says so.
   */
  timeout_person: wholeSeconds.optional().catch(undefined),
  /** Members for `_meta` of the request to the server: an extension of ours. */
  meta: record.optional().catch(undefined),
  ...traceFields,
});
export type ToolCall = z.infer<typeof toolCall>;

/**
 * Fields that an office reads in a question that it only relays, such as `client:get_blob` of 0.2 and later: sender
 * and receiver. The rest of the question, and the whole answer, is left to agent and computer.
 */
export const carried = z.looseObject({ ...computerQuestion });
export type Carried = z.infer<typeof carried>;

/** Question `client:get_tools`, answered with `GetToolsReply`. */
export const getTools = z.looseObject({ ...computerQuestion });
export type GetTools = z.infer<typeof getTools>;

/**
 * Tool as agents see it. `return_schema` (null allowed) and `bundle_id` are always written; readers tolerate their
 * absence.
 */
export const smcpTool = z.looseObject({
  name: z.string().min(1),
  bundle_id: z.string().nullish(),
  description: z.string(),
  params_schema: record,
  return_schema: record.nullish(),
  meta: record.nullish(),
});
export type SMCPTool = z.infer<typeof smcpTool>;

/** Message `server:tool_call_cancel`. No acknowledgement is expected. */
export const toolCallCancel = z.looseObject(question);
export type ToolCallCancel = z.infer<typeof toolCallCancel>;

const cancelReasons = ['timeout', 'left', 'closing'] as const;
export type CancelReason = (typeof cancelReasons)[number];

/**
 * Notice `notify:tool_call_cancel`. `reason` is an extension of ours, and present only when the office itself
 * cancels; without it the agent does.
 */
export const toolCallCancelled = z.looseObject({
  ...question,
  reason: z.enum(cancelReasons).optional().catch(undefined),
});
export type ToolCallCancelled = z.infer<typeof toolCallCancelled>;

/** Notice `notify:disconnecting`, an extension of ours: the office closes this connection now, for this reason. */
export const disconnecting = z.looseObject({ code: z.number(), message: z.string() });
export type Disconnecting = z.infer<typeof disconnecting>;

/**
 * Announcement of a computer that some of its data changed, and the notice that the office makes of it (with the
 * registered name). Its kinds are the rows of notifications.ts.
 */
export const computerUpdate = z.looseObject({ computer: computerQuestion.computer });
export type ComputerUpdate = z.infer<typeof computerUpdate>;

/** Notices `notify:enter_office` and `notify:leave_office`: exactly one of `computer` and `agent` holds a name. */
export const seatNotice = z.looseObject({
  office_id: z.string(),
  computer: z.string().nullish(),
  agent: z.string().nullish(),
});
export type SeatNotice = z.infer<typeof seatNotice>;

/** Result of a tool as MCP defines it. Any JSON value is accepted, and read with `toolResult`. */
export const callToolResult = z.unknown().transform(toolResult);
