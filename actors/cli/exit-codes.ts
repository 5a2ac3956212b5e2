import type { ServerStatus } from '../servers/server-handle.ts';
import { A2cError } from '../kernel/errors.ts';
import type { CommandContext } from './context.ts';

/**
 * Of a call: `notSent` may be repeated, `unknown` must not be. 130 = Ctrl-C, unless Ctrl-C is the usual way to end the
 * command.
 */
export const exitCodes = { done: 0, failed: 1, notSent: 2, unknown: 3, usage: 64, interrupted: 130 } as const;
/** Errors that are thrown come from before anything was sent. */
export const failedCode = (command: string | undefined): number =>
  command === 'call' ? exitCodes.notSent : exitCodes.failed;
/** 128 plus the number of the signal; who closes the pipe, such as `head`, has had enough. */
const signalCodes = {
  SIGINT: exitCodes.interrupted,
  SIGTERM: 143,
  SIGHUP: 129,
  SIGBREAK: 149,
  SIGPIPE: exitCodes.done,
} as const;
/** An abort without this reason means Ctrl-C. */
export class EndedBySignal extends Error {
  readonly exitCode: number;
  constructor(name: keyof typeof signalCodes) {
    super(`ended by ${name}`);
    this.exitCode = signalCodes[name];
  }
}

/** SIGTERM comes from a program such as a service manager, not from a person. */
export const isTerminated = ({ reason }: AbortSignal): boolean =>
  reason instanceof EndedBySignal && reason.exitCode === signalCodes.SIGTERM;

const interrupted = (): A2cError => new A2cError({ code: 'ToolCallCancelled', message: 'Interrupted' });
/** Whatever else has failed meanwhile, so that no half answer is printed. */
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
/** For a question without abort signal: Ctrl-C closes the host that is asked, which rejects the question. */
export async function orClosed<T>(
  signal: AbortSignal,
  asked: { close(): Promise<void> },
  work: () => Promise<T>,
): Promise<T> {
  const stop = (): void => void asked.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
const codeOf = ({ reason }: AbortSignal): number =>
  reason instanceof EndedBySignal ? reason.exitCode : exitCodes.interrupted;
/** `end` is that of the command itself: its code, or whether it is done. */
export const exitCodeOf = (signal: AbortSignal, end: boolean | number = true): number => {
  if (signal.aborted) return codeOf(signal);
  return typeof end === 'number' ? end : end ? exitCodes.done : exitCodes.failed;
};
/** Ctrl-C is the usual way to end the command and counts as done. */
export const exitCodeAtEnd = (signal: AbortSignal): number => {
  const code = exitCodeOf(signal);
  return code === exitCodes.interrupted ? exitCodes.done : code;
};
/** A usable server answers calls, or starts when called. */
export function hasUsable({ terminal }: CommandContext, servers: readonly ServerStatus[]): boolean {
  const isUsable = servers.some(({ state }) => state === 'ready' || state === 'standby');
  // Prints no reasons in this error, because the output above names the servers and their failures.
  if (!isUsable) terminal.err('error: no server is usable');
  if (servers.length === 0) terminal.err('  There are none; add one: a2c add NAME -- COMMAND');
  return isUsable;
}
