import { TransientMap } from '../../kernel/objects.ts';
import { refusal, unanswered } from '../../protocol/messages/answers.ts';
import { type Failure, wireCodes } from '../../protocol/failure.ts';
import type { CancelReason } from '../../protocol/messages/messages.ts';
import { officeLimits, openGate, overLimit, type Gate, type OfficeLimits } from './limits.ts';

export interface Timers {
  setTimer(run: () => void, ms: number): unknown;
  clearTimer(timer: unknown): void;
}
/** A routed question that waits for its target. */
export interface Routed {
  readonly from: string;
  readonly to: string;
  /** The room in which it is asked. */
  readonly office: string;
  readonly event: string;
  /** 0 = without limit. */
  readonly timeoutMs: number;
  /** One sender may have each id in flight once. */
  readonly reqId?: string | undefined;
  /** Called once, with the arguments of the ack. */
  readonly onAnswer: (...ack: unknown[]) => void;
  /** Called before that when its target is still there, and no longer awaited. */
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
/**
 * The reason for which a connection ends when its peer sent more than `payloadBytes` at once. A transport
 * never hands over such a message, so which question it was to answer stays unknown.
 */
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
/** Whether a request failed because its asker left. */
export const isAbandoned = ({ details }: Failure): boolean => details?.['left'] === 'agent';
const closing: Failure = {
  code: wireCodes.notFound,
  message: 'The office is closing',
  details: { reason: 'closing' },
};
const conflict: Failure = { code: wireCodes.conflict, message: 'This req_id is in flight already' };
const timedOut = ({ timeoutMs, reqId }: Routed): Failure => ({
  code: wireCodes.timeout,
  message:
    `The computer did not answer within ${timeoutMs / 1000} s` +
    (reqId === undefined ? '' : ` (call '${reqId}')`),
  details: { reason: 'timeout', timeout_ms: timeoutMs },
});

/** A call that was forwarded may have run: its outcome is unknown (docs/calls.md). */
const lost = (event: string, failure: Failure): readonly unknown[] => refusal(event, failure, unanswered);

/**
 * The questions on their way through an office. Socket.IO's own ack of a vanished target waits its whole time-out
 * or for ever, so the office keeps this table: every entry settles exactly once, by the answer, the
 * time-out, or the end of one of the two sockets. Each operation costs the same with one or 10,000 in flight.
 */
export class Pending {
  readonly #timers: Timers;
  readonly #entries = new TransientMap<number, Entry>();
  readonly #bySocket = new TransientMap<string, TransientMap<number, Entry>>();
  /** By asking socket and `req_id`. */
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

  /** Called each time that the last question was answered. */
  onEmpty: () => void = () => {};
  /** Does this socket wait for an answer, or owe one? */
  concerns(socket: string): boolean {
    return this.#bySocket.has(socket);
  }
  /** Whether a request is not settled yet. */
  has(id: number): boolean {
    return this.#entries.has(id);
  }
  get size(): number {
    return this.#entries.size;
  }
  /** Target of a request by the id that its asker gave it, as long as it is not settled. */
  askedOf(from: string, reqId: string | undefined): string | undefined {
    return reqId === undefined ? undefined : this.#reqIds.get(from)?.get(reqId)?.to;
  }

  /** The id to settle it by; a failure when this sender has the same `reqId` in flight, or too many questions. */
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

  /** False: it was settled before, and this answer is dropped. */
  settle(id: number, ...ack: unknown[]): boolean {
    const entry = this.#entries.get(id);
    if (!entry) return false;
    this.#forget(entry);
    entry.onAnswer(...ack);
    if (this.size === 0) this.onEmpty();
    return true;
  }

  /** Ends a request that was perhaps asked, and will not be answered. */
  lose(id: number, failure: Failure): void {
    const entry = this.#entries.get(id);
    if (entry) this.settle(id, ...lost(entry.event, failure));
  }

  /** Notes that its answer is on its way here, wherever its target goes meanwhile. */
  answering(id: number): void {
    const entry = this.#entries.get(id);
    if (entry) this.#unlink(entry.to, entry);
  }

  /** Ends a request that was not asked after all. */
  refuse(id: number, failure: Failure): void {
    const entry = this.#entries.get(id);
    if (entry) this.settle(id, ...refusal(entry.event, failure));
  }

  /**
   * The socket sits nowhere any more: who waits for it is answered at once. What it asked itself is answered
   * too if it still listens, else (it is `gone`, for this reason) dropped.
   */
  leave(socket: string, gone?: string): void {
    const why = gone === oversized ? cutOff(this.#limits) : left;
    for (const entry of this.#bySocket.get(socket)?.values() ?? []) {
      if (entry.from === socket) entry.onGivenUp?.('left');
      if (entry.from === socket && gone !== undefined) this.#drop(entry);
      else this.settle(entry.id, ...lost(entry.event, entry.from === socket ? abandoned : why));
    }
  }

  /** Answers everything that waits. */
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

  /** Drops a request whose asker is gone. */
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
