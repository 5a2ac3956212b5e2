import type { z } from 'zod';
import { TransientMap } from '../../kernel/objects.ts';
import type { SeatFacts } from '../../ports/office.ts';
import { timing, type Timing } from '../../kernel/timing.ts';
import { type Failure, noSeat, wireCodes } from '../../protocol/failure.ts';
import { badPayload, refusal, unanswered } from '../../protocol/messages/answers.ts';
import * as messages from '../../protocol/messages/messages.ts';
import {
  toldOf,
  toolCallProgress as progressSchema,
  type CancelReason,
} from '../../protocol/messages/messages.ts';
import { rows, type Notification } from '../../protocol/notifications.ts';
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
import { officeLimits, openGate, overLimit, type Gate, type OfficeLimits } from './limits.ts';
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

export interface Timers {
  setTimer(run: () => void, ms: number): unknown;
  clearTimer(timer: unknown): void;
}
export interface Routed {
  readonly from: string;
  readonly to: string;
  readonly office: string;
  readonly event: string;
  /** In ms; 0 = no limit. */
  readonly timeoutMs: number;
  /** Chosen by the sender, who may not have two pending questions with the same id. */
  readonly reqId?: string | undefined;
  /** Called exactly once, with the arguments of the acknowledgement. */
  readonly onAnswer: (...ack: unknown[]) => void;
  /** Called before `onAnswer` when the office stops waiting although the target is still connected. */
  readonly onGivenUp?: ((why: CancelReason) => void) | undefined;
}
export type CallLimits = Pick<OfficeLimits, 'callsPerSocket' | 'callsPerOffice' | 'calls' | 'payloadBytes'>;
interface Entry extends Routed {
  readonly id: number;
  readonly timer: unknown;
}

const left: Failure = {
  code: wireCodes.notFound,
  message: 'The computer left before it answered',
  details: { reason: 'left' },
};
/** The transport discards a message above `payloadBytes`, so the question that it answered stays unknown. */
export const oversized = 'message too large';
const cutOff = ({ payloadBytes }: CallLimits): Failure => ({
  code: wireCodes.notFound,
  message:
    `The computer sent a message of more than ${payloadBytes} bytes, the most that an office carries, ` +
    'and lost its connection by that',
  details: { reason: 'too_large', limit_bytes: payloadBytes },
});
const abandoned: Failure = {
  code: wireCodes.notFound,
  message: 'You left the office before the computer answered',
  details: { reason: 'left', left: 'agent' },
};
export const isAbandoned = ({ details }: Failure): boolean => details?.['left'] === 'agent';
const closing: Failure = {
  code: wireCodes.notFound,
  message: 'The office is closing',
  details: { reason: 'closing' },
};
const conflict: Failure = { code: wireCodes.conflict, message: 'This req_id is in flight already' };
const timedOut = ({ timeoutMs, reqId }: Routed): Failure => ({
  code: wireCodes.noAnswer,
  message:
    `The computer did not answer within ${timeoutMs / 1000} s` +
    (reqId === undefined ? '' : ` (call '${reqId}')`),
  details: { reason: 'timeout', timeout_ms: timeoutMs },
});

/** The call was forwarded and may have run; its outcome is unknown (docs/calls.md). */
const lost = (event: string, failure: Failure): readonly unknown[] => refusal(event, failure, unanswered);

/** Settles every question exactly once; Socket.IO would wait the full time-out, or for ever, for a lost target. */
export class Pending {
  readonly #timers: Timers;
  readonly #entries = new TransientMap<number, Entry>();
  readonly #bySocket = new TransientMap<string, TransientMap<number, Entry>>();
  readonly #reqIds = new TransientMap<string, TransientMap<string, Entry>>();
  readonly #byOffice = new Map<string, number>();
  readonly #limits: CallLimits;
  readonly #gate: Gate;
  #lastId = 0;

  constructor(timers: Timers, limits: CallLimits = officeLimits, gate = openGate) {
    this.#timers = timers;
    this.#limits = limits;
    this.#gate = gate;
  }

  onEmpty: () => void = () => {};
  concerns(socket: string): boolean {
    return this.#bySocket.has(socket);
  }
  has(id: number): boolean {
    return this.#entries.has(id);
  }
  get size(): number {
    return this.#entries.size;
  }
  askedOf(from: string, reqId: string | undefined): string | undefined {
    return reqId === undefined ? undefined : this.#reqIds.get(from)?.get(reqId)?.to;
  }

  /** Fails when the sender already has the same `reqId` pending, or too many questions. */
  add(routed: Routed): number | Failure {
    const { from, to, office, event, timeoutMs, reqId } = routed;
    const inOffice = this.#byOffice.get(office) ?? 0;
    const met = this.#limitMet(this.#bySocket.get(from)?.size ?? 0, inOffice);
    if (met) return met;
    if (this.askedOf(from, reqId) !== undefined) return conflict;
    const id = ++this.#lastId;
    const expire = (): void => {
      routed.onGivenUp?.('timeout');
      this.settle(id, ...lost(event, timedOut(routed)));
    };
    const timer = timeoutMs > 0 ? this.#timers.setTimer(expire, timeoutMs) : undefined;
    const { onAnswer, onGivenUp } = routed;
    const entry: Entry = { from, to, office, event, timeoutMs, reqId, onAnswer, onGivenUp, id, timer };
    this.#entries.set(id, entry);
    if (reqId !== undefined)
      this.#reqIds.set(from, (this.#reqIds.get(from) ?? new TransientMap<string, Entry>()).set(reqId, entry));
    this.#byOffice.set(office, inOffice + 1);
    this.#link(from, entry);
    this.#link(to, entry);
    return id;
  }

  /** False when it was already settled; the answer is then dropped. */
  settle(id: number, ...ack: unknown[]): boolean {
    const entry = this.#entries.get(id);
    if (!entry) return false;
    this.#forget(entry);
    entry.onAnswer(...ack);
    if (this.size === 0) this.onEmpty();
    return true;
  }

  /** For a question that may have been delivered, but will not be answered. */
  lose(id: number, failure: Failure): void {
    const entry = this.#entries.get(id);
    if (entry) this.settle(id, ...lost(entry.event, failure));
  }

  /** The answer is on its way, so the question survives the end of its target. */
  answering(id: number): void {
    const entry = this.#entries.get(id);
    if (entry) this.#unlink(entry.to, entry);
  }

  refuse(id: number, failure: Failure): void {
    const entry = this.#entries.get(id);
    if (entry) this.settle(id, ...refusal(entry.event, failure));
  }

  /** Questions to it are answered at once; its own ones too, or dropped when it is `gone` (the reason). */
  leave(socket: string, gone?: string): void {
    const why = gone === oversized ? cutOff(this.#limits) : left;
    for (const entry of this.#bySocket.get(socket)?.values() ?? []) {
      if (entry.from === socket) entry.onGivenUp?.('left');
      if (entry.from === socket && gone !== undefined) this.#drop(entry);
      else this.settle(entry.id, ...lost(entry.event, entry.from === socket ? abandoned : why));
    }
  }

  close(): void {
    for (const { id, event, onGivenUp } of this.#entries.values()) {
      onGivenUp?.('closing');
      this.settle(id, ...lost(event, closing));
    }
  }

  #limitMet(ofSocket: number, inOffice: number): Failure | undefined {
    return (
      this.#isMet('callsPerSocket', ofSocket) ??
      this.#isMet('callsPerOffice', inOffice) ??
      this.#isMet('calls', this.#entries.size)
    );
  }
  #isMet(name: 'callsPerSocket' | 'callsPerOffice' | 'calls', count: number): Failure | undefined {
    const limit = this.#limits[name];
    if (limit === 0 || count < limit) return undefined;
    this.#gate.refused(name);
    return overLimit(name, limit);
  }

  #drop(entry: Entry): void {
    this.#forget(entry);
    if (this.size === 0) this.onEmpty();
  }

  #link(socket: string, entry: Entry): void {
    const entries = this.#bySocket.get(socket);
    if (entries) entries.set(entry.id, entry);
    else this.#bySocket.set(socket, new TransientMap<number, Entry>().set(entry.id, entry));
  }
  #unlink(socket: string, entry: Entry): void {
    const entries = this.#bySocket.get(socket);
    entries?.delete(entry.id);
    if (entries?.size === 0) this.#bySocket.delete(socket);
  }
  #forget(entry: Entry): void {
    this.#entries.delete(entry.id);
    const inOffice = (this.#byOffice.get(entry.office) ?? 1) - 1;
    if (inOffice > 0) this.#byOffice.set(entry.office, inOffice);
    else this.#byOffice.delete(entry.office);
    if (entry.timer !== undefined) this.#timers.clearTimer(entry.timer);
    this.#unlink(entry.from, entry);
    this.#unlink(entry.to, entry);
    if (entry.reqId === undefined) return;
    const inFlight = this.#reqIds.get(entry.from);
    inFlight?.delete(entry.reqId);
    if (inFlight?.size === 0) this.#reqIds.delete(entry.from);
  }
}
