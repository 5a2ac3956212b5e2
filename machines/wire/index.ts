/** The wire of A2C-SMCP as data: names, schemas, errors. Exported as `a2c-actors/wire`. */
export { NAMESPACE, PROTOCOL_VERSION, longestTimeoutMs, sizes, toTimeoutMs } from './protocol.ts';
export { builtEvents, events, isKnownEvent, notices, type EventName, type NoticeName } from './events.ts';
export {
  callToolResult,
  getTools,
  getToolsReply,
  joinOffice,
  leaveOffice,
  listRoom,
  listRoomReply,
  seatNotice,
  smcpTool,
  toolCall,
  toolCallCancel,
  updateToolList,
  type CallToolResult,
  type GetTools,
  type GetToolsReply,
  type JoinOffice,
  type LeaveOffice,
  type ListRoom,
  type ListRoomReply,
  type SeatNotice,
  type SMCPTool,
  type ToolCall,
  type ToolCallCancel,
  type UpdateToolList,
} from './messages.ts';
export { toWireError, wireCodes, type Failure, type LocalCode, type WireCode } from './failure.ts';
export {
  badPayload,
  errorAck,
  failureResult,
  refusal,
  type ErrorAck,
  type FailureResult,
  type FailureResultOptions,
} from './answers.ts';
export { failureIn, readAnswer, readToolResult, type Answer, type ToolAnswer } from './reading.ts';
export { excessBytes } from './size.ts';
export type { MetaValue, SmcpTool } from './tool.ts';
export { readRoom, readTools, type Read, type RoomMember } from './lists.ts';
