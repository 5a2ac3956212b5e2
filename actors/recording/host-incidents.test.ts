import { expect, it } from 'vitest';
import type { DirectoryRecord } from '../../machines/trace/record.ts';
import { HostIncidents } from './host-incidents.ts';

const call = (n: number, outcome: string): DirectoryRecord[] => {
  const of = { reqId: `r${n}`, tool: 'charge' };
  const settled = { ...of, server: 'pay', end: outcome, outcome, failure: null, result: null };
  return [
    { k: 'in', via: 'host', a: 'computer', ev: { type: 'call.request', ...of, params: { n } } },
    { k: 'post', from: 'computer', a: 'host:computer.1', ev: { type: 'call.settled', ...settled } },
  ] as never;
};
it('an incident is still known after 25,000 other calls, with its call, and is told once', async () => {
  const told: string[] = [];
  let now = 1_000;
  const due: (() => void)[] = [];
  const later = (run: () => void): number => due.push(run);
  const incidents = new HostIncidents({ now: () => now, hide: (value) => value, later });
  await incidents.loaded;
  incidents.on(({ kind, mayHaveHappened }) => void told.push(`${kind} ${mayHaveHappened.join()}`));
  for (let n = 0; n <= 25_000; n++) {
    now += 1;
    for (const record of call(n, n === 0 ? 'unknown' : 'succeeded')) incidents.record(record);
  }
  for (const run of due) run();
  expect(told).toEqual(['call charge']);
  expect(incidents.facts).toMatchObject([
    { kind: 'call', subject: 'pay', mayHaveHappened: ['charge'], isSeen: false },
  ]);
  expect([...incidents.open]).toEqual([['call', 1]]);
  const { incidents: all, revision } = incidents.after(0);
  expect(all[0]?.calls).toMatchObject([{ reqId: 'r0', params: { n: 0 } }]);
  expect(incidents.after(revision).incidents).toEqual([]);
  incidents.see(all.map(({ id }) => id));
  expect([...incidents.open]).toEqual([]);
});
