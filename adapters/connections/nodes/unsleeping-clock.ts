const both = [() => performance.now(), () => Date.now()];
/**
 * ms that only grow, by whichever clock goes faster: one that only goes forward stands still while a machine is suspended, and that of
 * the wall is set now and then.
 */
export function unsleepingClock(clocks: readonly (() => number)[] = both): () => number {
  let last = clocks.map((now) => now());
  let time = 0;
  return () => {
    const next = clocks.map((now) => now());
    time += Math.max(0, ...next.map((now, n) => now - (last[n] ?? now)));
    last = next;
    return time;
  };
}
