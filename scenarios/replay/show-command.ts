import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { untilAborted, type CommandContext, type ShowOptions } from '../../actors/cli/context.ts';
import { openPage } from '../../actors/cli/inspect.ts';
import { exitCodeAtEnd } from '../../actors/cli/exit-codes.ts';
import { recordingPage, showRecordings, type Recording } from '../../actors/inspector/recordings.ts';
import type { Checks } from '../../machines/inspection.ts';
import { readTrace, type Trace } from '../../machines/trace/index.ts';
import { checksOf } from './checks.ts';
import { recordedAgain } from './again/recorded-again.ts';
import { replayTrace, Unplayable } from './replay-trace.ts';
import { sha256Of } from './report/files.ts';
import { problemIn, problemOf } from './report/verdict.ts';

const unusable = 5;
const wrongUsage = 64;

const withoutLast = (text: string): string => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1);
/** Replays a trace to record everything that the machines did and remembered. */
function toFull(trace: Trace): { text: string; parted: number | undefined } {
  const again = { profile: 'full', reason: () => 'asked', hasFrames: true } as const;
  const { text, replay } = recordedAgain(trace, again, (watched) => replayTrace(trace, watched));
  const { recorded, inputs } = replay.difference ?? {};
  // Leaves out the end where the host wrote none, so that the page tells that it was killed.
  if (!trace.tail) return { text: withoutLast(text), parted: recorded?.s ?? inputs?.at(-1)?.s };
  return { text, parted: recorded?.s ?? inputs?.at(-1)?.s };
}

/** Whole lines of a file; half a line at its end is what a killed host was writing. */
function wholeLines(text: string): string {
  const end = text.lastIndexOf('\n') + 1;
  try {
    JSON.parse(text.slice(end));
    return `${text}\n`;
  } catch {
    return text.slice(0, end);
  }
}
interface Sound {
  readonly text: string;
  readonly trace: Trace;
  /** Description of the damage that ends the sound part; undefined when all is sound. */
  readonly damage: string | undefined;
}
/** Reads the part of a trace before its first damaged line. Returns an error text when not even its head is sound. */
function soundPart(file: string, text: string): Sound | string {
  const read = readTrace(text, sha256Of);
  if (read.ok) return { text: wholeLines(text), trace: read.trace, damage: undefined };
  const before = `${text
    .split('\n')
    .slice(0, read.line - 1)
    .join('\n')}\n`;
  const sound = readTrace(before, sha256Of);
  if (read.line < 3 || !sound.ok) return `${file}: line ${read.line}: ${read.problem}\n  ${read.remedy}`;
  const damage = `The file is damaged in line ${read.line}: ${read.problem}. What follows is not shown.`;
  return { text: before, trace: sound.trace, damage };
}
/**
 * Reads a trace file for a page, up to its first damage: as the file is, as today's code plays it, or by default the
 * first of the two that shows what machines remember. Returns an error text for what is no trace.
 */
export function recordingOf(
  file: string,
  notice: (text: string) => void,
  how?: 'recorded' | 'replayed',
): Recording | string {
  let text: string;
  try {
    const bytes = readFileSync(file);
    text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  } catch (error) {
    return `${file}: ${(error as Error).message}`;
  }
  const sound = soundPart(file, text);
  if (typeof sound === 'string') return sound;
  const { trace, damage } = sound;
  const { head } = trace;
  const { started } = head;
  const name = how === 'replayed' ? `${file}, replayed` : file;
  const about = { name, started, ...(damage !== undefined && { damage }) };
  if (damage !== undefined) notice(`${file}: ${damage}`);
  const checksBy =
    (whole: string) =>
    (name: string): Checks => {
      const shown = readTrace(whole, sha256Of);
      // Throws on an unreadable trace, because the text was written here a moment ago.
      if (!shown.ok) throw new Error(shown.problem);
      return checksOf(name, trace, shown.trace);
    };
  if (how === 'recorded' || (head.profile === 'full' && how === undefined))
    return { ...about, text: sound.text, checks: checksBy(sound.text) };
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
  return { ...about, text: full.text, checks: checksBy(full.text) };
}

/** Writes the page of recordings as one file, without the paths of the traces. Returns an error text when that fails. */
export async function writePage(html: string, recordings: readonly Recording[]): Promise<string | undefined> {
  const named = recordings.map((recording) => ({ ...recording, name: basename(recording.name) }));
  try {
    writeFileSync(html, await recordingPage(named), { mode: 0o600 });
    return undefined;
  } catch (error) {
    return `${html}: ${(error as Error).message}`;
  }
}
/** Runs `a2c show FILE...`: serves the page of a trace, or one page of several, until Ctrl-C. */
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
  const recordings: Recording[] = [];
  const ways = replay ? (['recorded', 'replayed'] as const) : [undefined];
  const read = files.flatMap((file) =>
    ways.map((how) => recordingOf(file, (text) => terminal.err(text), how)),
  );
  for (const recording of read) {
    if (typeof recording !== 'string') recordings.push(recording);
    else terminal.err(recording);
  }
  if (recordings.length < read.length) return unusable;
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
