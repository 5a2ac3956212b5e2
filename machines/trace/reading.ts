import { z } from 'zod';
import { revived, type Lists } from './canonical.ts';
import type { Crossing } from './channels.ts';
import { headSchema, recordSchema, tailSchema, traceFormat, type Head, type Tail } from './format.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Facts } from './facts.ts';
import type { FrameVia } from './frame.ts';
import type { Mark } from './mark.ts';
import type { DirectoryRecord } from './record.ts';
import type { Step } from './step.ts';
import { isReadable, upcast } from './upcasters.ts';

/** Boundary crossing as read from a trace file. */
export type CrossingLine = Crossing & {
  /** Wall clock in ms since 1970. */
  readonly w: number;
  /** Address of the machine; only for people to read. */
  readonly a?: string;
};
/** Records between machines, kept as an explanation; no comparison of traces uses them. */
export type InnerRecord =
  | Extract<DirectoryRecord, { k: 'post' | 'open' | 'end' | 'timer' }>
  | Step
  | Checkpoint;
/** Record as read from a trace file. */
export interface TraceLine {
  readonly s: number;
  /** Time in ms since the beginning of the trace. */
  readonly t: number;
  readonly record: CrossingLine | InnerRecord | Mark;
  /** Canonical text of the record, without its number and times. */
  readonly text: string;
}
/** Message on the wire as read from a trace file. */
export interface FrameLine {
  readonly s: number;
  readonly t: number;
  readonly via: FrameVia;
  readonly a: string;
  readonly by?: string;
  readonly dir: 'in' | 'out';
  /** Channel that carried the message. */
  readonly of?: string;
  /** Content of the message; absent when it was too long to record. */
  readonly json?: unknown;
}
export interface Trace {
  readonly head: Head;
  readonly lines: readonly TraceLine[];
  /** State at the first kept record; present only when the recorder dropped the beginning. */
  readonly facts: { readonly t: number; readonly facts: Facts } | undefined;
  /** Messages on the wire; a replay does not need them. */
  readonly frames?: readonly FrameLine[];
  /** Closing line of the file; absent when the host died or the last line is incomplete. */
  readonly tail: Tail | undefined;
  readonly isTorn: boolean;
}
/** Tells whether a record crosses the boundary. */
export const isCrossing = (record: TraceLine['record']): record is CrossingLine => 'ch' in record;

export type TraceRead = { readonly ok: true; readonly trace: Trace } | Problem;

/**
 * Matches the number and times at the start of a line; the rest is the canonical text of the record without
 * its first brace.
 */
const place = /^\{"s":\d+,"t":[\d.]+,(?:"w":[\d.]+,)?/;
export const textOfLine = (line: string): string => line.replace(place, '{');

interface Problem {
  readonly ok: false;
  readonly line: number;
  readonly problem: string;
  readonly remedy: string;
}
const isProblem = (value: object): value is Problem => 'ok' in value;
const wrong = (line: number, problem: string, remedy: string): Problem => ({
  ok: false,
  line,
  problem,
  remedy,
});
const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};
const remedies = {
  other: 'Is it a trace? Record one with: a2c up --record DIR',
  damaged: 'Fetch the file again from where it was written; a part of it is missing or was changed.',
  newer: 'Replay it with the version of a2c-actors that wrote it.',
};

function headOf(line: string | undefined): Head | Problem {
  const value = parsed(line ?? '');
  const format = (value as { format?: unknown } | null | undefined)?.format;
  if (line === undefined || line === '') return wrong(1, 'it is empty', remedies.other);
  if (typeof format !== 'string' || !format.startsWith('a2c-trace/'))
    return wrong(1, 'its first line is no head of an a2c-trace', remedies.other);
  if (!isReadable(format))
    return wrong(1, `it has the format ${format}, this version reads ${traceFormat}`, remedies.newer);
  const head = headSchema.safeParse(upcast(value, format));
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
    // Special forms are decoded before validation, because a number may be one that JSON cannot hold, such as
    // Infinity.
    said = revived(value, lists);
  } catch (error) {
    return wrong(at, `no record: ${(error as Error).message}`, remedies.damaged);
  }
  const read = recordSchema.safeParse(said);
  if (!read.success) return wrong(at, `no record: ${z.prettifyError(read.error)}`, remedies.damaged);
  // The decoded value is used instead of zod's output, because zod changes the order of the fields.
  const { s, t, ...record } = said as Placed;
  return { s, t, record, text: textOfLine(row) };
}

type Read = Trace & { readonly texts: readonly string[] };

/** Reads line by line and stops at the first invalid one. */
function readLines(text: string): Read | Problem {
  // A byte order mark and CRLF are accepted, because editors and git on Windows may add them.
  const rows = text.replace(/^\uFEFF/, '').split(text.includes('\r') ? /\r?\n/ : '\n');
  if (rows.at(-1) === '') rows.pop();
  const head = headOf(rows[0]);
  if (isProblem(head)) return head;
  const lines: TraceLine[] = [];
  const texts: string[] = [];
  const lists = new Map<string, readonly unknown[]>();
  const frames: FrameLine[] = [];
  let facts: Trace['facts'];
  const done = (tail: Tail | undefined, isTorn = false): Read => ({
    head,
    lines,
    frames,
    facts,
    tail,
    isTorn,
    texts,
  });
  for (const [at, row] of rows.entries()) {
    if (at === 0) continue;
    const written = parsed(row);
    const isLast = at === rows.length - 1;
    if (written === undefined && isLast) return done(undefined, true);
    if (written === undefined) return wrong(at + 1, 'no JSON', remedies.damaged);
    const value = upcast(written, head.format);
    const { s, k } = (value ?? {}) as { s?: unknown; k?: unknown };
    const due = head.next + texts.length;
    if (s !== due)
      return wrong(
        at + 1,
        typeof s === 'number'
          ? `record ${due} is missing: ${s} comes instead`
          : 'no record: it has no number',
        remedies.damaged,
      );
    if (k === 'tail') {
      const tail = tailSchema.safeParse(value);
      if (!tail.success)
        return wrong(at + 1, `its tail is wrong: ${z.prettifyError(tail.error)}`, remedies.damaged);
      if (!isLast) return wrong(at + 2, 'there are lines after its tail', remedies.damaged);
      return done(tail.data);
    }
    const line = lineOf(row, value, at + 1, lists);
    if (isProblem(line)) return line;
    const { record } = line;
    texts.push(line.text);
    if (record.k === 'list') lists.set(record.h, record.v);
    else if (record.k === 'facts') facts = { t: line.t, facts: record };
    else if ((record.k as string) !== 'frame') lines.push(line as TraceLine);
    // Messages on the wire are collected separately, because a replay does not need them.
    else frames.push({ ...(record as unknown as FrameLine), s: line.s, t: line.t });
  }
  return done(undefined);
}

/**
 * Reads a whole trace file. An incomplete last line is accepted: a killed host leaves one behind. With
 * `sha256`, the digest of the lines is verified too.
 */
export function readTrace(text: string, sha256?: (texts: Iterable<string>) => string): TraceRead {
  const trace = readLines(text);
  if (isProblem(trace)) return trace;
  const { tail, texts } = trace;
  if (tail && sha256 && sha256(texts) !== tail.digest)
    return wrong(texts.length + 2, 'its digest does not fit its lines', remedies.damaged);
  return { ok: true, trace };
}
