import type { Timers } from '../../machines/office/rooms/pending.ts';
import { mostProgressText, progressOf, type Progress } from '../../machines/protocol/messages/messages.ts';

/** Shortest interval in ms between two progress messages of one call. */
const pauseMs = 200;

/**
 * Sends the progress of calls: the first message at once, and of the messages within `pauseMs` after it only
 * the last. `end` drops the unsent progress of a call that is over, and its timer.
 */
export class ProgressSender {
  readonly #timers: Timers;
  readonly #send: (ticket: string, progress: Progress) => void;
  readonly #pausing = new Map<string, { timer: unknown; next: Progress | undefined }>();

  constructor(timers: Timers, send: (ticket: string, progress: Progress) => void) {
    this.#timers = timers;
    this.#send = send;
  }
  tell(ticket: string, told: Progress): void {
    const progress = {
      ...progressOf(told),
      ...(told.message && { message: told.message.slice(0, mostProgressText) }),
    };
    const pausing = this.#pausing.get(ticket);
    if (pausing) pausing.next = progress;
    else this.#say(ticket, progress);
  }
  end(ticket: string): void {
    this.#timers.clearTimer(this.#pausing.get(ticket)?.timer);
    this.#pausing.delete(ticket);
  }
  clear(): void {
    for (const ticket of [...this.#pausing.keys()]) this.end(ticket);
  }
  #say(ticket: string, progress: Progress): void {
    this.#send(ticket, progress);
    const timer = this.#timers.setTimer(() => {
      const next = this.#pausing.get(ticket)?.next;
      this.#pausing.delete(ticket);
      if (next) this.#say(ticket, next);
    }, pauseMs);
    this.#pausing.set(ticket, { timer, next: undefined });
  }
}
