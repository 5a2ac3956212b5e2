import type { Inspection, InspectOptions } from './page.ts';
import type { LogOptions } from '../logging/log-entry.ts';
import type { RecordOptions } from '../recording/flight-recorder.ts';

/** Options of every host. */
export interface HostOptions extends LogOptions {
  /** Options of the recording for a replay; on by default, in memory. `false` records nothing. */
  readonly record?: RecordOptions | false | undefined;
  /**
   * Makes OpenTelemetry spans of calls, children of `trace` or of the span that is active in the program. Needs the
   * package `@opentelemetry/api`; the SDK that your program sets up decides where spans go (docs/operate.md). Default
   * false.
   */
  readonly tracing?: boolean | undefined;
  /**
   * Signal that gives up the start: what was opened is closed, and the promise rejects with the signal's reason;
   * ignored later.
   */
  readonly signal?: AbortSignal | undefined;
}
/** Default of `timeoutMs` of `drain`. */
export const drainMs = 10_000;
/** Options of `drain`. */
export interface DrainOptions {
  /** Longest time in ms for which running calls are waited for. Default 10,000. */
  readonly timeoutMs?: number | undefined;
}
/** Options of a wait for events. */
export interface EventOptions {
  /** Signal that ends the wait: the promise rejects with its reason, and an iteration throws it. */
  readonly signal?: AbortSignal | undefined;
}
/**
 * Events of a handle, also for `once` and `on` of `node:events`. An unknown event throws `BadRequest`. An error thrown by a
 * listener becomes a warning of the process.
 */
export interface Telling<Events> {
  /** Adds a listener; the returned function removes it. */
  on<Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void): () => void;
  /** Iterates over the values of an event from now on, until the loop is left: `for await (const value of on(name))`. */
  on<Name extends keyof Events>(name: Name, options?: EventOptions): AsyncIterableIterator<Events[Name]>;
  /** Adds a listener for the next time; the returned function removes it. */
  once<Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void): () => void;
  /** Resolves with the value of the event the next time. */
  once<Name extends keyof Events>(name: Name, options?: EventOptions): Promise<Events[Name]>;
  /** Removes a listener that `on` or `once` has added. */
  off<Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void): void;
  /** Does what `off` does, under the name that `node:events` calls. */
  removeListener<Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void): void;
}
/** Ways to look into a host. */
export interface Debug {
  /**
   * Shows this host on a page in the browser until the host closes: its actors, their states and the reasons, and
   * what happens. Nothing is recorded for the page while none is open. Resolves with the address; rejects with an
   * `A2cError` when `port` cannot be listened on. With `allowControl` the page of a computer may also start, stop and
   * retry servers, and make and cancel calls, which are judged like those of the host; others only show.
   */
  inspect(options?: InspectOptions): Promise<Inspection>;
  /**
   * Writes the recording so far to a new `*.trace.ndjson` in this folder (default: the current one), or, with
   * `record.dir`, to the file that grows there. Resolves with the path of the file; rejects with `record: false`.
   */
  writeTrace(dir?: string): Promise<string>;
  /**
   * Writes a line for people into the recording, such as `checkout retry`. `a2c show` prints the line, and replays
   * ignore it. Cut to 200 characters; does nothing with `record: false`.
   */
  mark(text: string): void;
}
