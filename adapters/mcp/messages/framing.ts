import { sizes } from '../../../machines/protocol/protocol.ts';
import { parsed } from '../lenient.ts';

/** Largest message in bytes; a longer one is not kept. */
export const messageBytes: number = sizes.stdioMessageBytes;
/** Number of bytes of an over-long line that are kept at either end, because JSON-RPC ids usually stand first or last. */
const endBytes = 4 * 1024;
const newline = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Callbacks for the messages and other lines that the framer finds. `bytes` is the length of the line without its line break. */
export interface Found {
  message(value: object, bytes: number, text: string): void;
  /** Called for a line that is not a JSON object or array, with its first characters in `head`. */
  garbage(head: string, bytes: number): void;
  /** Called for a line over the limit, with its first and last 4 KiB. */
  overlong(head: string, tail: string, bytes: number): void;
}
export interface Framer {
  push(chunk: Buffer): void;
  /** Returns the number of bytes after the last line break. */
  held(): number;
  /** Ends the stream; bytes after the last line break are read as a line. */
  end(): void;
}

/** Splits chunks of any size into lines of JSON. Each byte is copied at most once, whatever the size of the chunks. */
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
      // A line that is not JSON is reported below, as other lines that are no message.
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
        // Nearly every line lies within one chunk, so it is read there without a copy.
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

/** Text over the limit, of which only the beginning and the end are kept. */
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
      // The bytes are copied, because a slice would keep the whole chunk in memory.
      const last = part.subarray(Math.max(0, part.length - endBytes));
      tail = Buffer.concat([tail.subarray(Math.max(0, tail.length + last.length - endBytes)), last]);
    },
    head: () => head.toString('utf8'),
    tail: () => tail.toString('utf8'),
  };
}
