import type { CallToolResult } from '../tool-result.ts';
import type { ErrorAck } from './answers.ts';
import type {
  GetConfig,
  GetConfigReply,
  GetDesktop,
  GetDesktopReply,
  GetFinder,
  GetFinderReply,
  ReadResource,
  ReadResourceReply,
} from './collections.ts';
import type { z } from 'zod';
import type { events, notices } from '../events.ts';
import type {
  Carried,
  ComputerUpdate,
  Disconnecting,
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
  ToolCallProgress,
} from './messages.ts';
import type { notifications } from '../notifications.ts';

/**
 * The wire as Socket.IO's type parameters: `new Server<ClientToServer, ServerToClient>()` for an office,
 * `Socket<ServerToClient, ClientToServer>` for who sits in one. They say what peers of ours send; what arrives
 * from strangers is `unknown` until a schema has seen it.
 */
export type Claim<Payload> = (payload: Payload, ack: (ok: boolean, text: string | null) => void) => void;
/** Is always answered: with the reply, or with why there is none. */
export type Question<Payload, Reply> = (payload: Payload, ack: (reply: Reply | ErrorAck) => void) => void;
/** Event that may be sent without asking for an ack; the ack is empty, or says why it was not passed on. */
export type Announcement<Payload> = (payload: Payload, ack?: (failure?: ErrorAck) => void) => void;
/** Is told, and not answered. */
export type Notice<Body> = (body: Body) => void;

/** Questions of an agent to a computer, through the office. */
export interface Relayed {
  /** A failed call is a result with `isError`, see `failureResult`. */
  [events.toolCall]: (payload: ToolCall, ack: (result: CallToolResult) => void) => void;
  /** All tools of a computer that can be called. */
  [events.getTools]: Question<GetTools, GetToolsReply>;
  /** The servers and inputs of a computer, placeholders unfilled, secrets hidden. */
  [events.getConfig]: Question<GetConfig, GetConfigReply>;
  /** The windows of a computer. */
  [events.getDesktop]: Question<GetDesktop, GetDesktopReply>;
  /** A part of the documents of a computer. */
  [events.getFinder]: Question<GetFinder, GetFinderReply>;
  /** One window, document, page or element, as its server gives it. */
  [events.readResource]: Question<ReadResource, ReadResourceReply>;
  /** Resources that a server lists. This one and those below are of 0.2 to 0.4, and carried as they are. */
  [events.getResources]: Question<Carried, object>;
  /** The skills of a computer. */
  [events.getSkills]: Question<Carried, object>;
  /** One file of a skill. */
  [events.getSkill]: Question<Carried, object>;
  /** A part of what was too large for an answer. */
  [events.getBlob]: Question<Carried, object>;
  /** A part of a file for a computer. */
  [events.putBlob]: Question<Carried, object>;
}

/** Announcements of a computer when something of it has changed: one event for each row of `machines/protocol/notifications.ts`. */
export type Announcements = {
  [What in keyof typeof notifications as (typeof notifications)[What]['event']]: Announcement<
    z.infer<(typeof notifications)[What]['schema']>
  >;
};
/** Notices of an office about that, to the others in the room. */
export type Notices = {
  [What in keyof typeof notifications as (typeof notifications)[What]['notice']]: Notice<
    z.infer<(typeof notifications)[What]['schema']>
  >;
};

/** Events from agents and computers to their office. */
export interface ClientToServer extends Relayed, Announcements {
  /** Takes a seat; the text says why not. */
  [events.joinOffice]: Claim<JoinOffice>;
  /** Gives the seat back; the connection stays. */
  [events.leaveOffice]: Claim<LeaveOffice>;
  /** Members of the room of the asker. */
  [events.listRoom]: Question<ListRoom, ListRoomReply>;
  /** The skills of this computer have changed. */
  [events.updateSkills]: Announcement<ComputerUpdate>;
  /** The agent takes back its call of this `req_id`. */
  [events.cancelToolCall]: Announcement<ToolCallCancel>;
  /** How far the call of this `req_id` is: at most five times a second. */
  [events.toolCallProgress]: Announcement<ToolCallProgress>;
}

/** Events from an office to those that sit in it. */
export interface ServerToClient extends Relayed, Notices {
  /** Somebody took a seat in this room. */
  [notices.enterOffice]: Notice<SeatNotice>;
  /** Somebody left this room, or was lost. */
  [notices.leaveOffice]: Notice<SeatNotice>;
  /** The skills of this computer have changed. */
  [notices.updateSkills]: Notice<ComputerUpdate>;
  /** The call of this `req_id` is not wanted any more; the computer that runs it ends it. */
  [notices.toolCallCancelled]: Notice<ToolCallCancelled>;
  /** How far the call of this `req_id` is. Its agent alone hears it. */
  [notices.toolCallProgress]: Notice<ToolCallProgress>;
  /** The office closes this connection now. */
  [notices.disconnecting]: Notice<Disconnecting>;
}
