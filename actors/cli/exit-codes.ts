import type { ServerStatus } from '../servers/server-handle.ts';
import { A2cError } from '../kernel/errors.ts';
import type { Context } from './context.ts';

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
  const isUsable = servers.some(({ state }) => state === 'ready' || state === 'standby');
  // Which there are and why they are not stands in the answer.
  if (!isUsable) terminal.err('error: no server is usable');
  return isUsable;
}
