import {
  createDigest,
  createRedactionKey,
  defaultStateDir,
  openTraceFile,
  processFacts,
  sha256Of,
  systemClock,
  writeTraceFile,
  type TraceFile,
} from '../adapters/index.ts';
import { veilOf, type Profile } from '../machines/trace/index.ts';
import { machines } from './assemble.ts';
import { chartText } from './charts.ts';
import { A2cError } from './errors.ts';
import { Recorder, type TraceWriter } from './recorder.ts';
import type { Tap } from './tap.ts';
import { version, xstateVersion } from './version.ts';

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

const nameNow = (reason: string): string =>
  `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${processFacts.pid}-${reason}`;

/** Records a host from its first start on, and writes the trace when it is wanted or something broke. */
export class FlightRecorder {
  readonly #recorder: Recorder;
  readonly #options: FlightOptions;
  readonly #secrets: Set<string>;
  #file: TraceFile | undefined;
  #writer: TraceWriter | undefined;
  #alarm: unknown;
  #lastAlarm = -Infinity;

  constructor(options: FlightOptions, tap: Tap) {
    const { profile = 'inputs', dir, ringBytes, secrets = [], key } = options.record || {};
    this.#options = options;
    this.#secrets = new Set(secrets);
    const { hash, keyId } = createRedactionKey(key);
    this.#recorder = new Recorder({
      profile,
      now: systemClock.now,
      veil: veilOf(hash, this.#secrets),
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
      charts: () =>
        Object.fromEntries(Object.entries(machines).map(([kind, m]) => [kind, sha256Of([chartText(m)])])),
      ...(ringBytes !== undefined && { ringBytes }),
      onAlarm: (what) => this.#ring(what),
      onEntry: () => this.#file?.wants(),
    });
    tap.add(this.#recorder);
    if (dir !== undefined) this.#open(dir);
  }
  #open(dir: string): void {
    try {
      this.#grow(dir);
    } catch (error) {
      throw new A2cError({
        code: 400,
        message: `Cannot record to ${dir}: ${(error as Error).message}`,
        remedy: 'Name a folder that can be written.',
      });
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
        notice?.(`cannot record any more: ${error.message}`);
      },
    });
  }
  /** The file that grows, with `dir`. */
  get path(): string | undefined {
    return this.#file?.path;
  }
  /** Texts that are hidden from now on. */
  hide(secrets: Iterable<string>): void {
    for (const secret of secrets) this.#secrets.add(secret);
  }
  /** Writes what is in memory, or, with `dir`, what has not been written yet. Returns the file. */
  write(reason: string, dir: string): string {
    if (!this.#file) return writeTraceFile(dir, nameNow(reason), this.#recorder.text(reason));
    this.#file.flush();
    return this.#file.path;
  }
  #ring(what: string): void {
    const now = systemClock.now();
    if (this.#file || this.#alarm !== undefined || now - this.#lastAlarm < leastBetweenAlarmsMs) return;
    this.#lastAlarm = now;
    this.#alarm = systemClock.setTimeout(() => this.#dump(what), alarmMs);
  }
  #dump(what: string): void {
    this.#alarm = undefined;
    const { stateDir, notice } = this.#options;
    if (stateDir === false) return;
    try {
      const dir = `${stateDir ?? defaultStateDir()}/traces`;
      const path = writeTraceFile(dir, nameNow('crash'), this.#recorder.text('crash'), keptTraces);
      notice?.(`${what}\n  what led to it can be replayed: a2c replay ${path}`);
    } catch (error) {
      notice?.(`${what}\n  and what led to it could not be written: ${(error as Error).message}`);
    }
  }
  /** What still waits to be written is written now. `isQuiet`: everything had ended. */
  close(isQuiet: boolean): void {
    if (this.#alarm !== undefined) {
      systemClock.clearTimeout(this.#alarm);
      this.#dump('a machine failed shortly before the end');
    }
    const file = this.#file;
    const writer = this.#writer;
    if (!file || !writer) return;
    file.flush();
    file.append(this.#recorder.tail(isQuiet ? 'closed' : 'cut', writer.digest(), writer.records));
    file.close();
    this.#file = undefined;
  }
}
export const notRecorded = new A2cError({
  code: 404,
  message: 'This host records nothing: it was started with record: false',
  remedy: 'Leave `record` out, or give a folder: record: { dir: "traces" }',
});
