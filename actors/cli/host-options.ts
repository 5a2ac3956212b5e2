import type { Profile } from '../../machines/trace/index.ts';
import { openJsonLog } from '../../adapters/index.ts';
import { wireCodes } from '../../machines/protocol/index.ts';
import { A2cError } from '../kernel/errors.ts';
import type { LogEntry, LogLevel, LogOptions } from '../logging/log-entry.ts';
import type { RecordOptions } from '../recording/flight-recorder.ts';
import type { AnswerOptions, ConfirmWord } from './answering.ts';
import type { CommandContext } from './context.ts';
import type { EntryWords } from './typed-server.ts';

export interface SourceOptions extends AnswerOptions, EntryWords {
  /** Server of the command line: a URL, or a command with its arguments. */
  readonly typed?: readonly string[];
  /** Seconds to wait for servers that are starting. */
  readonly boot?: number;
  readonly config?: string;
  /** Shows what servers write to stderr and their log messages. */
  readonly verbose?: boolean;
  /** Folder whose documents are served instead of the servers of a config. */
  readonly folder?: string;
  /** Keeps typed passwords in the keyring of the operating system. */
  readonly keyring?: boolean;
  /** Trusts the config of this folder from now on. */
  readonly trust?: boolean;
}
export interface RecordingOptions {
  /** Folder for recorded traces. */
  readonly record?: string;
  readonly profile?: Profile;
  /** Writes the log to stderr as lines of JSON: failures, or everything from `logLevel` on. */
  readonly log?: boolean;
  readonly logLevel?: LogLevel;
  /** Makes OpenTelemetry spans of calls. */
  readonly tracing?: boolean;
}
export interface WatchOptions extends SourceOptions, RecordingOptions {
  readonly reaper: boolean;
  /** WebSocket URL that receives machine events for `@statelyai/inspect`. */
  readonly stately?: string;
}
export interface InspectingOptions {
  /** Port of the inspector, or whether it is opened; absent: the command decides. */
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

/** Makes the log that a command writes to stderr. Rejects when the package that writes it is not installed. */
export async function logBy(
  { terminal }: CommandContext,
  { log = false, logLevel = log ? 'warn' : undefined }: RecordingOptions,
): Promise<LogOptions> {
  if (logLevel === undefined) return {};
  try {
    return { log: await openJsonLog<LogEntry>((line) => terminal.line(line, 'err')), logLevel };
  } catch (error) {
    throw new A2cError({
      code: wireCodes.badRequest,
      message: error instanceof Error ? error.message : String(error),
      remedy: 'Or leave out --log.',
    });
  }
}
export const recordBy = ({ record: dir, profile }: RecordingOptions): RecordOptions => ({
  ...(dir !== undefined && { dir }),
  ...(profile !== undefined && { profile }),
});
/**
 * Recording options of a command that ends at once. No trace is written for a server that was given up or a
 * call that failed, because the command prints its failure.
 */
export const briefRecordBy = (options: RecordingOptions): RecordOptions => ({
  on: ['callUnknown', 'outputMismatch', 'fault'],
  ...recordBy(options),
});
export const tracingBy = ({ tracing = false }: RecordingOptions): { readonly tracing: boolean } => ({
  tracing,
});
