import {
  defaultStateDir,
  openTraceFile,
  processFacts,
  systemClock,
  writeTraceFile,
  type TraceFile,
} from '../../adapters/index.ts';
import type { Profile } from '../../machines/trace/index.ts';
import { A2cError } from '../api/errors.ts';
import type { Directory } from '../runtime/directory.ts';
import { pictureOf } from './checkpoint.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { Recorder, type TraceWriter } from './recorder.ts';
import type { Tap } from '../runtime/tap.ts';

/** How a host records what its machines are told, so that a failure can be replayed (docs/replay.md). */
export interface RecordOptions {
  /** `inputs` (default): enough to replay. `steps`: also what the machines did. `full`: and what they remembered. */
  readonly profile?: Profile;
  /** A folder to which everything is written while it happens. Without it the last `ringBytes` stay in memory. */
  readonly dir?: string;
  /** Memory for what is not written, roughly; the oldest goes first. Default 16 MiB. */
  readonly ringBytes?: number;
  /** Texts that never appear in a trace, besides what is found by name and form (docs/trace-format.md). */
  readonly secrets?: readonly string[];
  /** With the same key two traces hide the same secret behind the same text. Default: a new one, never kept. */
  readonly key?: string;
}
export interface FlightOptions {
  /** `false`: nothing is recorded. */
  readonly record?: RecordOptions | false | undefined;
  /** Where traces of crashes go: `traces/` in there; `false`: nowhere. */
  readonly stateDir?: string | false | undefined;
  readonly notice?: ((text: string) => void) | undefined;
}
/** After an alarm, so that what follows from it is in the trace too. */
const alarmMs = 100;
/** A machine that fails again and again must not fill a disk. */
const leastBetweenAlarmsMs = 60_000;
const keptTraces = 20;

let named = 0;
/** Sorts by time. Numbered, because two hosts of one process may write in the same millisecond. */
const nameNow = (reason: string): string => {
  named += 1;
  return `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${processFacts.pid}-${named}-${reason}`;
};

/** Records a host from its first start on, and writes the trace when it is wanted or something broke. */
export class FlightRecorder {
  readonly #recorder: Recorder;
  readonly #options: FlightOptions;
  #picture: Recorder['picture'];
  #file: TraceFile | undefined;
  #writer: TraceWriter | undefined;
  #alarm: { readonly timer: unknown; readonly what: string } | undefined;
  #lastAlarm = -Infinity;
  /** The file that grew, when it is whole. */
  #closed: string | undefined;

  constructor(options: FlightOptions, secrets: KnownSecrets, tap: Tap) {
    const { profile = 'inputs', dir, ringBytes, key } = options.record || {};
    this.#options = options;
    this.#recorder = new Recorder({
      ...secrets.recording(profile, key),
      ...(ringBytes !== undefined && { ringBytes }),
      onAlarm: (what) => this.#ring(what),
      onEntry: (isFull) => (isFull ? this.#file?.flush() : this.#file?.wants()),
    });
    tap.add(this.#recorder);
    if (dir !== undefined) this.#open(dir);
  }
  #open(dir: string): void {
    try {
      this.#grow(dir);
    } catch (error) {
      throw cannotWrite(dir, error);
    }
  }
  #grow(dir: string): void {
    const { notice } = this.#options;
    this.#writer = this.#recorder.writer();
    let head = this.#recorder.head(1);
    this.#file = openTraceFile(dir, nameNow('host'), {
      take: () => {
        const text = head + (this.#writer?.lines(this.#recorder.take()) ?? '');
        head = '';
        return text;
      },
      onError: (error) => {
        this.#file = undefined;
        this.#recorder.picture = this.#picture;
        notice?.(`cannot record any more: ${error.message}`);
      },
    });
  }
  /** From now on a ring that is full forgets up to a picture of this directory, and can still be replayed. */
  watch(directory: Directory): void {
    this.#picture = () => pictureOf(directory);
    if (!this.#file) this.#recorder.picture = this.#picture;
  }
  /** The file that grows, with `dir`. */
  get path(): string | undefined {
    return this.#file?.path;
  }
  /** Writes what is in memory, or, with `dir`, what has not been written yet. Returns the file. */
  write(reason: string, dir: string): string {
    if (this.#closed !== undefined) return this.#closed;
    const file = this.#file;
    file?.flush();
    // It may just have been lost.
    if (file && this.#file) return file.path;
    try {
      return writeTraceFile(dir, nameNow(reason), this.#recorder.text(reason));
    } catch (error) {
      throw cannotWrite(dir, error);
    }
  }
  #ring(what: string): void {
    const now = systemClock.now();
    if (this.#alarm || now - this.#lastAlarm < leastBetweenAlarmsMs) return;
    this.#lastAlarm = now;
    this.#alarm = { timer: systemClock.setTimeout(() => this.#dump(what), alarmMs), what };
  }
  #dump(what: string): void {
    this.#alarm = undefined;
    const { stateDir, notice } = this.#options;
    if (stateDir === false && !this.#file) return;
    try {
      const dir = `${stateDir || defaultStateDir()}/traces`;
      const path = this.#file
        ? this.write('crash', dir)
        : writeTraceFile(dir, nameNow('crash'), this.#recorder.text('crash'), keptTraces);
      notice?.(`${what}\n  what led to it can be replayed: a2c replay ${path}`);
    } catch (error) {
      notice?.(`${what}\n  and what led to it could not be written: ${(error as Error).message}`);
    }
  }
  /** What still waits to be written is written now. `isQuiet`: everything had ended. */
  close(isQuiet: boolean): void {
    if (this.#alarm) {
      systemClock.clearTimeout(this.#alarm.timer);
      this.#dump(this.#alarm.what);
    }
    const file = this.#file;
    const writer = this.#writer;
    if (!file || !writer) return;
    file.flush();
    file.append(this.#recorder.tail(isQuiet ? 'closed' : 'cut', writer.digest(), writer.records));
    file.close();
    if (this.#file) this.#closed = file.path;
    this.#file = undefined;
  }
}
const cannotWrite = (dir: string, error: unknown): A2cError =>
  new A2cError({
    code: 400,
    message: `Cannot record to ${dir}: ${(error as Error).message}`,
    remedy: 'Name a folder that can be written.',
  });
export const notRecorded = new A2cError({
  code: 404,
  message: 'This host records nothing: it was started with record: false',
  remedy: 'Leave `record` out, or give a folder: record: { dir: "traces" }',
});
