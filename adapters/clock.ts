import { randomUUID } from 'node:crypto';
import { homedir, hostname } from 'node:os';

/** setTimeout of Node fires at once above this. */
const longestMs = 2_147_483_647;

/** Time as a folder here needs it; tests give their own. */
export interface Timers {
  setTimeout(fire: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}
/** Time and chance. */
export interface Clock extends Timers {
  /** ms, monotonic. */
  now(): number;
  /** In [0, 1). */
  random(): number;
  /** Lets time pass until it has settled, where time does not pass by itself. */
  drive?<T>(work: Promise<T>): Promise<T>;
}
const wall: Clock = {
  now: () => performance.now(),
  setTimeout: (fire, ms) => setTimeout(fire, Math.min(ms, longestMs)),
  random: () => Math.random(),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};
let inForce = wall;

/** Time as it passes, or as a test has put it in its place, and chance. The machines get both through here only. */
export const systemClock = {
  /** ms, monotonic. */
  now: (): number => inForce.now(),
  setTimeout: (fire: () => void, ms: number): unknown => inForce.setTimeout(fire, ms),
  /** In [0, 1). */
  random: (): number => inForce.random(),
  clearTimeout: (timer: unknown): void => inForce.clearTimeout(timer),
  /** Lets time pass for the end of a host, for which nobody else may do so. */
  drive: <T>(work: Promise<T>): Promise<T> => inForce.drive?.(work) ?? work,
};
/** Says what a host is that lives on the clock, for a person. */
type Living = () => string;
const living = new Set<Living>();
/** Counts a host that lives on the clock, until the returned function is called. */
export function liveOnClock(host: Living): () => void {
  living.add(host);
  return () => void living.delete(host);
}
/** Hosts that live on the clock now, each in a few words. */
export const livingHosts = (): readonly string[] => [...living].map((host) => host());
/** Puts another clock in force for all hosts of this process; `undefined`: the wall again. Nobody may live on the old one. */
export function useClock(clock: Clock | undefined): void {
  inForce = clock ?? wall;
}
/** Tells the time of the wall from that of a test. */
export const isRealTime = (): boolean => inForce === wall;

const underWay = new Set<symbol>();
/** Counts work of the real world that nobody else can see: a worker, a module that is loaded. Ends with the returned function. */
export function realWork(): () => void {
  const work = Symbol('work');
  underWay.add(work);
  return () => void underWay.delete(work);
}
/** The same for as long as it has not settled. */
export function during<T>(work: Promise<T>): Promise<T> {
  const end = realWork();
  return work.finally(end);
}
export const countRealWork = (): number => underWay.size;

export const newId = (): string => randomUUID();
/** Of this process, for people who read what it left. */
export const processFacts = { pid: process.pid, node: process.version };
/** Of the user. */
export const homeFolder = (): string => homedir();
export const hostName = (): string => hostname();

/** None of them keeps a host alive: what it waits for does, a socket, a process or a thread. */
export const waitingTimers: Timers = {
  setTimeout: (fire, ms) =>
    inForce === wall ? wallTimers.setTimeout(fire, ms) : inForce.setTimeout(fire, ms),
  clearTimeout: (timer) => inForce.clearTimeout(timer),
};
/** The same for what takes real time whatever the clock says, such as a thread. */
export const wallTimers: Timers = {
  setTimeout: (fire, ms) => setTimeout(fire, Math.min(ms, longestMs)).unref(),
  clearTimeout: wall.clearTimeout,
};
