import type { EventObject } from 'xstate';
import { A2cError } from '../kernel/errors.ts';
import { hostWords } from './host-words.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { Recorder } from './recorder.ts';
import type { TraceWriter } from './trace-lines.ts';
import type { RedactHook } from './veil.ts';
import type { Tap } from '../runtime/tap.ts';
import {
  defaultStateDir,
  openTraceFile,
  processFacts,
  systemClock,
  writeTraceFile,
  type TraceFile,
} from '../../adapters/index.ts';
import { nameOf } from '../../machines/kernel/address.ts';
import type { DirectoryRecord, Frame, Profile } from '../../machines/trace/index.ts';

/** How a host records what its machines are told, so that a failure can be replayed (docs/replay.md). */
export interface RecordOptions {
  /** `boundary` (default): enough to replay. `steps`: also what the machines did in between. `full`: and what they remembered. */
  readonly profile?: Profile;
  /** A folder to which everything is written while it happens. Without it the last `ringBytes` stay in memory. */
  readonly dir?: string;
  /**
   * When what is in memory is written by itself, to `traces/` in `stateDir`, 100 ms after: `onNotice` hears what happened and
   * `a2c replay FILE`. Default `['callUnknown', 'serverGaveUp', 'fault']`; `[]`: never. At most one file a minute for a reason
   * and its tool or server, ten a minute in all; the newest 20 are kept. With `dir` nothing more is written than a mark.
   */
  readonly on?: readonly KeepWord[];
  /** Memory for what is not written, in bytes, roughly; the oldest goes first. Default 16 MiB, and 1 MiB for messages of servers. */
  readonly ringBytes?: number;
  /** Texts that never appear in a trace, besides what is found by name and form (docs/trace-format.md). */
  readonly secrets?: readonly string[];
  /**
   * Hides more than names and forms tell, when it is written: `(value, key) => unknown` hears each text, number and truth value
   * with the name that it stands under; what it returns is written, undefined hides. One that throws hides the value.
   */
  readonly redact?: RedactHook;
  /** With the same key two traces hide the same secret behind the same text. Default: a new one, never kept. */
  readonly key?: string;
}
export interface FlightOptions {
  /** `false`: nothing is recorded. */
  readonly record?: RecordOptions | false | undefined;
  /** Folder of the traces that are kept by themselves: `traces/` in it; `false`: none is kept. */
  readonly stateDir?: string | false | undefined;
  readonly notice?: ((text: string) => void) | undefined;
}
/** ms from a reason until the trace is written, so that the consequences are in it. */
const settleMs = 100;
const keptTraces = 20;
const longestMark = 200;

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
  #file: TraceFile | undefined;
  #writer: TraceWriter | undefined;
  readonly #redact: (text: string) => string;
  readonly #wanted: ReadonlySet<KeepWord>;
  readonly #lately = new KeptLately();
  #due: { readonly timer: unknown; readonly reasons: Reason[] } | undefined;
  /** The file that grew, when it is whole. */
  #closed: string | undefined;

  constructor(options: FlightOptions, secrets: KnownSecrets, tap: Tap) {
    const { profile = 'boundary', dir, ringBytes, key, on = keptByDefault } = options.record || {};
    this.#options = options;
    this.#redact = (text) => secrets.redactor.text(text);
    this.#wanted = new Set(known(on));
    this.#recorder = new Recorder({
      ...secrets.recording(profile, key),
      ...(ringBytes !== undefined && { ringBytes }),
      onEntry: (isFull) => (isFull ? this.#file?.flush() : this.#file?.wants()),
    });
    const { step } = this.#recorder;
    tap.add({ record: this.#record, ...(step && { step }) });
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
        notice?.(`cannot record any more: ${error.message}`);
      },
    });
  }
  /** Takes a message on the wire of a session. */
  readonly frame = (frame: Frame): void => this.#recorder.frame(frame);
  /** The file that grows, with `dir`. */
  get path(): string | undefined {
    return this.#file?.path;
  }
  /** Records in memory as a trace. Throws with `dir`: then they are in a file. */
  text(): string {
    if (!this.#file) return this.#recorder.text('asked');
    throw new A2cError({
      code: 409,
      message: `This host records to ${this.#file.path}`,
      remedy: `Replay that file: a2c replay ${this.#file.path}`,
    });
  }
  /** Writes what is in memory, or, with `dir`, what has not been written yet. Returns the file. */
  write(reason: string, dir: string): string {
    if (this.#closed !== undefined) return this.#closed;
    const file = this.#file;
    file?.flush();
    // The file may just have been lost.
    if (file && this.#file) return file.path;
    try {
      return writeTraceFile(dir, nameNow(reason), this.#recorder.text(reason));
    } catch (error) {
      throw cannotWrite(dir, error);
    }
  }
  /** A word of its host, at most 200 characters of it. */
  mark(given: unknown): void {
    const text = String(given);
    this.#recorder.mark(text.length > longestMark ? `${text.slice(0, longestMark - 1)}…` : text);
  }
  readonly #record = (record: DirectoryRecord): void => {
    this.#recorder.record(record);
    const reason = reasonOf(record);
    if (!reason || !this.#wanted.has(reason.on)) return;
    if (!this.#lately.take(reason, systemClock.now())) return;
    // Reasons that come at the same time share one file.
    if (this.#due) this.#due.reasons.push(reason);
    else this.#due = { timer: systemClock.setTimeout(() => this.#keep(), settleMs), reasons: [reason] };
  };
  #keep(): void {
    const { reasons } = this.#due ?? { reasons: [] };
    this.#due = undefined;
    const { stateDir, notice } = this.#options;
    if (stateDir === false && !this.#file) return;
    const what = this.#redact(reasons.map((each) => each.what).join('; '));
    const tail = this.#redact(reasons.map(({ on, subject }) => `${on} ${subject}`).join(', '));
    try {
      notice?.(`${what}; see a2c replay ${this.#kept(tail, reasons[0]?.on ?? 'fault')}`);
    } catch (error) {
      notice?.(`${what}; its trace could not be written: ${(error as Error).message}`);
    }
  }
  #kept(reason: string, name: string): string {
    const dir = `${this.#options.stateDir || defaultStateDir()}/traces`;
    if (!this.#file) return writeTraceFile(dir, nameNow(name), this.#recorder.text(reason), keptTraces);
    this.mark(reason);
    return this.write(name, dir);
  }
  /** Writes what still waits. `isQuiet`: everything had ended. */
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
const known = (on: readonly KeepWord[]): readonly KeepWord[] => {
  const unknown = on.find((word) => !keepWords.includes(word));
  if (unknown === undefined) return on;
  throw new A2cError({
    code: 400,
    message: `record.on has no word ${unknown}`,
    remedy: `It takes ${keepWords.join(', ')}.`,
  });
};
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

/**
 * Reasons for which a trace is kept by itself. `callUnknown`: a call ended without its caller, and its effect is
 * unknown. `callFailed`: a call failed. `serverGaveUp`: a server is not tried again by itself. `serverLost`: a ready
 * server is gone. `fault`: a machine failed, a message was lost, or a defect.
 */
const keepWords = ['callUnknown', 'callFailed', 'serverGaveUp', 'serverLost', 'fault'] as const;
/** A word of `RecordOptions.on`: what has to happen so that a trace is kept. */
export type KeepWord = (typeof keepWords)[number];
const keptByDefault: readonly KeepWord[] = ['callUnknown', 'serverGaveUp', 'fault'];

/** Something for which a trace may be kept. */
interface Reason {
  readonly on: KeepWord;
  /** The tool or the server; the address of a fault. */
  readonly subject: string;
  /** For people, one line. */
  readonly what: string;
}
const longestWhat = 300;
const reason = (on: KeepWord, subject: string, what: string): Reason => ({
  on,
  subject,
  what: what.replaceAll(/\p{Cc}+\s*/gu, ' ').slice(0, longestWhat),
});

type News = EventObject & {
  readonly name?: string;
  readonly state?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly end?: string;
  readonly outcome?: string;
  readonly failure?: { readonly message: string } | null;
};
function heard({
  type,
  name = '',
  state,
  server,
  tool = '',
  end,
  outcome,
  failure,
}: News): Reason | undefined {
  const why = failure ? `: ${failure.message}` : '';
  if (type === 'call.settled') {
    const call = `call ${tool}${server === undefined || server === '' ? '' : ` of ${server}`}`;
    if (outcome === 'failed') return reason('callFailed', tool, `${call} failed${why}`);
    if (outcome === 'unknown' && end !== 'cancelled')
      return reason('callUnknown', tool, `${call} ended unknown${why}`);
  }
  if (type !== 'server.changed') return undefined;
  if (state === 'open') return reason('serverGaveUp', name, `server ${name} gave up${why}`);
  return state === 'recovering' ? reason('serverLost', name, `server ${name} was lost${why}`) : undefined;
}

/** Why a trace could be kept when this has happened, judged by what the host hears; undefined: for nothing. */
export function reasonOf(record: DirectoryRecord): Reason | undefined {
  if (record.k === 'post') {
    const { a, ev, dead } = record;
    if (dead === 'lost') return reason('fault', nameOf(a), `${ev.type} to nobody at ${a}`);
    // Success is a reason for nothing, and the word for it costs with each call.
    if (!a.startsWith('host:') || (ev as News).outcome === 'succeeded') return undefined;
    return heard(hostWords.news('', ev));
  }
  if (record.k === 'end' && record.why === 'failed')
    return reason('fault', nameOf(record.a), `${record.a} failed: ${record.error}`);
  return record.k === 'defect' ? reason('fault', nameOf(record.a), `${record.a}: ${record.what}`) : undefined;
}

const minuteMs = 60_000;
const mostAMinute = 10;
/**
 * Limits the kept traces: one file a minute for a reason and its subject, and ten in all, so that a repeated failure
 * does not fill a disk.
 */
export class KeptLately {
  readonly #times = new Map<string, number>();

  /** Takes a turn for this reason at `now` (ms); false: it has had one lately. */
  take({ on, subject }: Reason, now: number): boolean {
    for (const [key, time] of this.#times) if (now - time >= minuteMs) this.#times.delete(key);
    const key = `${on} ${subject}`;
    if (this.#times.has(key) || this.#times.size >= mostAMinute) return false;
    this.#times.set(key, now);
    return true;
  }
}
