/** Questions that the office has forwarded, each settled exactly once. */
import { TransientMap } from '../../kernel/objects.ts';
import { type Failure, wireCodes } from '../../protocol/failure.ts';
import { refusal, unanswered } from '../../protocol/messages/answers.ts';
import type { CancelReason } from '../../protocol/messages/messages.ts';
import { officeLimits, openGate, overLimit, type Gate, type OfficeLimits } from './limits.ts';

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
  readonly #byOffice = new TransientMap<string, number>();
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
