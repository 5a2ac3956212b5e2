import { z } from 'zod';
import { revived } from './canonical.ts';
import { headSchema, recordSchema, tailSchema, traceFormat, type Head, type Tail } from './format.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { DirectoryRecord } from './record.ts';
import type { Step } from './step.ts';

/** A record as it stands in a trace. */
export interface TraceLine {
  readonly s: number;
  /** ms since the beginning; for people, never for a decision. */
  readonly t: number;
  /** On inputs: the rolling hash of everything before. */
  readonly check?: string;
  readonly record: DirectoryRecord | Step;
  /** The canonical text of the record alone: what two runs are compared by. */
  readonly text: string;
}
export interface Trace {
  readonly head: Head;
  readonly lines: readonly TraceLine[];
  /** Where it begins, when that is not the start of its host. */
  readonly key: { readonly frame: Checkpoint; readonly check: string } | undefined;
  /** Absent when the host died, or the last line is torn. */
  readonly tail: Tail | undefined;
  readonly isTorn: boolean;
}
export type TraceRead = { readonly ok: true; readonly trace: Trace } | Problem;

/** A line is its place, then the canonical text of the record without its first brace. */
const place = /^\{"s":\d+,"t":[\d.]+,(?:"check":"[0-9a-f]+",)?/;
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
  if (format !== traceFormat)
    return wrong(1, `it has the format ${format}, this version reads ${traceFormat}`, remedies.newer);
  const head = headSchema.safeParse(value);
  return head.success
    ? head.data
    : wrong(1, `its head is wrong: ${z.prettifyError(head.error)}`, remedies.damaged);
}
type Placed = (DirectoryRecord | Step) & Pick<TraceLine, 's' | 't' | 'check'>;
/** Read as it was meant: a number may be one that JSON cannot say. */
const meant = (value: unknown): unknown => {
  try {
    return revived(value);
  } catch {
    return undefined;
  }
};
function lineOf(row: string, value: unknown, at: number): TraceLine | Problem {
  const said = meant(value);
  const read = recordSchema.safeParse(said);
  if (!read.success) return wrong(at, `no record: ${z.prettifyError(read.error)}`, remedies.damaged);
  // What was read, not what zod made of it: that has its fields in another order.
  const { s, t, check, ...record } = said as Placed;
  return {
    s,
    t,
    ...(check !== undefined && { check }),
    record,
    text: textOfLine(row),
  };
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
  let key: Trace['key'];
  const done = (tail: Tail | undefined, isTorn = false): Read => ({ head, lines, key, tail, isTorn, texts });
  for (const [at, row] of rows.entries()) {
    if (at === 0) continue;
    const value = parsed(row);
    const isLast = at === rows.length - 1;
    if (value === undefined && isLast) return done(undefined, true);
    const { s, k } = (value ?? {}) as { s?: unknown; k?: unknown };
    const due = head.next + texts.length;
    if (value === undefined) return wrong(at + 1, 'no JSON', remedies.damaged);
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
    const line = lineOf(row, value, at + 1);
    if (isProblem(line)) return line;
    texts.push(line.text);
    // Told beside what happened: no replay needs it.
    if (k === 'frame') continue;
    if (k !== 'key') lines.push(line);
    // Later ones are there for a ring that forgets what is before them.
    else if (texts.length === 1)
      key = { frame: line.record as unknown as Checkpoint, check: line.check ?? '' };
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
