/** Time as this room needs it; tests give their own. */
export interface Timers {
  setTimeout(fire: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

const longestMs = 2 ** 31 - 1;
/** None of them keeps a host alive: the thread does, while somebody waits for it. */
export const systemTimers: Timers = {
  setTimeout: (fire, ms) => setTimeout(fire, Math.min(ms, longestMs)).unref(),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};
