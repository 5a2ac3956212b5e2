import { expect, it } from 'vitest';
import type { DirectoryRecord } from '../../machines/trace/record.ts';
import { HostIncidents } from './host-incidents.ts';

const call = (n: number, outcome: string): DirectoryRecord[] => {
  const settled = {
    type: 'call.settled',
    reqId: `r${n}`,
    tool: 'charge',
    server: 'pay',
    end: outcome,
    outcome,
  };
  return [
    {
      k: 'in',
      via: 'host',
      a: 'computer',
      ev: { type: 'call.request', reqId: `r${n}`, tool: 'charge', params: { n } },
    },
    {
      k: 'post',
      from: 'computer',
      a: 'host:computer.1',
      ev: { ...settled, failure: null, result: null },
    },
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

/** Records of a call that its server gets: as it is asked, sent and ended. */
const sentCall = (id: string, tool: string): DirectoryRecord[] => {
  const a = `computer/client:pay/call:host.${id}#3`;
  const settled = { type: 'call.settled', reqId: id, tool, server: 'pay', failure: null, result: null };
  return [
    { k: 'in', via: 'host', a: 'computer', ev: { type: 'call.request', reqId: id, tool, params: {} } },
    {
      ...{ k: 'out', port: 'ask', a },
      ev: { type: 'ask', id: 'rpc', target: 'computer/client:pay', method: 'tools/call', params: {} },
    },
    { k: 'post', from: a, a: 'host:computer.1', ev: { ...settled, end: 'succeeded', outcome: 'succeeded' } },
  ] as never;
};
const hostAt = async () => {
  const clock = { now: 1_000 };
  const later = (run: () => void): void => run();
  const incidents = new HostIncidents({ now: () => clock.now, hide: (value) => value, later });
  await incidents.loaded;
  return { clock, incidents };
};
it('a call that hangs is an incident while thousands of quick calls succeed', async () => {
  const { clock, incidents } = await hostAt();
  const told: string[] = [];
  incidents.on(({ kind, message }) => void told.push(`${kind}: ${message}`));
  for (const record of sentCall('hangs', 'slow').slice(0, 2)) incidents.record(record);
  for (let n = 0; n < 3_000; n++) {
    for (const record of sentCall(`q${n}`, 'quick')) incidents.record(record);
    clock.now += 5;
  }
  expect(told).toEqual(['slow: slow has not answered for 10 s.']);
});
it('a call of three seconds is slow for a tool that answered quickly before', async () => {
  const { clock, incidents } = await hostAt();
  for (const id of ['1', '2', '3', '4', '5', 'late']) {
    const [asked, sent, ended] = sentCall(id, 'look');
    for (const record of [asked, sent]) if (record) incidents.record(record);
    clock.now += id === 'late' ? 3_000 : 20;
    if (ended) incidents.record(ended);
  }
  expect(incidents.facts).toMatchObject([{ kind: 'slow', subject: 'pay', message: 'look took 3.0 s.' }]);
});

it('a window that cannot be read is an incident of the server that shows it', async () => {
  const incidents = new HostIncidents({ now: () => 1_000, hide: (value) => value, later: () => 0 });
  await incidents.loaded;
  const a = 'computer/desktop#3/cache:editor#4/read:main#5';
  const client = 'computer/client:editor';
  const params = { uri: 'window://main' };
  const ask = { type: 'ask', id: 'read', target: client, method: 'resources/read', params };
  const open = { type: 'leaf.open', input: { server: 'editor', key: client } };
  const refused = { type: 'ask.refused', id: 'read', failure: { message: 'nothing came' } };
  incidents.record({ k: 'out', port: 'session', a: `${client}#1/session#2`, ev: open } as never);
  incidents.record({ k: 'out', port: 'ask', a, ev: ask } as never);
  incidents.record({ k: 'in', via: 'ask', id: 'read', a, ev: refused } as never);
  expect(incidents.facts).toMatchObject([
    { kind: 'window', subject: 'editor', remedy: "Look at what 'editor' does, or start it again." },
  ]);
});
