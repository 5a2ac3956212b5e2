/** Rules of the office for an event of a socket: it refuses, answers, forwards or tells it. */
import type { z } from 'zod';
import type { SeatFacts } from '../../ports/office.ts';
import { timing, type Timing } from '../../kernel/timing.ts';
import { type Failure, noSeat, wireCodes } from '../../protocol/failure.ts';
import { badPayload, refusal } from '../../protocol/messages/answers.ts';
import * as messages from '../../protocol/messages/messages.ts';
import { toldOf, toolCallProgress as progressSchema } from '../../protocol/messages/messages.ts';
import { rows } from '../../protocol/notifications.ts';
import {
  events,
  isKnownEvent,
  notices,
  type CarriedName,
  type NoticeName,
  toTimeoutMs,
} from '../../protocol/protocol.ts';
import { questions } from '../../protocol/questions.ts';
import { forbidsEvent, forbidsFile, type Grant } from './entry.ts';
import type { Lookup } from './register.ts';

/** Decision of an office about an event that it received from a socket. */
export type Verdict =
  | {
      readonly type: 'forward';
      readonly event: CarriedName;
      readonly toSocket: string;
      readonly payload: object;
      /** Time in ms that the office waits for the answer; 0 = no limit. */
      readonly timeoutMs: number;
      /** Id of the question, given only when a second question with the same id must be refused meanwhile. */
      readonly reqId?: string;
    }
  /** Sends a notice to all other members of the room. */
  | {
      readonly type: 'broadcast';
      readonly office: string;
      readonly event: NoticeName;
      readonly body: object;
    }
  /** Sends the cancellation of a call to the computer that has it, or to the whole room when that computer is unknown. */
  | {
      readonly type: 'cancel';
      readonly office: string;
      readonly event: NoticeName;
      readonly reqId: string;
      readonly body: object;
    }
  /** Sends a notice to one socket; no answer is expected. */
  | {
      readonly type: 'notify';
      readonly event: NoticeName;
      readonly toSocket: string;
      readonly body: object;
    }
  /** Answers the event directly, with the arguments of the acknowledgement. */
  | { readonly type: 'answer'; readonly ack: readonly unknown[] };

export type RelayTiming = Pick<Timing, 'relayMarginMs' | 'queryMs'>;

const no = (event: string, code: Failure['code'], message: string, details?: object): Verdict => ({
  type: 'answer',
  ack: refusal(event, { code, message, ...(details && { details: { ...details } }) }),
});
const notAllowed = (event: string, message: string): Verdict => no(event, wireCodes.notAllowed, message);

type Checked<T> = { readonly data: T } | { readonly verdict: Verdict };
function check<T>(schema: z.ZodType<T>, event: string, payload: unknown): Checked<T> {
  const read = schema.safeParse(payload);
  if (read.success) return { data: read.data };
  return { verdict: { type: 'answer', ack: refusal(event, badPayload(read.error, event)) } };
}

interface Case {
  readonly sender: SeatFacts;
  readonly event: string;
  readonly payload: unknown;
  readonly lookup: Lookup;
  readonly limits: RelayTiming;
}

/** Computes the time limit of a question, and the id by which duplicates are refused. */
type Waits<T> = (question: T, limits: RelayTiming) => { readonly timeoutMs: number; readonly reqId?: string };
const forAQuery = (_: unknown, { queryMs }: RelayTiming): { timeoutMs: number } => ({ timeoutMs: queryMs });
const forACall: Waits<messages.ToolCall> = (
  { timeout, timeout_total: most = timeout, timeout_person: person = 0, req_id: reqId },
  { relayMarginMs },
) => ({
  timeoutMs: timeout === 0 ? 0 : toTimeoutMs(Math.max(timeout, most) + person) + relayMarginMs,
  reqId,
});

type Addressed = Readonly<Record<'agent' | 'computer', string>>;
/** Only within the sender's own room, and under its registered name. */
const forward =
  <T extends Addressed>(relayed: CarriedName, schema: z.ZodType<T>, waits: Waits<T> = forAQuery) =>
  ({ sender, event, payload, lookup, limits }: Case): Verdict => {
    if (sender.role !== 'agent') return notAllowed(event, `Only an agent may send ${event}`);
    const checked = check(schema, event, payload);
    if ('verdict' in checked) return checked.verdict;
    const { data } = checked;
    const toSocket = lookup.computer(sender.office, data.computer);
    if (toSocket === undefined)
      return no(event, wireCodes.notFound, `Computer '${data.computer}' is not in this office`, {
        reason: 'unknown',
        computer: data.computer,
      });
    const named = data.agent === sender.name ? data : { ...data, agent: sender.name };
    return { type: 'forward', event: relayed, toSocket, payload: named, ...waits(data, limits) };
  };

const update =
  ({ notice }: { readonly notice: NoticeName }) =>
  ({ sender, event, payload }: Case): Verdict => {
    if (sender.role !== 'computer') return notAllowed(event, `Only a computer may send ${event}`);
    const checked = check(messages.computerUpdate, event, payload);
    if ('verdict' in checked) return checked.verdict;
    return { type: 'broadcast', office: sender.office, event: notice, body: { computer: sender.name } };
  };

function listRoom({ sender, event, payload, lookup }: Case): Verdict {
  const checked = check(messages.listRoom, event, payload);
  if ('verdict' in checked) return checked.verdict;
  const { office_id: office, req_id } = checked.data;
  if (office !== sender.office) return notAllowed(event, 'Only the own office can be listed');
  const sessions = lookup.members(office).map(({ socket, seat: { name, role } }) => {
    const version = lookup.versionOf(socket);
    return {
      sid: socket,
      name,
      role,
      office_id: office,
      ...(version !== undefined && { a2c_version: version }),
    };
  });
  return { type: 'answer', ack: [{ sessions, req_id }] };
}

function cancelToolCall({ sender, event, payload }: Case): Verdict {
  if (sender.role !== 'agent') return notAllowed(event, `Only an agent may send ${event}`);
  const checked = check(messages.toolCallCancel, event, payload);
  if ('verdict' in checked) return checked.verdict;
  const { agent, req_id } = checked.data;
  if (agent !== sender.name)
    return notAllowed(event, 'A call can be cancelled by the agent that made it only');
  return {
    type: 'cancel',
    office: sender.office,
    event: notices.toolCallCancelled,
    reqId: req_id,
    body: { agent, req_id },
  };
}

/** Sends progress to the agent of the room, who knows whether the call is its own. */
function toolCallProgress({ sender, event, payload, lookup }: Case): Verdict {
  if (sender.role !== 'computer') return notAllowed(event, `Only a computer may send ${event}`);
  const checked = check(progressSchema, event, payload);
  if ('verdict' in checked) return checked.verdict;
  const { agent, req_id } = checked.data;
  const toSocket = lookup.agent(sender.office);
  if (toSocket === undefined) return { type: 'answer', ack: [] };
  const body = { agent, req_id, computer: sender.name, ...toldOf(checked.data) };
  return { type: 'notify', event: notices.toolCallProgress, toSocket, body };
}

const longestEvent = 80;
const isCarried = (event: string): event is CarriedName =>
  event.startsWith('client:') && event.length <= longestEvent;

const rules: Readonly<Record<string, (one: Case) => Verdict>> = {
  [events.toolCall]: forward(events.toolCall, messages.toolCall, forACall),
  ...Object.fromEntries(
    Object.values(questions).map(({ event, schema }) => [event, forward<Addressed>(event, schema)]),
  ),
  ...Object.fromEntries(rows.map((row) => [row.event, update(row)])),
  [events.listRoom]: listRoom,
  [events.cancelToolCall]: cancelToolCall,
  [events.toolCallProgress]: toolCallProgress,
};

const ruleOfUnknown = (event: string, payload: unknown): ((one: Case) => Verdict) | undefined =>
  isCarried(event) && messages.carried.safeParse(payload).success
    ? forward(event, messages.carried)
    : undefined;

/**
 * Decides on one event of a peer; joins and leaves are handled elsewhere. Names in payloads are not trusted: notices
 * carry the registered name, a cancel under another name is refused, and nothing leaves the sender's room (a2c-wire
 * §7.1, §8.3). An event without an acknowledgement is refused silently. Unknown questions that name sender and
 * computer are relayed, because a later protocol may define them. `grant` has the rights of the sender's credential.
 */
export function judge(
  sender: SeatFacts | undefined,
  event: string,
  payload: unknown,
  lookup: Lookup,
  limits: RelayTiming = timing,
  grant: Grant = {},
): Verdict {
  if (event.startsWith('notify:')) return notAllowed(event, 'Only an office sends notify:*');
  const rule = isKnownEvent(event) ? rules[event] : ruleOfUnknown(event, payload);
  if (!rule) return no(event, wireCodes.notSupported, `Unknown event: ${event.slice(0, longestEvent)}`);
  if (!sender) return no(event, wireCodes.notAllowed, 'Join an office first', { reason: noSeat });
  const forbidden = forbidsEvent(grant, event);
  if (forbidden !== undefined) return notAllowed(event, forbidden);
  const verdict = rule({ sender, event, payload, lookup, limits });
  const tooLarge = verdict.type === 'forward' ? forbidsFile(grant, event, verdict.payload) : undefined;
  return tooLarge ? { type: 'answer', ack: refusal(event, tooLarge) } : verdict;
}
