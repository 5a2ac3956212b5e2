import type { Timers } from '../../machines/office/rooms/pending.ts';

/** The real clock. A host that closes its office clears them, so none keeps a process alive. */
export const systemTimers: Timers = {
  setTimer: (run, ms) => setTimeout(run, ms),
  clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
};
