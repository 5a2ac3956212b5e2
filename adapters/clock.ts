import { randomUUID } from 'node:crypto';
import { homedir, hostname } from 'node:os';

/** setTimeout of Node fires at once above this. */
const longestMs = 2_147_483_647;

/** The wall: time as it passes, and names that nobody else has. The machines get both through here only. */
export const systemClock = {
  /** ms, monotonic. */
  now: (): number => performance.now(),
  setTimeout: (fire: () => void, ms: number): unknown => setTimeout(fire, Math.min(ms, longestMs)),
  /** In [0, 1). */
  random: (): number => Math.random(),
  clearTimeout: (timer: unknown): void => clearTimeout(timer as NodeJS.Timeout),
};
export const newId = (): string => randomUUID();
/** Of this process, for people who read what it left. */
export const processFacts = { pid: process.pid, node: process.version };
/** Of the user. */
export const homeFolder = (): string => homedir();
export const hostName = (): string => hostname();

/** Time as a folder here needs it; tests give their own. */
export interface Timers {
  setTimeout(fire: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}
/** None of them keeps a host alive: what it waits for does, a socket, a process or a thread. */
export const waitingTimers: Timers = {
  setTimeout: (fire, ms) => setTimeout(fire, Math.min(ms, longestMs)).unref(),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};
