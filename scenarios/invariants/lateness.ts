import type { Bounds, SeenRecord } from './invariant.ts';

/** Returns the lateness of the latest timer in ms, caused by an event loop that hung or a machine that slept. */
export function latenessOf(seen: Iterable<SeenRecord>): number {
  const due = new Map<string, number>();
  let latest = 0;
  for (const { at, record: r } of seen) {
    if (r.k === 'timer' && r.op === 'set') due.set(`${r.a} ${r.n}`, at + Math.max(0, r.ms ?? 0));
    if (r.k !== 'in' || (r.via !== 'timer' && r.via !== 'deadline')) continue;
    latest = Math.max(latest, at - (due.get(`${r.a} ${r.n}`) ?? at));
    due.delete(`${r.a} ${r.n}`);
  }
  return latest;
}

/** Delay in ms allowed for a busy machine. */
const busyMs = 5_000;
/** Returns bounds for a real run: the lateness of its own timers, and a little more. */
export const boundsOf = (seen: Iterable<SeenRecord>): Bounds => ({
  slackMs: busyMs + latenessOf(seen),
  wayMs: busyMs,
});
