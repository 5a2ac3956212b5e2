import { basename } from 'node:path';
import { randomUUID } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import type { Timers as OfficeTimers } from '../machines/office/rooms/pending.ts';

/** Longest delay in ms that `setTimeout` of Node supports; with a longer one it fires at once. */
const longestMs = 2_147_483_647;

export interface Timers {
  setTimeout(fire: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}
export interface Clock extends Timers {
  /** Monotonic, in ms. */
  now(): number;
  /** In [0, 1). */
  random(): number;
  /** Advances virtual time until the given promise has settled; missing on a clock where time passes by itself. */
  drive?<T>(work: Promise<T>): Promise<T>;
}
const wall: Clock = {
  now: () => performance.now(),
  setTimeout: (fire, ms) => setTimeout(fire, Math.min(ms, longestMs)),
  random: () => Math.random(),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};
let inForce = wall;

/** Real time, or the virtual time of a test. State machines get time and random numbers only from here. */
export const systemClock = {
  now: (): number => inForce.now(),
  setTimeout: (fire: () => void, ms: number): unknown => inForce.setTimeout(fire, ms),
  random: (): number => inForce.random(),
  clearTimeout: (timer: unknown): void => inForce.clearTimeout(timer),
  /** For the close of a host, when no other code advances virtual time. Real time changes nothing. */
  drive: <T>(work: Promise<T>): Promise<T> => inForce.drive?.(work) ?? work,
};
type Living = () => string;
const living = new Set<Living>();
export function liveOnClock(host: Living): () => void {
  living.add(host);
  return () => void living.delete(host);
}
export const livingHosts = (): readonly string[] => [...living].map((host) => host());
/** `undefined` restores real time. No host may be using the old clock. */
export function useClock(clock: Clock | undefined): void {
  inForce = clock ?? wall;
}
export const isRealTime = (): boolean => inForce === wall;

const underWay = new Set<symbol>();
/** For work that virtual time cannot see, such as a thread; it ends when the returned function is called. */
export function realWork(): () => void {
  const work = Symbol('work');
  underWay.add(work);
  return () => void underWay.delete(work);
}
export function during<T>(work: Promise<T>): Promise<T> {
  const end = realWork();
  return work.finally(end);
}
export const countRealWork = (): number => underWay.size;

export const newId = (): string => randomUUID();
export const processFacts = {
  pid: process.pid,
  node: process.version,
  get program(): string {
    return basename(process.argv[1] ?? process.title);
  },
};
export const homeFolder = (): string => homedir();
export const hostName = (): string => hostname();

/** The socket, process or thread that such a timer guards keeps the process alive instead. */
export const waitingTimers: Timers = {
  setTimeout: (fire, ms) =>
    inForce === wall ? wallTimers.setTimeout(fire, ms) : inForce.setTimeout(fire, ms),
  clearTimeout: (timer) => inForce.clearTimeout(timer),
};
/** For work such as threads that virtual time cannot speed up. They do not keep the process alive. */
export const wallTimers: Timers = {
  setTimeout: (fire, ms) => setTimeout(fire, Math.min(ms, longestMs)).unref(),
  clearTimeout: wall.clearTimeout,
};

/** An office clears its timers when it closes, so none of them keeps the process alive. */
export const systemTimers: OfficeTimers = {
  setTimer: (run, ms) => setTimeout(run, ms),
  clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
};
