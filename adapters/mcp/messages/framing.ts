import { sizes } from '../../../machines/protocol/protocol.ts';
import { parsed } from '../lenient.ts';

/** A message may have this many bytes; a longer one is not kept. */
export const messageBytes: number = sizes.stdioMessageBytes;
/** Of an over-long line so much is kept at either end: JSON-RPC ids stand first or last. */
const endBytes = 4 * 1024;
const newline = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** What the framer finds. `bytes` is the length of the line without its line break. */
export interface Found {
  message(value: object, bytes: number, text: string): void;
  /** A line that is not a JSON object or array. `head` are its first characters. */
  garbage(head: string, bytes: number): void;
  /** A line over the limit: its first and last 4 KiB. */
  overlong(head: string, tail: string, bytes: number): void;
}
export interface Framer {
  push(chunk: Buffer): void;
  /** Bytes after the last line break. */
  held(): number;
  /** The stream has ended: what stands after the last line break is a line, too. */
  end(): void;
}

/** Newline-delimited JSON over chunks of any size. Each byte is copied at most once, whatever the chunks are. */
export function createFramer(found: Found, limit: number = messageBytes): Framer {
  let parts: Buffer[] = [];
  let held = 0;
  let overlong: Overlong | undefined;

  const read = (bytes: Buffer, from: number, lineEnd: number): void => {
    const to = lineEnd > from && bytes[lineEnd - 1] === carriageReturn ? lineEnd - 1 : lineEnd;
    if (to === from || bytes.subarray(from, to).equals(byteOrderMark)) return;
    const text = bytes.toString('utf8', from, to);
    let value: unknown;
    try {
      value = parsed(text);
    } catch {
      // Told below, as anything else that is no message.
    }
    if (typeof value === 'object' && value !== null) found.message(value, to - from, text);
    else found.garbage(bytes.toString('utf8', from, Math.min(to, from + endBytes)), to - from);
  };
  const hold = (part: Buffer): void => {
    held += part.length;
    if (overlong) return overlong.add(part);
    parts.push(part);
    if (held <= limit) return;
    overlong = createOverlong();
    for (const kept of parts) overlong.add(kept);
    parts = [];
  };
  const finish = (): void => {
    const [line, length, long] = [parts, held, overlong];
    parts = [];
    held = 0;
    overlong = undefined;
    if (long) found.overlong(long.head(), long.tail(), length);
    else read(line.length === 1 && line[0] ? line[0] : Buffer.concat(line, length), 0, length);
  };
  return {
    push: (chunk) => {
      let from = 0;
      for (let to = chunk.indexOf(newline); to >= 0; to = chunk.indexOf(newline, from)) {
        // Nearly every line lies in one chunk: it is read where it stands.
        if (held === 0 && to - from <= limit) read(chunk, from, to);
        else {
          hold(chunk.subarray(from, to));
          finish();
        }
        from = to + 1;
      }
      if (from < chunk.length) hold(from === 0 ? chunk : chunk.subarray(from));
    },
    held: () => held,
    end: () => {
      if (held > 0) finish();
    },
  };
}

/** A text of which only the ends are kept. */
export interface Overlong {
  add(part: Buffer): void;
  head(): string;
  tail(): string;
}
export function createOverlong(): Overlong {
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  return {
    add: (part) => {
      if (head.length < endBytes) head = Buffer.concat([head, part.subarray(0, endBytes - head.length)]);
      // Copied, because a slice would keep the whole chunk in memory.
      const last = part.subarray(Math.max(0, part.length - endBytes));
      tail = Buffer.concat([tail.subarray(Math.max(0, tail.length + last.length - endBytes)), last]);
    },
    head: () => head.toString('utf8'),
    tail: () => tail.toString('utf8'),
  };
}
