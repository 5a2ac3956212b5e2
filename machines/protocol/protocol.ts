import { columnOf } from './notifications.ts';
import { questionEvents } from './questions.ts';

/** Revision of A2C-SMCP that we speak: the 0.2.0 draft with Finder. Defined only here. */
export const PROTOCOL_VERSION = '0.2.0';

/** In the query of a connection (`a2c_client`): an extension of ours. */
export const OUR_CLIENT = 'a2c-actors';

/** Range of minor versions (0.x) that an office accepts, and that our peers accept from an office. */
export const spoken = { minors: [1, 4] } as const;

/** `unreadable` when it does not have the form `1.2.3`. */
export function isSpoken(version: string): boolean | 'unreadable' {
  const parts = /^(\d{1,5})\.(\d{1,5})\.(\d{1,5})$/.exec(version);
  if (!parts) return 'unreadable';
  const [major, minor] = [Number(parts[1]), Number(parts[2])];
  return major === 0 && minor >= spoken.minors[0] && minor <= spoken.minors[1];
}

/** Features that peers have from a minor version (0.x) on, as in the Python SDK of that version. */
const features: readonly (readonly [number, string])[] = [
  [2, 'large contents in parts'],
  [2, 'resources and skills'],
  [3, 'the notice of changed tools'],
  [4, 'files of agents'],
];
/** A peer without a version speaks 0.1; peers of ours have all. */
export const missedBy = (version: string | undefined, isOurs: boolean): readonly string[] => {
  const minor = Number((version ?? '0.1.0').split('.')[1]);
  return isOurs ? [] : features.filter(([since]) => minor < since).map(([, feature]) => feature);
};

/** Socket.IO namespace of every event. The HTTP path is not part of the protocol (default `/socket.io`). */
export const NAMESPACE = '/smcp';

/** In bytes; from here on the size is reported, so that rules about size need not measure the content. */
export const manyBytes = 256;

/** Largest number of questions that one agent may have in flight through an office. */
export const mostInFlight = 16_384;

/** Longest time-out that is kept, about 24 days in milliseconds: a timer of 2^31 ms or more would fire at once. */
export const longestTimeoutMs = 2_147_000_000;

/** Converts seconds of the wire to milliseconds; 0 stays 0 and means no limit. */
export const toTimeoutMs = (seconds: number): number => Math.min(seconds * 1000, longestTimeoutMs);

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
  ...questionEvents,
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
