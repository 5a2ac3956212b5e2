import type { Profile } from '../../machines/trace/format.ts';
import type { LogLevel, LogOptions } from '../logging/log-entry.ts';
import type { RecordOptions } from '../recording/flight-recorder.ts';
import type { AnswerOptions, ConfirmWord } from './answering.ts';
import type { CommandContext } from './context.ts';
import type { EntryWords } from './typed-server.ts';

export interface SourceOptions extends AnswerOptions, EntryWords {
  /** A URL, or a command with its arguments. */
  readonly typed?: readonly string[];
  /** In seconds. */
  readonly boot?: number;
  /** Config files; a later one wins where two name the same. */
  readonly config?: readonly string[];
  readonly verbose?: boolean;
  readonly folder?: string;
  readonly keyring?: boolean;
  readonly trust?: boolean;
}
export interface RecordingOptions {
  readonly record?: string;
  readonly profile?: Profile;
  /** Failures, or everything from `logLevel` on. */
  readonly log?: boolean;
  readonly logLevel?: LogLevel;
  readonly tracing?: boolean;
}
export interface WatchOptions extends SourceOptions, RecordingOptions {
  readonly reaper: boolean;
}
export interface InspectingOptions {
  readonly inspect?: number | boolean;
  readonly allowControl?: boolean;
}
export interface ServerOptions extends WatchOptions, InspectingOptions {
  /** Does not lend the servers to commands of this user. */
  readonly alone?: boolean;
  readonly facts?: boolean;
  readonly name?: string;
  readonly confirm: ConfirmWord;
  readonly autoConnect: boolean;
  readonly autoReconnect: boolean;
}

export const logBy = (
  { terminal }: CommandContext,
  { log = false, logLevel = log ? 'warn' : undefined }: RecordingOptions,
): LogOptions =>
  logLevel === undefined ? {} : { log: (entry) => terminal.line(JSON.stringify(entry), 'err'), logLevel };
export const recordBy = ({ record: dir, profile }: RecordingOptions): RecordOptions => ({
  ...(dir !== undefined && { dir }),
  ...(profile !== undefined && { profile }),
});
/** No trace for a server that was given up or a failed call: the command prints the failure. */
export const briefRecordBy = (options: RecordingOptions): RecordOptions => ({
  on: ['callUnknown', 'outputMismatch', 'fault'],
  ...recordBy(options),
});
