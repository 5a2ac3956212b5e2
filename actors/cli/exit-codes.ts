import type { ServerStatus } from '../servers/server-handle.ts';
import { A2cError } from '../kernel/errors.ts';
import type { CommandContext } from './context.ts';

/**
 * Exit codes of the process: 0 = done, 1 = the operation failed, 64 = wrong usage, 130 = Ctrl-C, unless that is how a
 * command ends.
 */
export const exitCodes = { done: 0, failed: 1, usage: 64, interrupted: 130 } as const;
/** Exit codes after a signal: 128 and the number of the signal. */
const signalCodes = { SIGINT: exitCodes.interrupted, SIGTERM: 143, SIGHUP: 129 } as const;
/** Why the signal of a `Context` was aborted. Without it: Ctrl-C. */
export class EndedBySignal extends Error {
  readonly exitCode: number;
  constructor(name: keyof typeof signalCodes) {
    super(`ended by ${name}`);
    this.exitCode = signalCodes[name];
  }
}

/** Ended by SIGTERM: by a program, such as what starts it again elsewhere. */
export const isTerminated = ({ reason }: AbortSignal): boolean =>
  reason instanceof EndedBySignal && reason.exitCode === signalCodes.SIGTERM;

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
/** Runs a question that takes no signal: Ctrl-C closes the host that is asked, which rejects it. */
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
/** Exit code of a command that runs until it is ended, for which Ctrl-C is the usual way. */
export const exitCodeAtEnd = (signal: AbortSignal): number => {
  const code = exitCodeOf(signal);
  return code === exitCodes.interrupted ? exitCodes.done : code;
};
/** Servers that answer calls, or start when there is one. Where there is none, a command has failed. */
export function hasUsable({ terminal }: CommandContext, servers: readonly ServerStatus[]): boolean {
  const isUsable = servers.some(({ state }) => state === 'ready' || state === 'standby');
  // The answer names the servers and why they are not usable.
  if (!isUsable) terminal.err('error: no server is usable');
  return isUsable;
}
