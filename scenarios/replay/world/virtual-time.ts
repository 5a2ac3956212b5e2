import { setTimeout as pause } from 'node:timers/promises';
import { countRealWork, during, livingHosts, useClock } from '../../../actors/api/world-doors.ts';
import { VirtualClock } from '../../stage/virtual-clock.ts';

/** Clock of hosts whose time passes only when a test lets it pass. */
export interface VirtualTime extends AsyncDisposable {
  /** Returns the virtual time in ms since the clock began. */
  now(): number;
  /**
   * Lets time pass until `work` has settled, and resolves with its result. Waiting for the hosts' timers takes no real time.
   * Rejects with an `Error` when `work` has not settled but nothing is due any more, or when real work holds time for longer than
   * `patienceMs`; the message names that work.
   */
  run<T>(work: PromiseLike<T> | (() => PromiseLike<T>)): Promise<T>;
  /** Lets this many ms pass, with everything that becomes due meanwhile. */
  advance(ms: number): Promise<void>;
  /**
   * Holds time until `work` has settled. Needed only for work that Node does not show while it is under way: jobs of worker
   * threads, `crypto` and `zlib`, and modules that are loaded late.
   */
  during<T>(work: Promise<T>): Promise<T>;
  /** Restores the real clock. Rejects, and keeps virtual time, while hosts still use it; close them first. */
  [Symbol.asyncDispose](): Promise<void>;
}
/** Options of virtual time. */
export interface VirtualTimeOptions {
  /**
   * Limit in ms of real time for which real work may hold virtual time; 4,000 by default, less than the usual time-out of a test.
   */
  readonly patienceMs?: number;
}

/** They wait for as long as they exist; all others that keep this process alive count as work under way. */
const passive: ReadonlySet<string> = new Set([
  ...['PipeWrap', 'TTYWrap', 'MessagePort', 'Worker'],
  ...['TCPServerWrap', 'PipeServerWrap', 'UDPWrap', 'FSEventWrap', 'StatWatcher', 'SignalWrap'],
]);
/** They may wait for an answer from outside for as long as they are open. */
const connections: ReadonlySet<string> = new Set(['TCPSocketWrap', 'TLSWrap', 'ProcessWrap']);
const isConnection = (kind: string): boolean => connections.has(kind);
const isWork = (kind: string): boolean => !passive.has(kind) && !connections.has(kind);
/** Turns without real work before time passes, because one turn may begin work that the next one shows. */
const quietTurns = 3;
const lookMs = 1;

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const counted = (kinds: readonly string[]): string =>
  [...new Set(kinds)].map((kind) => `${kinds.filter((each) => each === kind).length} × ${kind}`).join(', ');

class HostTime implements VirtualTime {
  readonly #clock = new VirtualClock();
  readonly #patienceMs: number;
  readonly #before: number;
  /** Own pauses are timers of Node but no work. */
  #pauses = 0;
  #isOver = false;

  constructor({ patienceMs = 4_000 }: VirtualTimeOptions) {
    this.#patienceMs = patienceMs;
    this.#before = process.getActiveResourcesInfo().filter(isConnection).length;
    useClock({
      now: () => this.#clock.now(),
      // The middle, so that no test depends on chance.
      random: () => 0.5,
      setTimeout: this.#clock.setTimeout,
      clearTimeout: this.#clock.clearTimeout,
      drive: (work) => this.run(work),
    });
  }
  now(): number {
    return this.#clock.now();
  }
  during<T>(work: Promise<T>): Promise<T> {
    return during(work);
  }
  async run<T>(work: PromiseLike<T> | (() => PromiseLike<T>)): Promise<T> {
    const promise = Promise.resolve(typeof work === 'function' ? work() : work);
    let isSettled = false;
    const settle = (): void => void (isSettled = true);
    promise.then(settle, settle);
    const isOver = (): boolean => isSettled;
    for (;;) {
      await this.#quiet(isOver);
      if (isSettled) return promise;
      if (!this.#clock.step()) await this.#lastChance(isOver);
    }
  }
  async advance(ms: number): Promise<void> {
    const end = this.#clock.now() + ms;
    const never = (): boolean => false;
    for (;;) {
      await this.#quiet(never);
      if (this.#clock.step(end)) continue;
      this.#clock.advance(Math.max(0, end - this.#clock.now()));
      return this.#quiet(never);
    }
  }
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isOver) return;
    await turn();
    const hosts = livingHosts();
    if (hosts.length > 0)
      throw new Error(
        `virtualTime: still live on it: ${hosts.join(', ')}. Close them before it is disposed.`,
      );
    this.#isOver = true;
    active = undefined;
    useClock(undefined);
  }

  #holding(): readonly string[] {
    const kinds = process.getActiveResourcesInfo();
    const open = kinds.filter(isConnection);
    const own = Array.from({ length: countRealWork() }, () => 'work of a host');
    let pauses = this.#pauses;
    const work = kinds.filter((kind) => isWork(kind) && !(kind === 'Timeout' && pauses-- > 0));
    return [...work, ...open.slice(this.#before), ...own];
  }
  /** Keeps the process alive, because the work that is waited for may not do so. */
  async #pause(): Promise<void> {
    this.#pauses += 1;
    await pause(lookMs);
    this.#pauses -= 1;
  }
  /** Waits for real work, so that its duration does not matter. */
  async #quiet(isOver: () => boolean): Promise<void> {
    const began = performance.now();
    for (let turns = 0; turns < quietTurns && !isOver(); turns += 1) {
      await turn();
      const holding = this.#holding();
      if (holding.length === 0) continue;
      turns = -1;
      if (performance.now() - began > this.#patienceMs)
        throw new Error(
          `virtualTime: time stands still, for something real is under way: ${counted(holding)}. ` +
            'Clear timers and close connections of your own, or open them before virtualTime().',
        );
      await this.#pause();
    }
  }
  /** When nothing is due, other work of this process may still finish. */
  async #lastChance(isOver: () => boolean): Promise<void> {
    const began = performance.now();
    while (!isOver() && this.#clock.pending === 0) {
      if (performance.now() - began > this.#patienceMs)
        throw new Error(
          'virtualTime: no timer is due and nothing real is under way, and the work has not settled: nothing can end it.',
        );
      await this.#pause();
    }
  }
}
let active: HostTime | undefined;

/**
 * Replaces the clock of this process by one that advances only in `run` and `advance`, for tests in vitest, node:test or any
 * other runner. Hosts created meanwhile use it for every time-out, backoff and limit; timers of the test runner and of your own
 * code stay real.
 * Time advances only while no real work is under way in this process: no file being read, no name being looked up, no program
 * being checked by a worker of this package, no timer of your own (one that is `unref`ed does not count), no connection opened
 * meanwhile. Results therefore do not depend on the speed of the machine. Closing a host lets time pass by itself. Random numbers
 * are always the middle of their range. Throws an `Error` when hosts already use the real clock, or when another virtual time is
 * in force, because a process has one clock.
 * @example
 * await using time = virtualTime();
 * await using computer = await time.run(createComputer({ config, confirm, ...worldOf('acme.trace.ndjson').computer }));
 * const { outcome } = await time.run(computer.callTool('report', { customer: 'ACME' }));
 */
export function virtualTime(options: VirtualTimeOptions = {}): VirtualTime {
  if (active) throw new Error('virtualTime: another one is in force; dispose it first (await using).');
  const hosts = livingHosts();
  if (hosts.length > 0)
    throw new Error(`virtualTime: hosts live on the real clock: ${hosts.join(', ')}. Close them first.`);
  return (active = new HostTime(options));
}
