import { columnOf } from './notifications.ts';

/**
 * Event names of A2C-SMCP, draft 0.2.0, and a few extensions of ours. The agent asks with `client:*`, which the
 * office relays to one computer; `server:*` goes to the office; the office sends `notify:*` to its members.
 */
export const events = {
  joinOffice: 'server:join_office',
  leaveOffice: 'server:leave_office',
  listRoom: 'server:list_room',
  ...columnOf('event'),
  cancelToolCall: 'server:tool_call_cancel',
  toolCall: 'client:tool_call',
  getTools: 'client:get_tools',
  getConfig: 'client:get_config',
  getDesktop: 'client:get_desktop',
  getFinder: 'client:get_finder',
  /** Reads a `dpe://` resource: an extension of ours, because the seeds have no event for that. */
  readResource: 'client:read_resource',
  getResources: 'client:get_resources',
  getSkills: 'client:get_skills',
  getSkill: 'client:get_skill',
  /** Reads a part of a large content. This event and the next belong to versions 0.3 and 0.4. */
  getBlob: 'client:get_blob',
  putBlob: 'client:put_blob',
  /** Reports the progress of a call to an agent that asked for it: an extension of ours. */
  toolCallProgress: 'server:tool_call_progress',
} as const;
/** Name of an event that agents and computers send, or are asked with. */
export type EventName = (typeof events)[keyof typeof events];
/** Name of an event that an office relays to a computer. */
export type RelayedName = Extract<EventName, `client:${string}`>;

/** Name of any `client:*` event; an office relays it even when it does not know the name. */
export type CarriedName = `client:${string}`;

/** Names of notices: the events that only an office sends. */
export const notices = {
  enterOffice: 'notify:enter_office',
  leaveOffice: 'notify:leave_office',
  ...columnOf('notice'),
  toolCallCancelled: 'notify:tool_call_cancel',
  /** Progress of a call, sent only to the agent of that call: an extension of ours. */
  toolCallProgress: 'notify:tool_call_progress',
  /** Reason why the office closes this connection: an extension of ours. */
  disconnecting: 'notify:disconnecting',
} as const;
/** Name of a notice that an office sends to its members. */
export type NoticeName = (typeof notices)[keyof typeof notices];

const known: ReadonlySet<string> = new Set([...Object.values(events), ...Object.values(notices)]);

/** Tells whether the protocol, or an extension of ours, has an event of this name, as a question or a notice. */
export const isKnownEvent = (event: string): boolean => known.has(event);
