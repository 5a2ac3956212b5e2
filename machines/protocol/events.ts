import { columnOf } from './notifications.ts';

/**
 * The event names of A2C-SMCP, draft 0.2.0, and one of ours. `client:*` is asked by the agent and relayed to one
 * computer, `server:*` is said to the office, `notify:*` is said by the office to those who sit in it.
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
  /** An extension of ours: the seeds have no event for reading a `dpe://` resource. */
  readResource: 'client:read_resource',
  /** Events of peers of 0.2 to 0.4: our office carries them, our agent and computer do not speak them. */
  getResources: 'client:get_resources',
  getSkills: 'client:get_skills',
  getSkill: 'client:get_skill',
  getBlob: 'client:get_blob',
  putBlob: 'client:put_blob',
  updateSkills: 'server:update_skills',
  /** An extension of ours: how far a call is whose agent wants to know. */
  toolCallProgress: 'server:tool_call_progress',
} as const;
/** Event that agents and computers send, or are asked. */
export type EventName = (typeof events)[keyof typeof events];
/** Event that an office relays to a computer. */
export type RelayedName = Extract<EventName, `client:${string}`>;

/** Event that an office relays whether it knows the name or not. */
export type CarriedName = `client:${string}`;

/** Notices: events that only an office sends. */
export const notices = {
  enterOffice: 'notify:enter_office',
  leaveOffice: 'notify:leave_office',
  ...columnOf('notice'),
  toolCallCancelled: 'notify:tool_call_cancel',
  updateSkills: 'notify:update_skills',
  /** An extension of ours, told to the agent of the call alone. */
  toolCallProgress: 'notify:tool_call_progress',
  /** An extension of ours: why the office closes this connection. */
  disconnecting: 'notify:disconnecting',
} as const;
/** Notice of an office to those that sit in it. */
export type NoticeName = (typeof notices)[keyof typeof notices];

const known: ReadonlySet<string> = new Set([...Object.values(events), ...Object.values(notices)]);

/** Whether the protocol, or an extension of ours, has an event of this name, as a question or a notice. */
export const isKnownEvent = (event: string): boolean => known.has(event);
