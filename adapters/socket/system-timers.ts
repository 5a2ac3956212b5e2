import type { Timers } from '../../machines/office/rooms/pending.ts';

/** Timers of the real clock. An office clears its timers when it closes, so none of them keeps the process alive. */
export const systemTimers: Timers = {
  setTimer: (run, ms) => setTimeout(run, ms),
  clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
};
