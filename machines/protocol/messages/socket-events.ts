import type { CallToolResult } from '../tool-result.ts';
import type { ErrorAck } from './answers.ts';
import type { z } from 'zod';
import type { events, notices } from '../protocol.ts';
import type {
  ComputerUpdate,
  Disconnecting,
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
import type { questions } from '../questions.ts';

/**
 * Message that claims or returns a seat. The types in this file are type parameters of Socket.IO:
 * `Server<ClientToServer, ServerToClient>` for an office, `Socket<ServerToClient, ClientToServer>` for its members.
 * They describe messages of our own peers; input from others is `unknown` until a schema accepted it.
 */
export type Claim<Payload> = (payload: Payload, ack: (ok: boolean, text: string | null) => void) => void;
/** Question that is always answered: with the reply, or with the reason why there is none. */
export type Question<Payload, Reply> = (payload: Payload, ack: (reply: Reply | ErrorAck) => void) => void;
/**
 * Event that may be sent without requesting an acknowledgement; the acknowledgement is empty, or says why the event
 * was not passed on.
 */
export type Announcement<Payload> = (payload: Payload, ack?: (failure?: ErrorAck) => void) => void;
/** Notice from an office to a member; it is never answered. */
export type Notice<Body> = (body: Body) => void;

/** Questions of an agent to a computer, relayed by the office: one for each row of `machines/protocol/questions.ts`. */
export type Questions = {
  [Name in keyof typeof questions as (typeof questions)[Name]['event']]: Question<
    z.infer<(typeof questions)[Name]['schema']>,
    z.infer<(typeof questions)[Name]['reply']>
  >;
};
/** Questions of an agent to a computer, and its calls. */
export interface Relayed extends Questions {
  /** Calls a tool. A failed call is answered with a result with `isError`, see `failureResult`. */
  [events.toolCall]: (payload: ToolCall, ack: (result: CallToolResult) => void) => void;
}

/**
 * Announcements of a computer when its data changed: one event for each row of `machines/protocol/notifications.ts`.
 */
export type Announcements = {
  [What in keyof typeof notifications as (typeof notifications)[What]['event']]: Announcement<ComputerUpdate>;
};
/** Notices by which an office passes announcements of a computer to the others in the room. */
export type Notices = {
  [What in keyof typeof notifications as (typeof notifications)[What]['notice']]: Notice<ComputerUpdate>;
};

/** Events from agents and computers to their office. */
export interface ClientToServer extends Relayed, Announcements {
  /** Takes a seat; the text tells why it was refused. */
  [events.joinOffice]: Claim<JoinOffice>;
  /** Gives the seat back; the connection stays open. */
  [events.leaveOffice]: Claim<LeaveOffice>;
  /** Lists the members of the asking peer's room. */
  [events.listRoom]: Question<ListRoom, ListRoomReply>;
  /** Cancels the agent's call with this `req_id`. */
  [events.cancelToolCall]: Announcement<ToolCallCancel>;
  /** Reports the progress of the call with this `req_id`, at most five times a second. */
  [events.toolCallProgress]: Announcement<ToolCallProgress>;
}

/** Events from an office to its members. */
export interface ServerToClient extends Relayed, Notices {
  /** Tells that a peer took a seat in this room. */
  [notices.enterOffice]: Notice<SeatNotice>;
  /** Tells that a peer left this room, or that its connection was lost. */
  [notices.leaveOffice]: Notice<SeatNotice>;
  /** Tells that the skills of this computer changed. */
  [notices.updateSkills]: Notice<ComputerUpdate>;
  /** Tells that the call with this `req_id` is no longer wanted; the computer that runs it ends it. */
  [notices.toolCallCancelled]: Notice<ToolCallCancelled>;
  /** Reports the progress of the call with this `req_id`, to its agent only. */
  [notices.toolCallProgress]: Notice<ToolCallProgress>;
  /** Tells that the office closes this connection now. */
  [notices.disconnecting]: Notice<Disconnecting>;
}
