/** Wire format of A2C-SMCP as data: names, schemas and errors. Exported as `a2c-actors/wire`. */
export { NAMESPACE, PROTOCOL_VERSION, longestTimeoutMs, mostInFlight, toTimeoutMs } from './protocol.ts';
export {
  events,
  isKnownEvent,
  notices,
  type CarriedName,
  type EventName,
  type NoticeName,
  type RelayedName,
} from './protocol.ts';
export type * from './messages/socket-events.ts';
export type { CallPhase, Ending, Outcome } from './messages/answers.ts';
export {
  getConfig,
  getConfigReply,
  shownInput,
  shownServer,
  type GetConfig,
  type GetConfigReply,
  type ShownInput,
  type ShownServer,
} from './messages/collections.ts';
export {
  getDesktop,
  getDesktopReply,
  type GetDesktop,
  type GetDesktopReply,
} from './messages/collections.ts';
export {
  dpeCatalogue,
  dpeDocumentMetadata,
  dpeDocumentPages,
  dpeDocumentSummary,
  dpeElementDetail,
  dpePage,
  dpePageSummary,
  getFinder,
  getFinderReply,
  type DPECatalogue,
  type DPEDocumentMetadata,
  type DPEDocumentPages,
  type DPEDocumentSummary,
  type DPEElementDetail,
  type DPEPage,
  type DPEPageSummary,
  type GetFinder,
  type GetFinderReply,
} from './messages/collections.ts';
export {
  getResources,
  getResourcesReply,
  shownResource,
  type GetResources,
  type GetResourcesReply,
  type ShownResource,
} from './messages/collections.ts';
export {
  getSkill,
  getSkillReply,
  getSkills,
  getSkillsReply,
  skillRef,
  type GetSkill,
  type GetSkillReply,
  type GetSkills,
  type GetSkillsReply,
  type SkillRef,
} from './messages/collections.ts';
export {
  blobSizes,
  getBlob,
  getBlobReply,
  type BlobRefusal,
  type GetBlob,
  type GetBlobReply,
} from './messages/blobs.ts';
export {
  putBlob,
  putBlobReply,
  uploadLimits,
  type PutBlob,
  type PutBlobReply,
  type UploadRefusal,
} from './messages/blobs.ts';
export {
  readResource,
  readResourceReply,
  resourceContents,
  type ReadResource,
  type ReadResourceReply,
  type ResourceContents,
} from './messages/collections.ts';
export {
  callToolResult,
  carried,
  computerUpdate,
  disconnecting,
  getTools,
  joinOffice,
  leaveOffice,
  listRoom,
  listRoomReply,
  seatNotice,
  smcpTool,
  toolCall,
  toolCallCancel,
  toolCallCancelled,
  type Carried,
  type ComputerUpdate,
  type Disconnecting,
  type GetTools,
  type JoinOffice,
  type LeaveOffice,
  type ListRoom,
  type ListRoomReply,
  type SeatNotice,
  type SMCPTool,
  type ToolCall,
  type ToolCallCancel,
  type ToolCallCancelled,
} from './messages/messages.ts';
export { toolCallProgress, type ToolCallProgress } from './messages/messages.ts';
export {
  toWireError,
  wireCodes,
  type Failure,
  type LocalCode,
  type WireCode,
  type WireError,
} from './failure.ts';
export {
  badPayload,
  errorAck,
  failureResult,
  refusal,
  type ErrorAck,
  type FailureResult,
  type FailureResultOptions,
} from './messages/answers.ts';
export { getToolsReply, missingPart, type GetToolsReply, type Missing } from './messages/collections.ts';
export { failureIn, readAnswer, readToolResult, type Answer, type ToolAnswer } from './reading.ts';
export { excessBytes } from './json.ts';
export type { MetaValue, SmcpTool } from './messages/collections.ts';
export {
  readBlobPart,
  readPut,
  readConfig,
  readContents,
  readResources,
  readSkill,
  readSkills,
  readDesktop,
  readFinder,
  readRoom,
  readTools,
  type DesktopRead,
  type FinderRead,
  type SkillsRead,
  type Read,
  type RoomMember,
} from './messages/lists.ts';
export { type CallToolResult, type ResultContent } from './tool-result.ts';
export { sizes } from './sizes.ts';
