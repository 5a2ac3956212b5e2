import type { Terminal } from '../../adapters/index.ts';
import type { Profile } from '../../machines/trace/index.ts';
import type { Failure } from '../../machines/wire/index.ts';
import { A2cError } from '../errors.ts';
import type { ServerStatus } from '../computer-handle.ts';
import type { Log } from '../failure-log.ts';
import type { RecordOptions } from '../flight-recorder.ts';
import type { Confirm } from '../confirm.ts';
import type { Laboratory } from './laboratory.ts';
import type { SourceOptions } from './source.ts';

/** Of the process: 0 = done, 1 = the operation failed, 64 = wrong usage, 130 = Ctrl-C, unless that is how a command ends. */
export const exitCodes = { done: 0, failed: 1, usage: 64, interrupted: 130 } as const;
/** Of a process that a signal ends: 128 and the number of the signal. */
const signalCodes = { SIGINT: exitCodes.interrupted, SIGTERM: 143, SIGHUP: 129 } as const;
/** Why the signal of a `Context` was aborted. Without it: Ctrl-C. */
export class EndedBySignal extends Error {
  readonly exitCode: number;
  constructor(name: keyof typeof signalCodes) {
    super(`ended by ${name}`);
    this.exitCode = signalCodes[name];
  }
}

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
const codeOf = ({ reason }: AbortSignal): number =>
  reason instanceof EndedBySignal ? reason.exitCode : exitCodes.interrupted;
export const exitCodeOf = (signal: AbortSignal, isDone = true): number =>
  signal.aborted ? codeOf(signal) : isDone ? exitCodes.done : exitCodes.failed;
/** Of a command that goes on until it is ended: Ctrl-C is how a person does that. */
export const exitCodeAtEnd = (signal: AbortSignal): number => {
  const code = exitCodeOf(signal);
  return code === exitCodes.interrupted ? exitCodes.done : code;
};
/** Servers that answer calls, or start when there is one. Where there is none, a command has failed. */
export function hasUsable({ terminal }: Context, servers: readonly ServerStatus[]): boolean {
  const isUsable = servers.some(({ state }) => state === 'ready' || state === 'resting');
  // Which there are and why they are not stands in the answer.
  if (!isUsable) terminal.err('error: no server is usable');
  return isUsable;
}

export type ConfirmWord = 'ask' | 'allow' | 'deny';
export interface RecordingOptions {
  /** A folder. */
  readonly record?: string;
  readonly profile?: Profile;
  /** Failures as JSON lines on stderr. */
  readonly log?: boolean;
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

export const logBy = ({ terminal }: Context, { log = false }: RecordingOptions): { readonly log?: Log } =>
  log ? { log: (entry) => terminal.line(JSON.stringify(entry), 'err') } : {};
export const recordBy = ({ record: dir, profile }: RecordingOptions): RecordOptions => ({
  ...(dir !== undefined && { dir }),
  ...(profile !== undefined && { profile }),
});

/** `ask` needs a person at a terminal; without one every question is answered no. */
export function confirmBy(word: ConfirmWord, terminal: Terminal): Confirm {
  if (word !== 'ask') return word;
  if (!terminal.isInteractive) return 'deny';
  return async ({ agent, server, tool, arguments: given, signal }) => {
    const what = `${tool} of ${server}`;
    const who = agent === null ? 'this host' : `agent ${agent}`;
    terminal.err(`${who} wants to run ${what}: ${JSON.stringify(given)}`);
    const told = (): void => terminal.err(`${what}: ${(signal.reason as Error).message}`);
    signal.addEventListener('abort', told, { once: true });
    // Its name again: several may wait, and this says which one is open.
    const answer = await terminal.question(`run ${what}? [y/N/a = yes, and do not ask again] `, signal);
    if (answer === null) return 'deny';
    if (/^a(lways)?$/i.test(answer.trim())) return 'allow-for-session';
    return /^y(es)?$/i.test(answer.trim()) ? 'allow' : 'deny';
  };
}

export const errorOf = (error: unknown): Failure =>
  error instanceof A2cError
    ? {
        code: error.code,
        message: error.message,
        details: error.details,
        ...(error.remedy !== undefined && { remedy: error.remedy }),
      }
    : { code: 500, message: error instanceof Error ? error.message : String(error) };

/** What is wrong with a line at the prompt. */
export const usage = (text: string): A2cError => new A2cError({ code: 400, message: `usage: ${text}` });
/** One failure for a person or, with `--json`, as the one document on stdout. */
export function showFailure({ terminal }: Context, failure: Failure, asJson: boolean): void {
  const { code, message, details = {}, remedy = null } = failure;
  if (asJson) terminal.out(JSON.stringify({ error: { code, message, details, remedy } }));
  else {
    // A config has one mistake a line: each below the first stands further in.
    terminal.errText(`error: ${message.replaceAll('\n', '\n  ')}`);
    if (remedy !== null) terminal.err(`  ${remedy}`);
  }
}
