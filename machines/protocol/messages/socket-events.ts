import type { ErrorAck } from './answers.ts';
import type { GetConfig, GetConfigReply } from './computer-config.ts';
import type { GetDesktop, GetDesktopReply } from './desktop.ts';
import type { z } from 'zod';
import type { events, notices } from '../events.ts';
import type { GetFinder, GetFinderReply } from './finder.ts';
import type {
  CallToolResult,
  GetTools,
  GetToolsReply,
  JoinOffice,
  LeaveOffice,
  ListRoom,
  ListRoomReply,
  SeatNotice,
  ToolCall,
  ToolCallCancel,
  ToolCallCancelled,
} from './messages.ts';
import type { Notification } from '../notifications.ts';
import type { ReadResource, ReadResourceReply } from './resource.ts';

/**
 * The wire as Socket.IO's type parameters: `new Server<ClientToServer, ServerToClient>()` for an office,
 * `Socket<ServerToClient, ClientToServer>` for who sits in one. They say what peers of ours send; what arrives
 * from strangers is `unknown` until a schema has seen it.
 */
export type Claim<Payload> = (payload: Payload, ack: (ok: boolean, text: string | null) => void) => void;
export type Question<Payload, Reply> = (payload: Payload, ack: (reply: Reply | ErrorAck) => void) => void;
/** May be sent without asking for an ack; the ack is empty, or says why nobody was told. */
export type Announcement<Payload> = (payload: Payload, ack?: (failure?: ErrorAck) => void) => void;
export type Notice<Body> = (body: Body) => void;

/** What an agent asks of a computer, through the office. */
export interface Relayed {
  /** A failed call is a result with `isError`, see `failureResult`. */
  [events.toolCall]: (payload: ToolCall, ack: (result: CallToolResult) => void) => void;
  [events.getTools]: Question<GetTools, GetToolsReply>;
  [events.getConfig]: Question<GetConfig, GetConfigReply>;
  [events.getDesktop]: Question<GetDesktop, GetDesktopReply>;
  [events.getFinder]: Question<GetFinder, GetFinderReply>;
  [events.readResource]: Question<ReadResource, ReadResourceReply>;
}

type Announcements = { [Row in Notification as Row['event']]: Announcement<z.infer<Row['schema']>> };
type Notices = { [Row in Notification as Row['notice']]: Notice<z.infer<Row['schema']>> };

/** What agents and computers send to their office. */
export interface ClientToServer extends Relayed, Announcements {
  [events.joinOffice]: Claim<JoinOffice>;
  [events.leaveOffice]: Claim<LeaveOffice>;
  [events.listRoom]: Question<ListRoom, ListRoomReply>;
  [events.cancelToolCall]: Announcement<ToolCallCancel>;
}

/** What an office sends to those who sit in it. */
export interface ServerToClient extends Relayed, Notices {
  [notices.enterOffice]: Notice<SeatNotice>;
  [notices.leaveOffice]: Notice<SeatNotice>;
  [notices.toolCallCancelled]: Notice<ToolCallCancelled>;
}
