import type { Profile } from '../../machines/trace/index.ts';
import { openJsonLog } from '../../adapters/index.ts';
import { wireCodes } from '../../machines/protocol/index.ts';
import { A2cError } from '../kernel/errors.ts';
import type { LogEntry, LogLevel, LogOptions } from '../logging/log-entry.ts';
import type { RecordOptions } from '../recording/flight-recorder.ts';
import type { AnswerOptions, ConfirmWord } from './answering.ts';
import type { CommandContext } from './context.ts';

export interface SourceOptions extends AnswerOptions {
  /** How long servers that start are waited for, in seconds. */
  readonly boot?: number;
  readonly config?: string;
  /** Shows what servers write to stderr and log. */
  readonly verbose?: boolean;
  /** The documents of this folder, in place of a config. */
  readonly folder?: string;
  /** Keep passwords that are typed in the keyring of the system. */
  readonly keyring?: boolean;
  /** Trust this folder from now on. */
  readonly trust?: boolean;
}
export interface RecordingOptions {
  /** A folder. */
  readonly record?: string;
  readonly profile?: Profile;
  /** Lines of JSON go to stderr: failures, or from this level on. */
  readonly log?: boolean;
  readonly logLevel?: LogLevel;
  /** Spans of calls, by the API of OpenTelemetry. */
  readonly tracing?: boolean;
}
export interface WatchOptions extends SourceOptions, RecordingOptions {
  readonly reaper: boolean;
  /** A WebSocket URL for `@statelyai/inspect`. */
  readonly stately?: string;
}
export interface InspectingOptions {
  /** A port, or whether at all. Left out: as the command has it. */
  readonly inspect?: number | boolean;
  readonly allowControl?: boolean;
}
export interface ServerOptions extends WatchOptions, InspectingOptions {
  readonly facts?: boolean;
  readonly name?: string;
  readonly confirm: ConfirmWord;
  readonly autoConnect: boolean;
  readonly autoReconnect: boolean;
}

/** Rejects where the package is not installed that writes them. */
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
 * Recording of a command that ends at once. A server that gives up is in its output, so that no file is kept for it.
 */
export const briefRecordBy = (options: RecordingOptions): RecordOptions => ({
  on: ['callUnknown', 'fault'],
  ...recordBy(options),
});
export const tracingBy = ({ tracing = false }: RecordingOptions): { readonly tracing: boolean } => ({
  tracing,
});
