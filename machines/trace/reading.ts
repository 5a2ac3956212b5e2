import { z } from 'zod';
import { revived, type Lists } from './canonical.ts';
import type { Crossing } from './channels.ts';
import { headSchema, recordSchema, tailSchema, traceFormat, type Head, type Tail } from './format.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { Facts } from './facts.ts';
import type { Mark } from './mark.ts';
import type { DirectoryRecord } from './record.ts';
import type { Step } from './step.ts';
import { isReadable, upcast } from './upcasters.ts';

/** Crossing of the boundary, as a trace has it. */
export type CrossingLine = Crossing & {
  /** ms since 1970. */
  readonly w: number;
  /** Address of the machine, for people. */
  readonly a?: string;
};
/** Records between machines: an explanation, which no verdict compares. */
export type InnerRecord =
  | Extract<DirectoryRecord, { k: 'post' | 'open' | 'end' | 'timer' }>
  | Step
  | Checkpoint;
/** A record as it stands in a trace. */
export interface TraceLine {
  readonly s: number;
  /** ms since the beginning. */
  readonly t: number;
  readonly record: CrossingLine | InnerRecord | Mark;
  /** The canonical text of the record alone. */
  readonly text: string;
}
/** A message on the wire, as a trace has it. */
export interface FrameLine {
  readonly s: number;
  readonly t: number;
  readonly via: 'mcp' | 'socket';
  readonly dir: 'in' | 'out';
  /** Channel that it passed. */
  readonly of?: string;
  /** Absent where it was too long. */
  readonly json?: unknown;
}
export interface Trace {
  readonly head: Head;
  readonly lines: readonly TraceLine[];
  /** Where it begins, when its recorder has forgotten the beginning. */
  readonly facts: { readonly t: number; readonly facts: Facts } | undefined;
  /** Messages on the wire, which no replay needs. */
  readonly frames?: readonly FrameLine[];
  /** Absent when the host died, or the last line is torn. */
  readonly tail: Tail | undefined;
  readonly isTorn: boolean;
}
/** Whether a record crosses the boundary. */
export const isCrossing = (record: TraceLine['record']): record is CrossingLine => 'ch' in record;

export type TraceRead = { readonly ok: true; readonly trace: Trace } | Problem;

/** A line is its place, then the canonical text of the record without its first brace. */
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
    // Read as it was meant: a number may be one that JSON cannot say.
    said = revived(value, lists);
  } catch (error) {
    return wrong(at, `no record: ${(error as Error).message}`, remedies.damaged);
  }
  const read = recordSchema.safeParse(said);
  if (!read.success) return wrong(at, `no record: ${z.prettifyError(read.error)}`, remedies.damaged);
  // What was read, not what zod made of it: that has its fields in another order.
  const { s, t, ...record } = said as Placed;
  return { s, t, record, text: textOfLine(row) };
}

type Read = Trace & { readonly texts: readonly string[] };

/** One line after another; the first that is wrong ends it. */
function readLines(text: string): Read | Problem {
  // As an editor or git on Windows may leave it.
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
    // They stand beside what happened: no replay needs them.
    else frames.push({ ...(record as unknown as FrameLine), s: line.s, t: line.t });
  }
  return done(undefined);
}

/** Reads a whole file. A torn last line is what a killed host leaves behind, and no mistake. */
export function readTrace(text: string, sha256?: (texts: Iterable<string>) => string): TraceRead {
  const trace = readLines(text);
  if (isProblem(trace)) return trace;
  const { tail, texts } = trace;
  if (tail && sha256 && sha256(texts) !== tail.digest)
    return wrong(texts.length + 2, 'its digest does not fit its lines', remedies.damaged);
  return { ok: true, trace };
}
