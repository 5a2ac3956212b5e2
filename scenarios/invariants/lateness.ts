import type { Bounds, SeenRecord } from './invariant.ts';

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

const busyMs = 5_000;
export const boundsOf = (seen: Iterable<SeenRecord>): Bounds => ({
  slackMs: busyMs + latenessOf(seen),
  wayMs: busyMs,
});
