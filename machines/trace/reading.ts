import { z } from 'zod';
import { revived } from './canonical.ts';
import { headSchema, recordSchema, tailSchema, traceFormat, type Head, type Tail } from './format.ts';
import type { DirectoryRecord } from './record.ts';
import type { Step } from './step.ts';

/** A record as it stands in a trace. */
export interface TraceLine {
  readonly s: number;
  /** ms since the beginning; for people, never for a decision. */
  readonly t: number;
  /** On inputs: the check of everything before. */
  readonly check?: string;
  readonly record: DirectoryRecord | Step;
  /** The canonical text of the record alone: what two runs are compared by. */
  readonly text: string;
}
export interface Trace {
  readonly head: Head;
  readonly lines: readonly TraceLine[];
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
  if (typeof format !== 'string' || !format.startsWith('a2c-trace/'))
    return wrong(1, 'its first line is no head of an a2c-trace', remedies.other);
  if (format !== traceFormat)
    return wrong(1, `it has the format ${format}, this version reads ${traceFormat}`, remedies.newer);
  const head = headSchema.safeParse(value);
  return head.success
    ? head.data
    : wrong(1, `its head is wrong: ${z.prettifyError(head.error)}`, remedies.damaged);
}
function lineOf(row: string, value: unknown, at: number): TraceLine | Problem {
  const read = recordSchema.safeParse(value);
  if (!read.success) return wrong(at, `no record: ${z.prettifyError(read.error)}`, remedies.damaged);
  const { s, t, check, ...record } = { check: undefined, ...read.data };
  return {
    s,
    t,
    ...(check !== undefined && { check }),
    record: revived(record) as DirectoryRecord | Step,
    text: textOfLine(row),
  };
}

function readLines(text: string): Trace | Problem {
  const rows = text.split('\n');
  if (rows.at(-1) === '') rows.pop();
  const head = headOf(rows[0]);
  if (isProblem(head)) return head;
  const lines: TraceLine[] = [];
  for (const [at, row] of rows.entries()) {
    if (at === 0) continue;
    const value = parsed(row);
    const isLast = at === rows.length - 1;
    if (value === undefined && isLast) return { head, lines, tail: undefined, isTorn: true };
    const { s, k } = (value ?? {}) as { s?: unknown; k?: unknown };
    const due = head.next + lines.length;
    if (value === undefined) return wrong(at + 1, 'no JSON', remedies.damaged);
    if (s !== due)
      return wrong(at + 1, `record ${due} is missing (${JSON.stringify(s)} comes)`, remedies.damaged);
    if (k === 'tail') {
      const tail = tailSchema.safeParse(value);
      if (!tail.success || !isLast) return wrong(at + 1, 'a tail that is none', remedies.damaged);
      return { head, lines, tail: tail.data, isTorn: false };
    }
    const line = lineOf(row, value, at + 1);
    if (isProblem(line)) return line;
    lines.push(line);
  }
  return { head, lines, tail: undefined, isTorn: false };
}

/** Reads a whole file. A torn last line is what a killed host leaves behind, and no mistake. */
export function readTrace(text: string, sha256?: (texts: Iterable<string>) => string): TraceRead {
  const trace = readLines(text);
  if (isProblem(trace)) return trace;
  const { tail, lines } = trace;
  if (tail && sha256 && sha256(lines.map((line) => line.text)) !== tail.digest)
    return wrong(lines.length + 2, 'its digest does not fit its lines', remedies.damaged);
  return { ok: true, trace };
}
