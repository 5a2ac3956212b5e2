import { nameOf, type Address } from '../../machines/kernel/address.ts';
import { fieldsOf, type Fields } from '../../machines/protocol/json.ts';
import type { Frame, FrameVia } from '../../machines/trace/index.ts';
import { EntryRing, weightOfFrame } from '../recording/entry-ring.ts';
import type { RecorderOptions } from '../recording/recorder.ts';
import { FrameLines } from '../recording/trace-lines.ts';

/** Estimated bytes of the latest messages that a host keeps for its pages, 1 MiB. */
const mostHeld = 1024 * 1024;
/**
 * Limits of messages for pages: the text of a longer one is cut after 64 Ki characters, so that a page shows its
 * beginning.
 */
const bounds = { held: mostHeld, mostChars: 64 * 1024, leastChars: Infinity, share: 0 };
/** Estimated bytes of the beginning or the end of a call that an office relays. */
const toldWeight = 600;
/** Number of characters after which an answer ends; a page asks for the rest. */
const mostInAnswer = 512 * 1024;

/** Messages that a page asks for: those of an actor, and those that belong to a call. */
export interface FramesWanted {
  /** Address of a client, link or seat. */
  readonly a?: string | undefined;
  /** Address of the actor of a call. */
  readonly by?: string | undefined;
  /** `req_id` of a call, which messages on sockets have. */
  readonly req?: string | undefined;
  /** Number of the last message that the page has; 0 for none. */
  readonly after: number;
}
/** Messages as `frame` records of a trace, each with its number and wall clock. */
export interface FramesFound {
  readonly frames: readonly Fields[];
  /** Number of the last message that was looked at. */
  readonly last: number;
  /** Number of the oldest message that is kept. */
  readonly first: number;
  readonly isMore: boolean;
}

/**
 * Latest messages on the wire: of MCP sessions and of the own links always, of the seats of an office while a page is
 * open, and of each call that an office relays its beginning and end.
 */
export class Frames {
  /** Number of open pages. */
  pages = 0;
  /** Called with each message, and the estimated bytes that it holds, when a recorder wants them. */
  kept: ((frame: Frame, weight: number) => void) | undefined;
  /** Called with each told call of an office, for the pages. */
  called: (frame: Frame) => void = () => {};
  readonly #ring = new EntryRing();
  #last = 0;

  /**
   * Function that takes messages of the seats of an office; undefined while no page is open, so that sockets need not
   * report.
   */
  get ofSeats(): ((a: Address, dir: Frame['dir'], message: unknown) => void) | undefined {
    return this.pages === 0 ? undefined : this.ofSocket;
  }
  /** Takes a message of a socket. */
  readonly ofSocket = (a: Address, dir: Frame['dir'], message: unknown): void =>
    this.take(a, 'socket', dir, message);
  /**
   * Takes one message. `a` is the address of the port instance that it passed, `by` of the actor whose request it
   * belongs to.
   */
  readonly take = (a: Address, via: FrameVia, dir: Frame['dir'], json: unknown, by?: Address): void => {
    const frame: Frame =
      by === undefined ? { k: 'frame', a, via, dir, json } : { k: 'frame', a, via, dir, by, json };
    // A told call has a few short names, so it need not be looked through.
    const weight = via === 'relay' ? toldWeight : weightOfFrame(frame);
    const ring = this.#ring;
    this.#last += 1;
    ring.push({ s: this.#last, t: 0, w: Date.now(), what: frame }, weight);
    // Keeps at least the latest message, however large it is.
    while (ring.weight > mostHeld && ring.size > 1) ring.shift();
    this.kept?.(frame, weight);
    if (via === 'relay') this.called(frame);
  };
  /** Returns the kept messages that a page wants, the oldest first, with secrets hidden. */
  find({ a, by, req, after }: FramesWanted, { redactor, hook }: RecorderOptions): FramesFound {
    const isWanted = (frame: Frame): boolean =>
      (a !== undefined && isOf(a, frame.a)) ||
      (by !== undefined && frame.by === by) ||
      (req !== undefined && frame.via !== 'mcp' && reqIn(frame.json) === req);
    const entries = this.#ring.entries();
    const lines = new FrameLines(redactor, bounds);
    const frames: Fields[] = [];
    let chars = 0;
    let last = after;
    for (const { s, w, what } of entries) {
      if (s <= after) continue;
      if (chars > mostInAnswer) return { frames, last, first: entries[0]?.s ?? 0, isMore: true };
      last = s;
      if (!isWanted(what as Frame)) continue;
      const written = lines.of(hook?.record({ ...(what as Frame) }) ?? (what as Frame), '');
      if (!written) continue;
      const { record, json } = written;
      chars += json?.length ?? bounds.mostChars;
      frames.push({ s, w, ...record, ...(json !== undefined && { json: JSON.parse(json) as unknown }) });
    }
    return { frames, last, first: entries[0]?.s ?? 0, isMore: false };
  }
}
/** Tells whether a port instance belongs to an actor, in any incarnation of that actor. */
const isOf = (actor: string, instance: string): boolean => {
  const name = nameOf(actor);
  return instance.startsWith(name) && /^[#/]/.test(instance.slice(name.length));
};
const reqIn = (message: unknown): unknown => {
  const { req_id, args } = fieldsOf(message);
  return req_id ?? (Array.isArray(args) ? fieldsOf(args[0])['req_id'] : undefined);
};
