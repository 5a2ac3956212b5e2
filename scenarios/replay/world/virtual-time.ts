import { setTimeout as pause } from 'node:timers/promises';
import { countRealWork, during, livingHosts, useClock } from '../../../actors/api/world-doors.ts';
import { VirtualClock } from '../../stage/virtual-clock.ts';

/** Time of hosts that passes only when it is told to. */
export interface VirtualTime extends AsyncDisposable {
  /** ms that have passed since it began. */
  now(): number;
  /**
   * Lets time pass until `work` has settled, and gives what it gave. From one timer of the hosts to the next one it takes no
   * real time at all. Rejects with an `Error` where nothing is due any more and `work` has not settled, or where something
   * real holds time for longer than `patienceMs`; the text names what does.
   */
  run<T>(work: PromiseLike<T> | (() => PromiseLike<T>)): Promise<T>;
  /** Lets so many ms pass, with everything that is due meanwhile. */
  advance(ms: number): Promise<void>;
  /**
   * Holds time until `work` has settled. Only for work that Node does not show while it is under way: jobs of worker threads,
   * `crypto` and `zlib`, and modules that are loaded late.
   */
  during<T>(work: Promise<T>): Promise<T>;
  /** Puts the real clock back. Rejects, and leaves this one in force, where hosts still live on it: close them first. */
  [Symbol.asyncDispose](): Promise<void>;
}
/** How long virtual time waits for the real one. */
export interface VirtualTimeOptions {
  /** ms of real time for which something real may hold time; default 4,000, less than the time-out of a test. */
  readonly patienceMs?: number;
}

/** Resources that wait for somebody else for as long as they are there. All others that keep this process alive are work under way. */
const passive: ReadonlySet<string> = new Set([
  ...['PipeWrap', 'TTYWrap', 'MessagePort', 'Worker'],
  ...['TCPServerWrap', 'PipeServerWrap', 'UDPWrap', 'FSEventWrap', 'StatWatcher', 'SignalWrap'],
]);
/** Resources that may wait for an answer of the outside, for as long as they are open. */
const connections: ReadonlySet<string> = new Set(['TCPSocketWrap', 'TLSWrap', 'ProcessWrap']);
const isConnection = (kind: string): boolean => connections.has(kind);
const isWork = (kind: string): boolean => !passive.has(kind) && !connections.has(kind);
/** Turns of the event loop in which nothing real was seen: the first one may have begun what the next one sees. */
const quietTurns = 3;
/** ms between two looks at what holds time. */
const lookMs = 1;

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const counted = (kinds: readonly string[]): string =>
  [...new Set(kinds)].map((kind) => `${kinds.filter((each) => each === kind).length} × ${kind}`).join(', ');

class HostTime implements VirtualTime {
  readonly #clock = new VirtualClock();
  readonly #patienceMs: number;
  /** Connections that were open before. */
  readonly #before: number;
  #isOver = false;

  constructor({ patienceMs = 4_000 }: VirtualTimeOptions) {
    this.#patienceMs = patienceMs;
    this.#before = process.getActiveResourcesInfo().filter(isConnection).length;
    useClock({
      now: () => this.#clock.now(),
      // Every drawn delay is the middle one: no test hangs on chance.
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
    return [...kinds.filter(isWork), ...open.slice(this.#before), ...own];
  }
  /** Waits until nothing real is under way, so that it does not matter how long that took. */
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
      await pause(lookMs, undefined, { ref: false });
    }
  }
  /** Nothing is due. What this process does elsewhere may still come. */
  async #lastChance(isOver: () => boolean): Promise<void> {
    const began = performance.now();
    while (!isOver() && this.#clock.pending === 0) {
      if (performance.now() - began > this.#patienceMs)
        throw new Error(
          'virtualTime: no timer is due and nothing real is under way, and the work has not settled: nothing can end it.',
        );
      await pause(lookMs);
    }
  }
}
let active: HostTime | undefined;

/**
 * Puts a clock in force that passes only by `run` and `advance`, for tests in vitest, node:test or any other runner; timers of
 * the runner and of your own code are real. Hosts made meanwhile run on it: each time-out, backoff and limit of ours. Time moves
 * on only when nothing real is under way in this process: no file being read, no name looked up, no program checked by a worker
 * of ours, no timer of your own (one that is `unref`ed does not count), no connection opened meanwhile. So no result depends on
 * how fast the machine is. Closing a host lets time pass by itself. Chance always draws the middle. Throws an `Error` where
 * hosts already live on the real clock, or another virtual time is in force: one process has one clock.
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
