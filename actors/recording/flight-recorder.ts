/** Recording of a host: in memory, in a growing file, and written by itself when something fails. */
import { wireCodes } from '../../machines/protocol/failure.ts';
import { defaultStateDir } from '../../adapters/host-files.ts';
import {
  latestLines,
  openTraceFile,
  writeTraceFile,
  type TraceFile,
  createDigest,
  createRedactionKey,
  sha256Of,
} from '../../adapters/storage/traces.ts';
import { processFacts, systemClock } from '../../adapters/clock.ts';
import type { DirectoryRecord, Frame } from '../../machines/trace/record.ts';
import type { KeepWord } from '../../machines/trace/reasons.ts';
import type { Profile } from '../../machines/trace/format.ts';
import { version, xstateVersion } from '../../machines/version.ts';
import { A2cError, badRequest, notFound } from '../kernel/errors.ts';
import { kindsInProcess } from '../runtime/assemble.ts';
import type { Kinds } from '../runtime/part.ts';
import { wordsOf } from '../runtime/charts.ts';
import type { Tap } from '../runtime/directory.ts';
import { apiWords } from './host-words.ts';
import { isMinor, keptByDefault, KeptLately, Reasons, type Reason } from './reasons.ts';
import { Recorder, type RecorderOptions } from './recorder.ts';
import type { RedactHook } from '../secrets/hook-redactor.ts';
import type { KnownSecrets } from '../secrets/known-secrets.ts';
import type { FrameBounds, TraceWriter } from './trace-lines.ts';

/** Options of a host's recording, with which a failure can be replayed (docs/replay.md). */
export interface RecordOptions {
  /**
   * Contents of the recording. `boundary` (default): all that a replay needs. `steps`: also the steps of the
   * machines. `full`: also the changes of their contexts.
   */
  readonly profile?: Profile | undefined;
  /**
   * Folder to which everything is written as it happens. Without it, only the last `ringBytes` are kept, in
   * memory.
   */
  readonly dir?: string | undefined;
  /**
   * Events that cause the recording in memory to be written to `traces/` in `stateDir`; `onNotice` then gets what
   * happened and the command `a2c replay FILE`. The file is written when no such event came for 100 ms, after 3 s at
   * the latest. Default: all but `serverLost`, and of `callFailed` and `outputMismatch` only the first of each tool
   * and code; `[]` writes nothing. The limits of number, rate and size are in docs/replay.md. With `dir` such an event only adds a mark to the file.
   */
  readonly on?: readonly KeepWord[] | undefined;
  /**
   * Limit in bytes of the recording in memory, estimated; the oldest records are dropped first. Default 16 MiB,
   * and 1 MiB in addition for messages of servers.
   */
  readonly ringBytes?: number | undefined;
  /**
   * Texts that never appear in a trace, in addition to the secrets that are found by name and form
   * (docs/trace-format.md).
   */
  readonly secrets?: readonly string[] | undefined;
  /**
   * Hides further values when they are written: `(value, key) => unknown` gets each text, number and boolean with
   * the name of its field. The result is written in place of the value, and undefined hides the value. A function
   * that throws hides the value, too.
   */
  readonly redact?: RedactHook | undefined;
  /**
   * Key of the marks that replace secrets: two traces with the same key replace the same secret by the same mark.
   * Default: a new key, never stored.
   */
  readonly key?: string | undefined;
}
export interface FlightOptions {
  readonly record?: RecordOptions | false | undefined;
  readonly frames?: FrameBounds | undefined;
  /** Folder with `traces/` for traces that are written by themselves; `false` writes none. */
  readonly stateDir?: string | false | undefined;
  readonly notice?: ((text: string) => void) | undefined;
  readonly marked?: ((text: string) => void) | undefined;
  /** Servers and tools because of which a trace was written. */
  readonly traced?: ((subjects: readonly string[], file: string) => void) | undefined;
}
/** Trace that a host has written by itself. */
export interface KeptTrace {
  /** Path of the file. */
  readonly file: string;
  /** Failures for which it was written, in one line. */
  readonly what: string;
  /** Time at which it was written, ISO 8601. */
  readonly at: string;
}
/** From an event until its trace is written, so that the trace contains the consequences. */
const settleMs = 100;
const patienceMs = 3_000;
/** The latest, and of these as many as have room in the bytes. */
const keptTraces = { count: 20, bytes: 128 * 1024 * 1024 };
const longestMark = 200;
/** Limits of the earlier records that a new page gets: their number in memory, or their bytes at the end of a file. */
const pastRecords = 20_000;
const pastBytes = 16 * 1024 * 1024;

let named = 0;
/** Sorts by time; numbered, because two hosts of one process may write in the same millisecond. */
const nameNow = (reason: string): string => {
  named += 1;
  return `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${processFacts.pid}-${named}-${reason}`;
};

export class FlightRecorder {
  readonly #recorder: Recorder;
  readonly #options: FlightOptions;
  #file: TraceFile | undefined;
  #writer: TraceWriter | undefined;
  readonly #redact: (text: string) => string;
  readonly #wanted: ReadonlySet<KeepWord>;
  readonly #found = new Reasons();
  readonly #lately: KeptLately;
  #due: Due | undefined;
  #kept: readonly KeptTrace[] = [];
  /** Path of the finished file, with `dir`, after the recorder was closed. */
  #closed: string | undefined;

  constructor(options: FlightOptions, secrets: KnownSecrets, tap: Tap) {
    const { profile = 'boundary', dir, ringBytes, key, on } = options.record || {};
    this.#options = options;
    this.#lately = new KeptLately(on === undefined);
    this.#redact = (text) => secrets.redactor.text(text);
    this.#wanted = new Set(on ?? keptByDefault);
    this.#recorder = new Recorder({
      ...recorderOptions(secrets, profile, key),
      ...(ringBytes !== undefined && { ringBytes }),
      ...(options.frames && { frames: options.frames }),
      onEntry: (isFull) => (isFull ? this.#file?.flush() : this.#file?.wants()),
    });
    const { step } = this.#recorder;
    tap.add({ record: this.#record, ...(step && { step }) });
    if (dir === undefined) return;
    try {
      this.#file = this.#grow(dir);
    } catch (error) {
      throw cannotWrite(dir, error);
    }
  }
  #grow(dir: string): TraceFile {
    const { notice } = this.#options;
    this.#writer = this.#recorder.writer();
    let head = this.#recorder.head(1);
    return openTraceFile(dir, nameNow('host'), {
      take: () => {
        const text = head + (this.#writer?.lines(this.#recorder.take()) ?? '');
        head = '';
        return text;
      },
      onError: (error) => {
        this.#file = undefined;
        notice?.(`cannot record any more: ${error.message}`);
      },
    });
  }
  readonly frame = (frame: Frame, weight: number): void => void this.#recorder.frame(frame, weight);
  get path(): string | undefined {
    return this.#file?.path;
  }
  /** Throws with `dir`, because the records are in a file then. */
  text(): string {
    if (!this.#file) return this.#recorder.text('asked');
    throw new A2cError({
      code: wireCodes.conflict,
      message: `This host records to ${this.#file.path}`,
      remedy: `Replay that file: a2c replay ${this.#file.path}`,
    });
  }
  /** For a page that is opened now: slices of whole lines, ending with what happened before this call. */
  past(): AsyncIterable<string> {
    this.#file?.flush();
    if (this.#file) return latestLines(this.#file.path, pastBytes);
    return this.#recorder.past(
      pastRecords,
      () => new Promise((done) => void systemClock.setTimeout(done, 0)),
    );
  }
  /** With `dir` the remaining records go to the growing file, else all records in memory to a new one. */
  write(reason: string, dir: string): string {
    if (this.#closed !== undefined) return this.#closed;
    const file = this.#file;
    file?.flush();
    // Uses the records in memory when the flush above could not write the file.
    if (file && this.#file) return file.path;
    try {
      return writeTraceFile(dir, nameNow(reason), this.#recorder.text(reason));
    } catch (error) {
      throw cannotWrite(dir, error);
    }
  }
  mark(given: unknown): void {
    const text = String(given);
    this.#recorder.mark(text.length > longestMark ? `${text.slice(0, longestMark - 1)}…` : text);
  }
  readonly #record = (record: DirectoryRecord): void => {
    this.#recorder.record(record);
    const reason = this.#found.of(record);
    if (!reason || !this.#wanted.has(reason.on)) return;
    const now = systemClock.now();
    if (reason.isMore) return this.#explain(reason, now);
    const isKept = this.#lately.take(reason, now);
    // Each loss is told, although not each is worth a file.
    if (!isKept && reason.on !== 'serverLost') return;
    const due = (this.#due ??= {
      isKept: false,
      reasons: [],
      from: now,
      last: now,
      timer: undefined,
    });
    due.isKept ||= isKept;
    const { on, subject } = reason;
    // The end of the tries also tells of the loss.
    if (on === 'serverGaveUp') due.reasons = due.reasons.filter((one) => !isLossOf(subject, one));
    due.reasons = [...due.reasons, reason];
    due.last = now;
    due.timer ??= systemClock.setTimeout(() => this.#settle(due), settleMs);
  };
  #explain(reason: Reason, now: number): void {
    const due = this.#due;
    if (!due) return;
    due.reasons = due.reasons.map((one) => (isLossOf(reason.subject, one) ? reason : one));
    due.last = now;
  }
  /** Waits until nothing more came for a while, and for the explanation of a loss. */
  #settle(due: Due): void {
    const now = systemClock.now();
    const isOpen = now - due.last < settleMs || due.reasons.some((each) => each.isOpen);
    if (!isOpen || now - due.from >= patienceMs) return this.#keep();
    due.timer = systemClock.setTimeout(() => this.#settle(due), settleMs);
  }
  #keep(): void {
    const { reasons = [], isKept } = this.#due ?? {};
    this.#due = undefined;
    const { stateDir, notice, marked, traced } = this.#options;
    if (stateDir === false && !this.#file) return;
    const what = this.#redact(reasons.map((each) => each.what).join('; '));
    if (!isKept) return void notice?.(what);
    const tail = this.#redact(reasons.map(({ on, subject }) => `${on} ${subject}`).join(', '));
    const { on = 'fault' } = reasons.find((each) => !isMinor(each.on)) ?? reasons[0] ?? {};
    try {
      // Writes the trace before the call of `notice`, which would skip its arguments when there is no callback.
      const file = this.#written(tail, on);
      this.#kept = [...this.#kept, { file, what, at: new Date().toISOString() }].slice(-keptTraces.count);
      traced?.(
        reasons.map(({ subject }) => subject),
        file,
      );
      marked?.(`trace ${file}: ${what}`);
      notice?.(`${what}; see a2c replay ${file}`);
    } catch (error) {
      notice?.(`${what}; its trace could not be written: ${(error as Error).message}`);
    }
  }
  #written(reason: string, on: KeepWord): string {
    const dir = `${this.#options.stateDir || defaultStateDir()}/traces`;
    if (!this.#file) {
      return writeTraceFile(dir, nameNow(on), this.#recorder.text(reason), keptTraces);
    }
    this.mark(reason);
    return this.write(on, dir);
  }
  /** Oldest first; the latest 20. */
  get kept(): readonly KeptTrace[] {
    return this.#kept;
  }
  close(isQuiet: boolean): void {
    if (this.#due) {
      systemClock.clearTimeout(this.#due.timer);
      this.#keep();
    }
    const file = this.#file;
    const writer = this.#writer;
    if (!file || !writer) return;
    file.flush();
    file.append(this.#recorder.tail(isQuiet ? 'closed' : 'cut', writer));
    file.close();
    if (this.#file) this.#closed = file.path;
    this.#file = undefined;
  }
}
const isLossOf = (server: string, { on, subject }: Reason): boolean =>
  on === 'serverLost' && subject === server;
interface Due {
  /** False when a file of the last minute tells of the same. */
  isKept: boolean;
  reasons: readonly Reason[];
  readonly from: number;
  last: number;
  timer: unknown;
}
const cannotWrite = (dir: string, error: unknown): A2cError =>
  badRequest(`Cannot record to ${dir}: ${(error as Error).message}`, 'Name a folder that can be written.');
export const notRecorded = notFound(
  'This host records nothing: it was started with record: false',
  'Leave `record` out, or give a folder: record: { dir: "traces" }',
);

let words: { readonly all: ReadonlySet<string>; readonly kinds: number } | undefined;
/** Hidden only under names of secrets. Collected on first use: it takes a few ms, and most hosts have no secret. */
export function ownWords(kinds: Kinds = kindsInProcess): ReadonlySet<string> {
  const names = Object.keys(kinds);
  if (words?.kinds !== names.length)
    words = {
      kinds: names.length,
      all: new Set([...Object.values(kinds).flatMap(wordsOf), ...apiWords(names)]),
    };
  return words.all;
}

export function recorderOptions(secrets: KnownSecrets, profile: Profile, key?: string): RecorderOptions {
  const { hash, keyId } = createRedactionKey(key);
  return {
    profile,
    ...secrets.inTrace(hash, ownWords),
    now: systemClock.now,
    wallClock: () => Date.now(),
    sha256: (text) => sha256Of([text]),
    digest: createDigest,
    about: {
      runtime: version,
      xstate: xstateVersion,
      node: processFacts.node,
      clock: 'real',
      started: new Date().toISOString(),
      redaction: { keyId },
    },
  };
}
