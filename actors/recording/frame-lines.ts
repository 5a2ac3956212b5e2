import { canonical, type Frame, type Redactor } from '../../machines/trace/index.ts';
import { keysOf } from './frame-keys.ts';

/** How much of the messages on the wire is held in memory, and stands in a file. */
export interface FrameBounds {
  /** Bytes in memory, roughly; the oldest go first. */
  readonly held: number;
  /** Characters of one message; a longer one is cut. */
  readonly mostChars: number;
  /** They may take so many characters in all, and beyond that this part of what the other lines take. */
  readonly leastChars: number;
  readonly share: number;
}
const mebi = 1024 * 1024;
/** For files: what a replay needs is the larger part of a long one, and what was held has room. */
export const keptFrames: FrameBounds = {
  held: mebi,
  mostChars: 4 * 1024,
  leastChars: mebi,
  share: 0.25,
};

/** Written form of a message: its fields, and its JSON as text. */
export interface FrameText {
  readonly record: Record<string, unknown> & { readonly k: string };
  readonly json: string | undefined;
}

/** Cuts messages on the wire, and leaves out those that a file has no room for. */
export class FrameLines {
  readonly #redactor: Redactor | undefined;
  readonly #bounds: FrameBounds;
  #frames = 0;
  #others = 0;
  #left = 0;

  constructor(redactor: Redactor | undefined, bounds = keptFrames) {
    this.#redactor = redactor;
    this.#bounds = bounds;
  }
  /** Secrets are hidden before it is cut. `of`: the channel that it passes. Undefined: there is no room. */
  of({ json, ...passed }: Frame, of: string): FrameText | undefined {
    const { mostChars, share, leastChars } = this.#bounds;
    if (this.#frames > Math.max(leastChars, this.#others * share)) {
      this.#left += 1;
      return undefined;
    }
    const frame = { ...passed, ...keysOf(json), of };
    const left = this.#left > 0 && { left: this.#left };
    this.#left = 0;
    const text = canonical(json, this.#redactor);
    const cut = text.length - mostChars;
    if (cut <= 0) return { record: { ...frame, ...left }, json: text };
    return { record: { ...frame, text: text.slice(0, mostChars), cut, ...left }, json: undefined };
  }
  wrote(k: string, chars: number): void {
    if (k === 'frame') this.#frames += chars;
    else this.#others += chars;
  }
}
