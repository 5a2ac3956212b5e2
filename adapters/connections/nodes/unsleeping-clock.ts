const both = [() => performance.now(), () => Date.now()];
/**
 * ms that only grow, by whichever clock goes faster: one that only goes forward stands still while a machine is suspended, and that of
 * the wall is set now and then.
 */
export function unsleepingClock(clocks: readonly (() => number)[] = both): () => number {
  const last = clocks.map((now) => now());
  let time = 0;
  return () => {
    let passed = 0;
    for (const [n, now] of clocks.entries()) {
      const next = now();
      passed = Math.max(passed, next - (last[n] ?? next));
      last[n] = next;
    }
    return (time += passed);
  };
}
