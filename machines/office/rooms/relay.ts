import type { z } from 'zod';
import type { SeatFacts } from '../../kernel/ports.ts';
import { timing, type Timing } from '../../kernel/timing.ts';
import { badPayload, refusal } from '../../protocol/messages/answers.ts';
import { getConfig, getDesktop, getFinder, readResource } from '../../protocol/messages/collections.ts';
import { events, isKnownEvent, notices, type CarriedName, type NoticeName } from '../../protocol/events.ts';
import { type Failure, wireCodes } from '../../protocol/failure.ts';
import * as messages from '../../protocol/messages/messages.ts';
import { rows, type Notification } from '../../protocol/notifications.ts';
import { progressOf, toolCallProgress as progressSchema } from '../../protocol/messages/messages.ts';
import { toTimeoutMs } from '../../protocol/protocol.ts';
import type { Lookup } from './seating.ts';

/** Ruling of an office on one event of one of its sockets. */
export type Verdict =
  | {
      readonly type: 'forward';
      readonly event: CarriedName;
      readonly toSocket: string;
      readonly payload: object;
      /** How long the office waits for the answer; 0 = without limit. */
      readonly timeoutMs: number;
      /** Set where a second question with the same id must not run beside the first. */
      readonly reqId?: string;
    }
  /** To all others of the room. */
  | {
      readonly type: 'broadcast';
      readonly office: string;
      readonly event: NoticeName;
      readonly body: object;
    }
  /** For the computer that was asked under this id; for all of the room where that is not known. */
  | {
      readonly type: 'cancel';
      readonly office: string;
      readonly event: NoticeName;
      readonly reqId: string;
      readonly body: object;
    }
  /** To one socket, which answers nothing. */
  | {
      readonly type: 'notify';
      readonly event: NoticeName;
      readonly toSocket: string;
      readonly body: object;
    }
  /** The arguments of the ack. */
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

/** How long an answer to a question may take, and whether the question may be in flight twice. */
type Waits<T> = (question: T, limits: RelayTiming) => { readonly timeoutMs: number; readonly reqId?: string };
const forAQuery = (_: unknown, { queryMs }: RelayTiming): { timeoutMs: number } => ({ timeoutMs: queryMs });
const forACall: Waits<messages.ToolCall> = ({ timeout, req_id: reqId }, { relayMarginMs }) => ({
  timeoutMs: timeout === 0 ? 0 : toTimeoutMs(timeout) + relayMarginMs,
  reqId,
});

/** The target is looked up in the sender's own office only, and learns the sender's registered name. */
const forward =
  <T extends { agent: string; computer: string }>(
    relayed: CarriedName,
    schema: z.ZodType<T>,
    waits: Waits<T> = forAQuery,
  ) =>
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

/** A computer says that something of it changed: the others hear it under its registered name. */
const update =
  ({ notice, schema }: Pick<Notification, 'schema'> & { readonly notice: NoticeName }) =>
  ({ sender, event, payload }: Case): Verdict => {
    if (sender.role !== 'computer') return notAllowed(event, `Only a computer may send ${event}`);
    const checked = check(schema, event, payload);
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

/** To the agent of the room, who knows whether the call is its own. */
function toolCallProgress({ sender, event, payload, lookup }: Case): Verdict {
  if (sender.role !== 'computer') return notAllowed(event, `Only a computer may send ${event}`);
  const checked = check(progressSchema, event, payload);
  if ('verdict' in checked) return checked.verdict;
  const { agent, req_id } = checked.data;
  const toSocket = lookup.agent(sender.office);
  if (toSocket === undefined) return { type: 'answer', ack: [] };
  const body = { agent, req_id, computer: sender.name, ...progressOf(checked.data) };
  return { type: 'notify', event: notices.toolCallProgress, toSocket, body };
}

const longestEvent = 80;
const isCarried = (event: string): event is CarriedName =>
  event.startsWith('client:') && event.length <= longestEvent;

/** Each event that is relayed, told or answered right here. */
const rules: Readonly<Record<string, (one: Case) => Verdict>> = {
  [events.toolCall]: forward(events.toolCall, messages.toolCall, forACall),
  [events.getTools]: forward(events.getTools, messages.getTools),
  [events.getConfig]: forward(events.getConfig, getConfig),
  [events.getDesktop]: forward(events.getDesktop, getDesktop),
  [events.getFinder]: forward(events.getFinder, getFinder),
  [events.readResource]: forward(events.readResource, readResource),
  [events.getResources]: forward(events.getResources, messages.carried),
  [events.getSkills]: forward(events.getSkills, messages.carried),
  [events.getSkill]: forward(events.getSkill, messages.carried),
  [events.getBlob]: forward(events.getBlob, messages.carried),
  [events.putBlob]: forward(events.putBlob, messages.carried),
  ...Object.fromEntries(rows.map((row) => [row.event, update(row)])),
  [events.updateSkills]: update({ notice: notices.updateSkills, schema: messages.computerUpdate }),
  [events.listRoom]: listRoom,
  [events.cancelToolCall]: cancelToolCall,
  [events.toolCallProgress]: toolCallProgress,
};

const ruleOfUnknown = (event: string, payload: unknown): ((one: Case) => Verdict) | undefined =>
  isCarried(event) && messages.carried.safeParse(payload).success
    ? forward(event, messages.carried)
    : undefined;

/**
 * The verdict on one event; join and leave are not its business. No name in a payload is believed: notices carry
 * the registered name, a cancel under another name is refused, and nothing crosses the sender's office
 * (a2c-wire §7.1, §8.3). An event that asks for no ack gets none, so a refusal of it is silence. A question that
 * says who asks whom is carried even if its name is not known here: a later protocol may have it.
 */
export function judge(
  sender: SeatFacts | undefined,
  event: string,
  payload: unknown,
  lookup: Lookup,
  limits: RelayTiming = timing,
): Verdict {
  if (event.startsWith('notify:')) return notAllowed(event, 'Only an office sends notify:*');
  const rule = isKnownEvent(event) ? rules[event] : ruleOfUnknown(event, payload);
  if (!rule) return no(event, wireCodes.notBuilt, `Unknown event: ${event.slice(0, longestEvent)}`);
  if (!sender) return notAllowed(event, 'Join an office first');
  return rule({ sender, event, payload, lookup, limits });
}
