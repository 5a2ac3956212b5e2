import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { sizes } from '../../../machines/protocol/sizes.ts';
import { parsed, answeredId, answerOf, isAnswer } from '../lenient.ts';
import type { Around } from '../transport.ts';
import { isObject, isTooDeep } from '../../../machines/protocol/json.ts';
import { messageLevels, note, tooLargeError, type Envelope, hasMethod, idIn } from './envelope.ts';

export const messageBytes: number = sizes.stdioMessageBytes;
/** Number of bytes of an over-long line that are kept at either end, because JSON-RPC ids usually stand first or last. */
const endBytes = 4 * 1024;
const newline = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** `bytes` is the length of the line without its line break. */
export interface Found {
  message(value: object, bytes: number): void;
  garbage(head: string, bytes: number): void;
  /** Called for a line over the limit, with its first and last 4 KiB; `bytes` is Infinity where it is nested too deep. */
  overlong(head: string, tail: string, bytes: number): void;
}
export interface Framer {
  push(chunk: Buffer): void;
  held(): number;
  /** Bytes after the last line break are read as a line. */
  end(): void;
}

export const createFramer = (found: Found, limit: number = messageBytes): Framer =>
  createLines((line) => {
    if (!line.whole) return found.overlong(line.ends.head(), line.ends.tail(), line.bytes);
    if (line.bytes > 0 && !line.whole.equals(byteOrderMark))
      readText(line.whole.toString('utf8'), line.bytes, found);
  }, limit);

/** Lines that end with LF or CRLF. Each byte is copied at most once, whatever the size of the chunks. */
export function createLines(take: (line: Line) => void, limit: number): Framer {
  const held = createHeldLine(limit);
  const taken = (part: Buffer): void => {
    const whole = part.at(-1) === carriageReturn ? part.subarray(0, -1) : part;
    take({ whole, bytes: whole.length });
  };
  const finish = (): void => {
    const line = held.take();
    if (line.whole) taken(line.whole);
    else take(line);
  };
  return {
    push: (chunk) => {
      let from = 0;
      for (let to = chunk.indexOf(newline); to >= 0; to = chunk.indexOf(newline, from)) {
        // Reads a line within one chunk, as nearly all are, without a copy.
        if (held.bytes === 0 && to - from <= limit) taken(chunk.subarray(from, to));
        else {
          held.add(chunk.subarray(from, to));
          finish();
        }
        from = to + 1;
      }
      if (from < chunk.length) held.add(from === 0 ? chunk : chunk.subarray(from));
    },
    held: () => held.bytes,
    end: () => {
      if (held.bytes > 0) finish();
    },
  };
}

/** Number of characters of a bad message that are reported; more than is ever shown, because secrets are searched in all of it. */
const endLength = 4 * 1024;
function readText(text: string, bytes: number, found: Found): void {
  if (isTooDeep(text, messageLevels))
    return found.overlong(text.slice(0, endLength), text.slice(-endLength), Infinity);
  let value: unknown;
  try {
    value = parsed(text);
  } catch {
    // Ignores the error, because a text that cannot be parsed is reported as garbage after this block.
  }
  if (typeof value === 'object' && value !== null) found.message(value, bytes);
  else found.garbage(text.slice(0, endLength), bytes);
}

interface Overlong {
  add(part: Buffer): void;
  head(): string;
  tail(): string;
}
function createOverlong(): Overlong {
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  return {
    add: (part) => {
      if (head.length < endBytes) head = Buffer.concat([head, part.subarray(0, endBytes - head.length)]);
      // Copies the bytes, because a slice would keep the whole chunk in memory.
      const last = part.subarray(Math.max(0, part.length - endBytes));
      tail = Buffer.concat([tail.subarray(Math.max(0, tail.length + last.length - endBytes)), last]);
    },
    head: () => head.toString('utf8'),
    tail: () => tail.toString('utf8'),
  };
}

export type Line = { readonly bytes: number } & (
  | { readonly whole: Buffer }
  | { readonly whole?: undefined; readonly ends: Overlong }
);
interface HeldLine {
  readonly bytes: number;
  add(part: Buffer): void;
  take(): Line;
}
/** Of a line with more than `limit` bytes only the ends are kept. */
function createHeldLine(limit: number): HeldLine {
  let parts: Buffer[] = [];
  let bytes = 0;
  let ends: Overlong | undefined;
  return {
    get bytes() {
      return bytes;
    },
    add: (part) => {
      bytes += part.length;
      if (ends) return ends.add(part);
      parts.push(part);
      if (bytes <= limit) return;
      ends = createOverlong();
      for (const kept of parts) ends.add(kept);
      parts = [];
    },
    take: () => {
      const [whole, only] = parts;
      const line = ends
        ? { ends, bytes }
        : { whole: whole && !only ? whole : Buffer.concat(parts, bytes), bytes };
      parts = [];
      bytes = 0;
      ends = undefined;
      return line;
    },
  };
}

/** An answer over the size limit reaches its caller as a JSON-RPC error, and the connection lives on. */
export class Inbox implements Found {
  readonly #around: Pick<Around, 'resultBytes' | 'notice'>;
  readonly #deliver: (message: JSONRPCMessage) => void;

  constructor(around: Pick<Around, 'resultBytes' | 'notice'>, deliver: (message: JSONRPCMessage) => void) {
    this.#around = around;
    this.#deliver = deliver;
  }
  message(value: object, bytes: number): void {
    // Batches were part of MCP 2025-03-26, and are still accepted.
    for (const one of Array.isArray(value) ? value : [value]) if (isObject(one)) this.#take(one, bytes);
  }
  #take(value: object, bytes: number): void {
    const message: Envelope = value;
    if (!isAnswer(message)) return this.#deliver(value as JSONRPCMessage);
    const answer = answerOf(message);
    const { id } = answer as { readonly id: RequestId };
    if (id !== message.id) this.#note(`an answer came with the id ${id} as text`);
    if (bytes > this.#around.resultBytes) return this.refuse(id, bytes);
    note(answer, { bytes });
    this.#deliver(answer);
  }
  /** A byte order mark before it is ignored. */
  text(text: string, bytes: number): void {
    readText(text, bytes, this);
  }
  garbage(text: string, bytes: number): void {
    this.#around.notice({ kind: 'garbage', text, bytes });
  }
  overlong(head: string, tail: string, bytes: number): void {
    const id = hasMethod(head, tail) ? undefined : idIn(head, tail);
    if (id === undefined) this.#around.notice({ kind: 'overlong', text: head, bytes });
    else this.refuse(answeredId(id) as RequestId, bytes);
  }
  refuse(id: RequestId, bytes: number): void {
    const error = tooLargeError(bytes, this.#around.resultBytes);
    this.#deliver({ jsonrpc: '2.0', id, error: { ...error } });
  }
  #note(text: string): void {
    this.#around.notice({ kind: 'protocol', text, bytes: 0 });
  }
}
