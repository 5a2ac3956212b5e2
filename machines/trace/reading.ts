/** Reads the lines of a trace, and says where one is wrong. */
import { z } from 'zod';
import { revived, type Lists } from './canonical.ts';
import type { Crossing } from './channels.ts';
import { headSchema, recordSchema, tailSchema, traceFormat, type Head, type Tail } from './format.ts';
import { fieldsOf, jsonIn } from '../protocol/json.ts';
import type { Facts, FrameVia, Mark, DirectoryRecord, Step } from './record.ts';

export type CrossingLine = Crossing & {
  /** Wall clock in ms since 1970. */
  readonly w: number;
  /** Only for people to read. */
  readonly a?: string;
};
/** Kept as an explanation; no comparison of traces uses them. */
type InnerRecord = Extract<DirectoryRecord, { k: 'post' | 'open' | 'end' | 'timer' }> | Step;
export interface TraceLine {
  readonly s: number;
  /** In ms since the beginning of the trace. */
  readonly t: number;
  readonly record: CrossingLine | InnerRecord | Mark;
  /** Canonical, without the number and times of the record. */
  readonly text: string;
}
export interface FrameLine {
  readonly s: number;
  readonly t: number;
  readonly via: FrameVia;
  readonly a: string;
  readonly by?: string;
  readonly dir: 'in' | 'out';
  readonly of?: string;
  /** Absent when it was too long to record. */
  readonly json?: unknown;
}
export interface Trace {
  readonly head: Head;
  readonly lines: readonly TraceLine[];
  /** At the first kept record; present only when the recorder dropped the beginning. */
  readonly facts: { readonly t: number; readonly facts: Facts } | undefined;
  /** A replay does not need them. */
  readonly frames?: readonly FrameLine[];
  /** Absent when the host died or the last line is incomplete. */
  readonly tail: Tail | undefined;
  readonly isTorn: boolean;
}
export const isCrossing = (record: TraceLine['record']): record is CrossingLine => 'ch' in record;

export type TraceRead = { readonly ok: true; readonly trace: Trace } | Problem;

/** Number and times; the rest is the canonical text of the record without its first brace. */
const place = /^\{"s":\d+,"t":[\d.]+,(?:"w":[\d.]+,)?/;
export const textOfLine = (line: string): string => line.replace(place, '{');

export interface Problem {
  readonly ok: false;
  readonly line: number;
  readonly problem: string;
  readonly remedy: string;
}
export const isProblem = (value: object): value is Problem => 'ok' in value;
const wrong = (line: number, problem: string, remedy: string): Problem => ({
  ok: false,
  line,
  problem,
  remedy,
});
const remedies = {
  other: 'Is it a trace? Record one with: a2c up --record DIR',
  damaged: 'Fetch the file again from where it was written; a part of it is missing or was changed.',
};

/** With the day, because versions before the release of 0.1.0 all call themselves 0.1.0. */
export function writerOf(head: unknown): string {
  const { runtime, started } = fieldsOf(head);
  const [day] = typeof started === 'string' ? (/^\d{4}-\d\d-\d\d/.exec(started) ?? []) : [];
  return `${(typeof runtime === 'string' ? runtime : 'unknown').slice(0, 40)}${day === undefined ? '' : ` of ${day}`}`;
}
function headOf(line: string): Head | Problem {
  const value = jsonIn(line);
  const format = (value as { format?: unknown } | null | undefined)?.format;
  if (line === '') return wrong(1, 'it is empty', remedies.other);
  if (typeof format !== 'string' || !format.startsWith('a2c-trace/'))
    return wrong(1, 'its first line is no head of an a2c-trace', remedies.other);
  if (format !== traceFormat)
    return wrong(
      1,
      `it has the format ${format}, this version reads ${traceFormat}`,
      `Replay it with the version of a2c-actors that wrote it, ${writerOf(value)}, or record it again.`,
    );
  const head = headSchema.safeParse(value);
  return head.success
    ? head.data
    : wrong(1, `its head is wrong: ${z.prettifyError(head.error)}`, remedies.damaged);
}
type Placed = (TraceLine['record'] | List | Facts) & Pick<TraceLine, 's' | 't'>;
interface List {
  readonly k: 'list';
  readonly h: string;
  readonly v: readonly unknown[];
}
type AnyLine = Omit<TraceLine, 'record'> & { readonly record: TraceLine['record'] | List | Facts };
function lineOf(row: string, value: unknown, at: number, lists: Lists): AnyLine | Problem {
  let said: unknown;
  try {
    // Decodes special forms before validation, because a number may be one that JSON cannot hold, such as Infinity.
    said = revived(value, lists);
  } catch (error) {
    return wrong(at, `no record: ${(error as Error).message}`, remedies.damaged);
  }
  const read = recordSchema.safeParse(said);
  if (!read.success) return wrong(at, `no record: ${z.prettifyError(read.error)}`, remedies.damaged);
  // Uses the decoded value instead of zod's output, because zod changes the order of the fields.
  const { s, t, ...record } = said as Placed;
  return { s, t, record, text: textOfLine(row) };
}

interface Digest {
  add(text: string): void;
  value(): string;
}
/** Keeps only head, tail and shared lists of the file. A given digest is verified. */
export class TraceReader {
  head: Head | undefined;
  tail: Tail | undefined;
  readonly #digest: Digest | undefined;
  readonly #lists = new Map<string, readonly unknown[]>();
  #rows = 0;
  #records = 0;
  #torn = 0;

  constructor(digest?: Digest) {
    this.#digest = digest;
  }
  /** At the end of a file such a line was cut off in writing. */
  get isTorn(): boolean {
    return this.#torn > 0;
  }
  /** Undefined for head, tail and a torn line. */
  take(line: string): AnyLine | Problem | undefined {
    this.#rows += 1;
    const at = this.#rows;
    // Accepts a byte order mark and CRLF, because editors and git on Windows may add them.
    const row = (at === 1 ? line.replace(/^\uFEFF/, '') : line).replace(/\r$/, '');
    if (!this.head) return this.#begin(row);
    if (this.#torn > 0) return wrong(this.#torn, 'no JSON', remedies.damaged);
    if (this.tail) return wrong(at, 'there are lines after its tail', remedies.damaged);
    const value = jsonIn(row);
    if (value === undefined) {
      this.#torn = at;
      return undefined;
    }
    const { s, k } = (value ?? {}) as { s?: unknown; k?: unknown };
    const due = this.head.next + this.#records;
    if (s !== due) {
      const missing = `record ${due} is missing: ${String(s)} comes instead`;
      return wrong(at, typeof s === 'number' ? missing : 'no record: it has no number', remedies.damaged);
    }
    if (k === 'tail') return this.#end(value, at);
    const read = lineOf(row, value, at, this.#lists);
    if (isProblem(read)) return read;
    this.#records += 1;
    this.#digest?.add(read.text);
    if (read.record.k === 'list') this.#lists.set(read.record.h, read.record.v);
    return read;
  }
  #begin(row: string): Problem | undefined {
    const head = headOf(row);
    if (isProblem(head)) return head;
    this.head = head;
    return undefined;
  }
  #end(value: unknown, at: number): Problem | undefined {
    const tail = tailSchema.safeParse(value);
    if (!tail.success)
      return wrong(at, `its tail is wrong: ${z.prettifyError(tail.error)}`, remedies.damaged);
    if (this.#digest && this.#digest.value() !== tail.data.digest)
      return wrong(at, 'its digest does not fit its lines', remedies.damaged);
    this.tail = tail.data;
    return undefined;
  }
}
export class TraceCollector {
  readonly #reader: TraceReader;
  readonly #lines: TraceLine[] = [];
  readonly #frames: FrameLine[] = [];
  #facts: Trace['facts'];

  constructor(digest?: Digest) {
    this.#reader = new TraceReader(digest);
  }
  take(row: string): Problem | undefined {
    const line = this.#reader.take(row);
    if (!line || isProblem(line)) return line;
    const { record, s, t } = line;
    if (record.k === 'list') return undefined;
    if (record.k === 'facts') this.#facts = { t, facts: record };
    else if ((record.k as string) !== 'frame') this.#lines.push(line as TraceLine);
    else this.#frames.push({ ...(record as unknown as FrameLine), s, t });
    return undefined;
  }
  /** Call it only after the last line, when there was a line and none was wrong. */
  get trace(): Trace {
    const { head, tail, isTorn } = this.#reader;
    if (!head) throw new Error('No line was read');
    return { head, lines: this.#lines, frames: this.#frames, facts: this.#facts, tail, isTorn };
  }
}

/** An incomplete last line is accepted: a killed host leaves one. With `sha256` the digest is verified. */
export function readTrace(text: string, sha256?: (texts: Iterable<string>) => string): TraceRead {
  const rows = text.split('\n');
  if (rows.length > 1 && rows.at(-1) === '') rows.pop();
  const texts: string[] = [];
  const digest = sha256 && { add: (line: string) => void texts.push(line), value: () => sha256(texts) };
  return readRows(rows, digest);
}
/** There is at least one line, which may be empty. */
export function readRows(rows: Iterable<string>, digest?: Digest): TraceRead {
  const collector = new TraceCollector(digest);
  for (const row of rows) {
    const problem = collector.take(row);
    if (problem) return problem;
  }
  return { ok: true, trace: collector.trace };
}
