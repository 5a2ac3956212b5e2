import type { ShowOptions } from '../../actors/cli/laboratory.ts';
import { createWriteStream, existsSync } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { untilAborted, type CommandContext } from '../../actors/cli/context.ts';
import { openPage } from '../../actors/cli/inspect.ts';
import { exitCodeAtEnd } from '../../actors/cli/exit-codes.ts';
import { recordingPage, showRecordings, type Recording } from '../../actors/inspector/recordings.ts';
import type { Checks } from '../../machines/inspection.ts';
import {
  isProblem,
  TraceCollector,
  TraceReader,
  type Problem,
  type Trace,
} from '../../machines/trace/reading.ts';
import type { Head } from '../../machines/trace/format.ts';
import { checksOf, type ShownRecord } from './checks.ts';
import { recordedAgain } from './again/recorded-again.ts';
import { replayTrace, Unplayable } from './replay-trace.ts';
import { createDigest, isUnpackable, rowsIn } from './report/files.ts';
import { reasonsOf } from './report/outcome.ts';
import { problemIn, problemOf } from './report/verdict.ts';

const unusable = 5;
const wrongUsage = 64;

interface Sound {
  readonly file: string;
  readonly head: Head;
  readonly rows: number;
  readonly chars: number;
  readonly damage: string | undefined;
}
const isUnread = (error: unknown): boolean => (error as NodeJS.ErrnoException).syscall !== undefined;
/** Keeps nothing in memory; returns an error text when not even the head is sound. */
async function soundPart(file: string): Promise<Sound | string> {
  const reader = new TraceReader(createDigest());
  let [rows, chars] = [0, 0];
  const shown = (line: number, problem: string): Sound | string => {
    const damage = `The file is damaged in line ${line}: ${problem}. What follows is not shown.`;
    return reader.head && line > 2
      ? { file, head: reader.head, rows: line - 1, chars, damage }
      : `${file}: line ${line}: ${problem}`;
  };
  const wrong = ({ line, problem, remedy }: Problem): Sound | string => {
    const found = shown(line, problem);
    return typeof found === 'string' ? `${found}\n  ${remedy}` : found;
  };
  try {
    for await (const some of rowsIn(file))
      for (const row of some) {
        const read = reader.take(row);
        if (read && isProblem(read)) return wrong(read);
        rows += 1;
        chars += row.length;
      }
  } catch (error) {
    if (isUnread(error)) return `${file}: ${(error as Error).message}`;
    if (!isUnpackable(error)) throw error;
    return shown(reader.isTorn ? rows : rows + 1, `it cannot be unpacked: ${(error as Error).message}`);
  }
  const nothing = rows === 0 ? reader.take('') : undefined;
  if (nothing && isProblem(nothing)) return wrong(nothing);
  // Half a line at the end is what a killed host was writing.
  return { file, head: reader.head as Head, rows: reader.isTorn ? rows - 1 : rows, chars, damage: undefined };
}
async function* soundRows({ file, rows }: Pick<Sound, 'file' | 'rows'>): AsyncGenerator<readonly string[]> {
  let left = rows;
  for await (const some of rowsIn(file)) {
    yield some.slice(0, left);
    left -= some.length;
    if (left <= 0) return;
  }
}
const textOf = (rows: readonly string[]): string => rows.map((row) => `${row}\n`).join('');
async function* soundText(sound: Sound): AsyncGenerator<string> {
  for await (const rows of soundRows(sound)) yield textOf(rows);
}
async function traceOf(sound: Sound): Promise<Trace> {
  const collector = new TraceCollector();
  for await (const rows of soundRows(sound)) for (const row of rows) collector.take(row);
  return collector.trace;
}

class PackedText {
  readonly #parts: Buffer[] = [];
  #waiting = '';
  rows = 0;
  chars = 0;

  readonly add = (text: string): void => {
    this.chars += text.length;
    this.#waiting += text;
    if (this.#waiting.length > packedChars) this.#pack();
  };
  #pack(): void {
    for (let at = this.#waiting.indexOf('\n'); at >= 0; at = this.#waiting.indexOf('\n', at + 1))
      this.rows += 1;
    this.#parts.push(gzipSync(this.#waiting, { level: 1 }));
    this.#waiting = '';
  }
  end(): void {
    if (this.#waiting !== '') this.#pack();
  }
  async *text(): AsyncGenerator<string> {
    for (const part of this.#parts) yield gunzipSync(part).toString('utf8');
  }
}
const packedChars = 1024 * 1024;
function toFull(trace: Trace): { packed: PackedText; parted: number | undefined } {
  const packed = new PackedText();
  // Writes no end where the host wrote none, so that the page tells that it was killed.
  const hasTail = trace.tail !== undefined;
  const again = {
    profile: 'full',
    reason: () => reasonsOf(trace).join(', ') || 'asked',
    hasFrames: true,
    hasTail,
    write: packed.add,
  } as const;
  const { replay } = recordedAgain(trace, again, (watched) => replayTrace(trace, watched));
  packed.end();
  const { recorded, inputs } = replay.difference ?? {};
  return { packed, parted: recorded?.s ?? inputs?.at(-1)?.s };
}

const checksBy =
  (text: () => AsyncIterable<string>, trace: () => Promise<Trace>) =>
  async (name: string): Promise<Checks> => {
    const shown: ShownRecord[] = [];
    for await (const part of text())
      for (const row of part.split('\n')) {
        if (row === '') continue;
        const { s, t, k, ch } = JSON.parse(row) as ShownRecord;
        shown.push({ s, t, k, ch });
      }
    return checksOf(name, await trace(), shown);
  };
/** By default the file as it is, else as today's code plays it: the first that shows what machines remember. */
export async function recordingOf(
  file: string,
  notice: (text: string) => void,
  how?: 'recorded' | 'replayed',
): Promise<Recording | string> {
  const sound = await soundPart(file);
  if (typeof sound === 'string') return sound;
  const { head, damage, rows, chars } = sound;
  const { started } = head;
  const name = how === 'replayed' ? `${file}, replayed` : file;
  const about = { name, started, ...(damage !== undefined && { damage }) };
  if (damage !== undefined) notice(`${file}: ${damage}`);
  if (how === 'recorded' || (head.profile === 'full' && how === undefined)) {
    const text = (): AsyncIterable<string> => soundText(sound);
    return { ...about, rows, chars, text, checks: checksBy(text, () => traceOf(sound)) };
  }
  const trace = await traceOf(sound);
  const problem = problemOf(trace);
  if (problem) return `${file}: ${problem.message}\n  ${problem.remedy}`;
  let full: ReturnType<typeof toFull>;
  try {
    full = toFull(trace);
  } catch (error) {
    if (!(error instanceof Unplayable)) throw error;
    const { message, remedy } = problemIn(trace, error);
    return `${file}: ${message}\n  ${remedy}`;
  }
  if (full.parted !== undefined)
    notice(
      `today's code does something else at record ${full.parted}: from there on it is shown as it is now`,
    );
  const text = (): AsyncIterable<string> => full.packed.text();
  return {
    ...about,
    rows: full.packed.rows,
    chars: full.packed.chars,
    text,
    checks: checksBy(text, async () => trace),
  };
}

/** Leaves out the paths of the traces; returns an error text when writing fails. */
export async function writePage(html: string, recordings: readonly Recording[]): Promise<string | undefined> {
  const named = recordings.map((recording) => ({ ...recording, name: basename(recording.name) }));
  try {
    await pipeline(Readable.from(recordingPage(named)), createWriteStream(html, { mode: 0o600 }));
    return undefined;
  } catch (error) {
    return `${html}: ${(error as Error).message}`;
  }
}
export async function showCommand(
  context: CommandContext,
  files: readonly string[],
  { port, html, browser, replay }: ShowOptions,
): Promise<number> {
  const { terminal, signal } = context;
  if (replay && files.length > 1) {
    terminal.err('error: --replay takes one trace; two are shown side by side without it');
    return wrongUsage;
  }
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) {
    terminal.err(`error: ${missing}: no such trace`);
    return wrongUsage;
  }
  const recordings: Recording[] = [];
  const ways = replay ? (['recorded', 'replayed'] as const) : [undefined];
  for (const file of files)
    for (const how of ways) {
      const recording = await recordingOf(file, (text) => terminal.err(text), how);
      if (typeof recording !== 'string') recordings.push(recording);
      else terminal.err(recording);
    }
  if (recordings.length < files.length * ways.length) return unusable;
  if (html !== undefined) {
    const problem = await writePage(html, recordings);
    if (problem === undefined) terminal.out(html);
    else terminal.err(problem);
    return problem === undefined ? 0 : 1;
  }
  await using shown = await showRecordings(recordings, port);
  terminal.out(shown.url);
  terminal.err('Ctrl-C closes it');
  await openPage(context, shown.url, browser);
  await untilAborted(signal);
  return exitCodeAtEnd(signal);
}
