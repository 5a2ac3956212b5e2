import type { Noise, Terminal } from '../../adapters/index.ts';
import type { Profile } from '../../machines/trace/index.ts';
import type { Failure } from '../../machines/wire/index.ts';
import { A2cError } from '../errors.ts';
import type { ServerStatus } from '../computer-handle.ts';
import type { RecordOptions } from '../flight-recorder.ts';
import type { Confirm } from '../confirm.ts';
import type { Laboratory } from './laboratory.ts';
import type { SourceOptions } from './source.ts';

/** Of the process: 0 = done, 1 = the operation failed, 64 = wrong usage, 130 = Ctrl-C, unless that is how a command ends. */
export const exitCodes = { done: 0, failed: 1, usage: 64, interrupted: 130 } as const;

export interface Context {
  readonly terminal: Terminal;
  /** Aborts at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  readonly laboratory?: () => Promise<Laboratory>;
  /** Where configs are looked for. Default: the current folder. */
  readonly folder?: string;
}
const interrupted = (): A2cError => new A2cError({ code: 'ToolCallCancelled', message: 'Interrupted' });
/** Ctrl-C ends a command with that word, whatever has failed for it, and not with half an answer. */
export async function unlessInterrupted<T>(
  signal: AbortSignal,
  work: (mustGoOn: () => void) => Promise<T>,
): Promise<T> {
  const mustGoOn = (): void => {
    if (signal.aborted) throw interrupted();
  };
  mustGoOn();
  try {
    return await work(mustGoOn);
  } catch (error) {
    throw signal.aborted ? interrupted() : error;
  }
}
/** For what takes no signal: Ctrl-C closes whoever is asked, and that rejects. */
export async function orClosed<T>(
  signal: AbortSignal,
  asked: { close(): Promise<void> },
  work: () => Promise<T>,
): Promise<T> {
  const stop = (): void => void asked.close();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
export const exitCodeOf = ({ aborted }: AbortSignal, isDone = true): number =>
  aborted ? exitCodes.interrupted : isDone ? exitCodes.done : exitCodes.failed;

export type ConfirmWord = 'ask' | 'allow' | 'deny';
export interface RecordingOptions {
  /** A folder. */
  readonly record?: string;
  readonly profile?: Profile;
}
export interface StageOptions extends SourceOptions, RecordingOptions {
  readonly reaper: boolean;
  /** A WebSocket URL for `@statelyai/inspect`. */
  readonly stately?: string;
}
export interface ServerOptions extends StageOptions {
  readonly facts?: boolean;
  readonly name?: string;
  readonly confirm: ConfirmWord;
  readonly autoConnect: boolean;
  readonly autoReconnect: boolean;
}

export const recordBy = ({ record: dir, profile }: RecordingOptions): RecordOptions => ({
  ...(dir !== undefined && { dir }),
  ...(profile !== undefined && { profile }),
});

/** `ask` needs a person at a terminal; without one every question is answered no. */
export function confirmBy(word: ConfirmWord, terminal: Terminal): Confirm {
  if (word !== 'ask') return word;
  if (!terminal.isInteractive) return 'deny';
  return async ({ server, tool, arguments: given, signal }) => {
    terminal.err(`${server} wants to run ${tool} ${JSON.stringify(given)}`);
    const answer = await terminal.question('run it? [y/N/a = yes, and do not ask again] ', signal);
    if (answer === null) return 'deny';
    if (/^a(lways)?$/i.test(answer.trim())) return 'allow-for-session';
    return /^y(es)?$/i.test(answer.trim()) ? 'allow' : 'deny';
  };
}

export const serverLine = ({ name, state, reason, nextTryMs }: ServerStatus): string =>
  `${name.padEnd(16)} ${state}${reason === undefined ? '' : `: ${reason}`}` +
  (nextTryMs === undefined ? '' : `; next try within ${Math.ceil(nextTryMs / 1000)} s`);
const noises: readonly [keyof Noise, string][] = [
  ['garbage', 'lines that are no JSON'],
  ['overlong', 'messages that are too long'],
  ['unknownId', 'answers that nobody waits for'],
  ['lateAnswer', 'answers that came too late, or twice'],
  ['lateProgress', 'reports of progress that came too late'],
  ['protocol', 'messages that break the protocol'],
];
/** What a server wrote that reached nobody. */
export const noiseLine = (noise: Noise): string =>
  noises
    .filter(([kind]) => noise[kind] !== 0)
    .map(([kind, words]) => `${noise[kind]} ${words}`)
    .join(', ') + (noise.last === undefined ? '' : `; last: ${JSON.stringify(noise.last)}`);

export const errorOf = (error: unknown): Failure =>
  error instanceof A2cError
    ? {
        code: error.code,
        message: error.message,
        details: error.details,
        ...(error.remedy !== undefined && { remedy: error.remedy }),
      }
    : { code: 500, message: error instanceof Error ? error.message : String(error) };

/** One failure for a person or, with `--json`, as the one document on stdout. */
export function showFailure({ terminal }: Context, failure: Failure, asJson: boolean): void {
  const { code, message, details = {}, remedy = null } = failure;
  if (asJson) terminal.out(JSON.stringify({ error: { code, message, details, remedy } }));
  else terminal.err(`error: ${message}${remedy === null ? '' : `\n  ${remedy}`}`);
}
