/** The latest messages of the host with servers, offices and seats, for its pages and its recording. */
import { type RecorderOptions, EntryRing, weightOfFrame } from './recorder.ts';
import { FrameLines } from './trace-lines.ts';
import { type Address, isBelow } from '../../machines/kernel/effects.ts';
import { fieldsOf, type Fields } from '../../machines/protocol/json.ts';
import type { Frame, FrameVia } from '../../machines/trace/record.ts';

/** Estimated bytes of the latest messages that a host keeps for its pages, 1 MiB. */
const mostHeld = 1024 * 1024;
/** A longer message is cut after 64 Ki characters, so that a page shows its beginning. */
const bounds = { held: mostHeld, mostChars: 64 * 1024, leastChars: Infinity, share: 0 };
/** Estimated size in bytes of the beginning or the end of a call that an office relays. */
const toldWeight = 600;
/** Number of characters after which an answer ends; a page asks for the rest. */
const mostInAnswer = 512 * 1024;

export interface FramesWanted {
  /** Address of a client, link or seat. */
  readonly a?: string | undefined;
  /** Address of the actor of a call. */
  readonly by?: string | undefined;
  /** `req_id` of a call, which messages on sockets have. */
  readonly req?: string | undefined;
  /** Last message that the page has; 0 for none. */
  readonly after: number;
}
export interface FramesFound {
  readonly frames: readonly Fields[];
  /** Last message that was searched; a page continues after it. */
  readonly last: number;
  readonly isMore: boolean;
}

/** Seats of an office only while a page is open; of each relayed call the beginning and the end are kept. */
export class Frames {
  pages = 0;
  /** `weight`: estimated bytes that the message holds. */
  kept: ((frame: Frame, weight: number) => void) | undefined;
  called: (frame: Frame) => void = () => {};
  readonly #ring = new EntryRing();
  #last = 0;

  /** Undefined while no page is open, so that sockets need not report. */
  get ofSeats(): ((a: Address, dir: Frame['dir'], message: unknown) => void) | undefined {
    return this.pages === 0 ? undefined : this.ofSocket;
  }
  readonly ofSocket = (a: Address, dir: Frame['dir'], message: unknown): void =>
    this.take(a, 'socket', dir, message);
  /** `a` is the port instance that the message passed, `by` the actor whose request it belongs to. */
  readonly take = (a: Address, via: FrameVia, dir: Frame['dir'], json: unknown, by?: Address): void => {
    const frame: Frame =
      by === undefined ? { k: 'frame', a, via, dir, json } : { k: 'frame', a, via, dir, by, json };
    // Uses a fixed weight for a reported call, which has a few short names and need not be measured.
    const weight = via === 'relay' ? toldWeight : weightOfFrame(frame);
    const ring = this.#ring;
    this.#last += 1;
    ring.push({ s: this.#last, t: 0, w: Date.now(), what: frame }, weight);
    // Keeps at least the latest message, however large it is.
    while (ring.weight > mostHeld && ring.size > 1) ring.shift();
    this.kept?.(frame, weight);
    if (via === 'relay') this.called(frame);
  };
  /** The oldest first, with secrets hidden. */
  find({ a, by, req, after }: FramesWanted, { redactor, hook }: RecorderOptions): FramesFound {
    const isWanted = (frame: Frame): boolean =>
      (a !== undefined && isBelow(a, frame.a)) ||
      (by !== undefined && frame.by === by) ||
      (req !== undefined && frame.via !== 'mcp' && reqIn(frame.json) === req);
    const entries = this.#ring.entries();
    const lines = new FrameLines(redactor, bounds);
    const frames: Fields[] = [];
    let chars = 0;
    let last = after;
    for (const { s, w, what } of entries) {
      if (s <= after) continue;
      if (chars > mostInAnswer) return { frames, last, isMore: true };
      last = s;
      if (!isWanted(what as Frame)) continue;
      const written = lines.of(hook?.record({ ...(what as Frame) }) ?? (what as Frame), '');
      if (!written) continue;
      const { record, json } = written;
      chars += json?.length ?? bounds.mostChars;
      frames.push({ s, w, ...record, ...(json !== undefined && { json: JSON.parse(json) as unknown }) });
    }
    return { frames, last, isMore: false };
  }
}
const reqIn = (message: unknown): unknown => {
  const { req_id, args } = fieldsOf(message);
  return req_id ?? (Array.isArray(args) ? fieldsOf(args[0])['req_id'] : undefined);
};
