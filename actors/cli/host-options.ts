import type { LogOptions } from '../logging/log-entry.ts';
import type { RecordOptions } from '../recording/flight-recorder.ts';
import type { CommandContext } from './context.ts';
import type { RecordingOptions } from './options.ts';

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
