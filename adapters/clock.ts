import { basename } from 'node:path';
import { randomUUID } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import type { Timers as OfficeTimers } from '../machines/office/rooms/relay.ts';

/** Longest delay in ms that `setTimeout` of Node supports; with a longer one it fires at once. */
const longestMs = 2_147_483_647;

/** Timer functions, which tests replace with their own. */
export interface Timers {
  setTimeout(fire: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}
/** Source of time, timers and random numbers. */
export interface Clock extends Timers {
  /** Returns the monotonic time in ms. */
  now(): number;
  /** Returns a random number from 0 up to, but not including, 1. */
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

/**
 * Clock of this process: real time, or the virtual time that a test has installed. State machines get time and random numbers
 * only from here.
 */
export const systemClock = {
  /** Returns the monotonic time in ms. */
  now: (): number => inForce.now(),
  setTimeout: (fire: () => void, ms: number): unknown => inForce.setTimeout(fire, ms),
  /** Returns a random number from 0 up to, but not including, 1. */
  random: (): number => inForce.random(),
  clearTimeout: (timer: unknown): void => inForce.clearTimeout(timer),
  /**
   * Advances virtual time until a host has closed, because no other code advances it at that point. With real time it returns the
   * promise unchanged.
   */
  drive: <T>(work: Promise<T>): Promise<T> => inForce.drive?.(work) ?? work,
};
/** Function that describes a host that uses the clock, for an error message. */
type Living = () => string;
const living = new Set<Living>();
/** Registers a host that uses the clock, until the returned function is called. */
export function liveOnClock(host: Living): () => void {
  living.add(host);
  return () => void living.delete(host);
}
/** Descriptions of the hosts that use the clock now, a few words each. */
export const livingHosts = (): readonly string[] => [...living].map((host) => host());
/** Installs another clock for all hosts of this process; `undefined` restores real time. No host may be using the old clock. */
export function useClock(clock: Clock | undefined): void {
  inForce = clock ?? wall;
}
/** Tells whether the clock shows real time and not the virtual time of a test. */
export const isRealTime = (): boolean => inForce === wall;

const underWay = new Set<symbol>();
/**
 * Counts one piece of work that virtual time cannot see, such as a worker thread or the loading of a module. The work ends when
 * the returned function is called.
 */
export function realWork(): () => void {
  const work = Symbol('work');
  underWay.add(work);
  return () => void underWay.delete(work);
}
/** Counts a promise as work outside of virtual time until it has settled. */
export function during<T>(work: Promise<T>): Promise<T> {
  const end = realWork();
  return work.finally(end);
}
export const countRealWork = (): number => underWay.size;

export const newId = (): string => randomUUID();
/** Process id and Node version of this host, written to its traces and files for people who read them. */
export const processFacts = {
  pid: process.pid,
  node: process.version,
  /** Name of the program that this process runs, without its folder. */
  get program(): string {
    return basename(process.argv[1] ?? process.title);
  },
};
/** Home folder of the user who runs this process. */
export const homeFolder = (): string => homedir();
export const hostName = (): string => hostname();

/** Timers that do not keep the process alive. The socket, process or thread that such a timer guards keeps it alive instead. */
export const waitingTimers: Timers = {
  setTimeout: (fire, ms) =>
    inForce === wall ? wallTimers.setTimeout(fire, ms) : inForce.setTimeout(fire, ms),
  clearTimeout: (timer) => inForce.clearTimeout(timer),
};
/**
 * Timers that always use real time, for work such as threads that virtual time cannot speed up. These timers do not keep the
 * process alive.
 */
export const wallTimers: Timers = {
  setTimeout: (fire, ms) => setTimeout(fire, Math.min(ms, longestMs)).unref(),
  clearTimeout: wall.clearTimeout,
};

/** Timers of the real clock. An office clears its timers when it closes, so none of them keeps the process alive. */
export const systemTimers: OfficeTimers = {
  setTimer: (run, ms) => setTimeout(run, ms),
  clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
};
