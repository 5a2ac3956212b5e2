import type { NoticeName } from '../../protocol/events.ts';
import type { Gate } from './limits.ts';
import type { Timers } from './pending.ts';

/** Notice that something of a computer has changed: its hearers ask, so one after several changes says as much as one after each. */
export interface Notice {
  readonly office: string;
  /** The socket whose computer it is. */
  readonly from: string;
  readonly event: NoticeName;
  readonly body: object;
}
interface Delivery extends Notice {
  readonly sockets: readonly string[];
  /** Number of peers that have it. */
  done: number;
}
/** Notices of one room, told in turn. */
interface Room {
  readonly queue: Notice[];
  delivery: Delivery | undefined;
  timer: unknown;
}
interface NoticesParts {
  readonly timers: Timers;
  readonly gate: Gate;
  /** Sockets that hear a notice, now. */
  readonly hearers: (notice: Notice) => readonly string[];
  readonly deliver: (sockets: readonly string[], event: NoticeName, body: object) => void;
}
/** Between two parts of one notice others have their turn. */
const turnMs = 1;

/**
 * The notices of an office that may wait. Each is as many deliveries as there are others in its room, and is weighed so: it goes out
 * in parts, as fast as the limits allow. Until it goes out, further ones of the same computer and kind are the same one. So no
 * change stays untold, and none costs more than its room may take. Without limits each goes out at once, to all.
 */
export class Notices {
  readonly #parts: NoticesParts;
  /** By computer and kind, what is not on its way yet; with its timer, as long as its computer tells too often. */
  readonly #waiting = new Map<string, Map<NoticeName, unknown>>();
  readonly #rooms = new Map<string, Room>();

  constructor(parts: NoticesParts) {
    this.#parts = parts;
  }

  /** `isFirst`: no other node has held it against the rate of its computer. */
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
  /** This computer sits there no more: what was to be told of it is no news. */
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
  /** Next notice of a room, for those that sit there now. */
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
