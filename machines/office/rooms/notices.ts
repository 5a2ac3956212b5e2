import type { NoticeName } from '../../protocol/protocol.ts';
import type { Gate } from './limits.ts';
import type { Timers } from './pending.ts';

/**
 * Change notice of a computer. Receivers fetch the new data, so several notices of the same kind can be merged into
 * one.
 */
export interface Notice {
  readonly office: string;
  /** Socket of the computer that sent the change notice. */
  readonly from: string;
  readonly event: NoticeName;
  readonly body: object;
}
interface Delivery extends Notice {
  readonly sockets: readonly string[];
  done: number;
}
interface Room {
  readonly queue: Notice[];
  delivery: Delivery | undefined;
  timer: unknown;
}
interface NoticesParts {
  readonly timers: Timers;
  readonly gate: Gate;
  readonly hearers: (notice: Notice) => readonly string[];
  readonly deliver: (sockets: readonly string[], event: NoticeName, body: object) => void;
}
/** Pause in ms between two parts of one delivery, so that other work can run. */
const turnMs = 1;

/**
 * Delivers the change notices of an office, which may be delayed. A notice costs one delivery for each receiver, and
 * is sent in parts, as fast as the limits allow. Until it is sent, further notices of the same computer and kind are
 * merged into it, so no change is missed and no room exceeds its limit. Without limits, every notice goes to all
 * receivers at once.
 */
export class Notices {
  readonly #parts: NoticesParts;
  /**
   * Notices not yet being delivered, by computer and kind, each with its timer while the computer exceeds its rate.
   */
  readonly #waiting = new Map<string, Map<NoticeName, unknown>>();
  readonly #rooms = new Map<string, Room>();

  constructor(parts: NoticesParts) {
    this.#parts = parts;
  }

  /** Queues a notice. `isFirst`: no other node has applied the rate limit of its computer yet. */
  tell(notice: Notice, isFirst = true): void {
    const { from, event } = notice;
    const kinds = this.#waiting.get(from) ?? new Map<NoticeName, unknown>();
    if (kinds.has(event)) return;
    this.#waiting.set(from, kinds);
    const waitMs = isFirst ? this.#parts.gate.notice(from, event) : 0;
    if (waitMs > 0)
      kinds.set(
        event,
        this.#parts.timers.setTimer(() => this.#queue(notice), waitMs),
      );
    else this.#queue(notice);
  }
  /** Drops the waiting notices of a computer that left its seat. */
  drop(from: string): void {
    for (const timer of this.#waiting.get(from)?.values() ?? [])
      if (timer !== undefined) this.#parts.timers.clearTimer(timer);
    this.#waiting.delete(from);
  }
  close(): void {
    for (const from of this.#waiting.keys()) this.drop(from);
    for (const { timer } of this.#rooms.values())
      if (timer !== undefined) this.#parts.timers.clearTimer(timer);
    this.#rooms.clear();
  }

  #queue(notice: Notice): void {
    const { office, from, event } = notice;
    this.#waiting.get(from)?.set(event, undefined);
    const room = this.#rooms.get(office);
    if (room) return void room.queue.push(notice);
    this.#rooms.set(office, { queue: [notice], delivery: undefined, timer: undefined });
    this.#go(office);
  }
  /** Takes the next notice of a room, with the current members as receivers. */
  #next({ queue }: Room): Delivery | undefined {
    for (let notice = queue.shift(); notice; notice = queue.shift()) {
      const { from, event } = notice;
      const kinds = this.#waiting.get(from);
      if (!kinds?.delete(event)) continue;
      if (kinds.size === 0) this.#waiting.delete(from);
      return { ...notice, sockets: this.#parts.hearers(notice), done: 0 };
    }
    return undefined;
  }
  #go(office: string): void {
    const room = this.#rooms.get(office);
    if (!room) return;
    const { gate, timers, deliver } = this.#parts;
    const later = (ms: number): void => {
      room.timer = timers.setTimer(() => this.#go(office), ms);
    };
    for (let next = (room.delivery ??= this.#next(room)); next; next = room.delivery ??= this.#next(room)) {
      const { sockets, done, event, body } = next;
      const left = sockets.length - done;
      const { now, waitMs } = left === 0 ? { now: 0, waitMs: 0 } : gate.deliver(office, left);
      if (now > 0) deliver(sockets.slice(done, done + now), event, body);
      next.done += now;
      if (now < left) return later(waitMs || turnMs);
      room.delivery = undefined;
    }
    this.#rooms.delete(office);
  }
}
