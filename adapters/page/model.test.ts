import type { Row } from '../../machines/trace/row.ts';
import { describe, expect, it } from 'vitest';
import type { Chart, Charts } from '../../machines/trace/chart.ts';
import { History } from './history.ts';
import { moodOf, restartsOf, serversOf, treeOf } from './model.ts';

const client = 'computer/client:web#1';
const node = (path: string, tag: string): Chart['nodes'][number] => ({
  ...{ path, type: 'compound', tags: [tag], initial: [], entry: [], exit: [], invoke: [] },
});
const charts: Charts = {
  client: {
    ...{ kind: 'client', fingerprint: 'f', transitions: [] },
    nodes: [node('connected.ready', 'ready'), node('connected.handshaking', 'connecting')],
  },
};
const context = { server: 'web', budget: 5, attempt: 0 };
const whole = { value: { serving: 'whole' }, context: {} };
const ready = { value: { connected: { ready: 'steady' } }, context };
const roots = [
  { a: 'computer#1', kind: 'computer', owner: null, snapshot: whole },
  { a: client, kind: 'client', owner: 'computer#1', snapshot: ready },
];
const checkpoint: Row = { s: 1, t: 5, k: 'key', roots };
const failure = { message: 'it ended with exit code 7', remedy: 'Mend it' };
const down: readonly Row[] = [
  { s: 2, t: 10, k: 'step', a: client, v: 'waiting', ctx: { ...context, attempt: 2, failure } },
  { s: 3, t: 10, k: 'timer', op: 'set', via: 'deadline', a: client, n: 4, ms: 3_200 },
];
const historyOf = (...rows: readonly Row[]): History => {
  const history = new History();
  for (const row of rows) history.add(row);
  return history;
};
const after = (...rows: readonly Row[]): ReturnType<History['at']> => historyOf(...rows).at(Infinity);

describe('a server, for somebody who knows nothing of machines', () => {
  it('is ready', () => {
    expect(serversOf(after(checkpoint), charts)).toMatchObject([
      { name: 'web', mood: 'good', words: 'is ready', why: '', nextAt: null, attempt: '', calls: 0 },
    ]);
  });

  it('has a row, too, where its config disables it', () => {
    const shown = { servers: { web: { disabled: false }, off: { disabled: true } } };
    const step: Row = { s: 2, t: 6, k: 'step', a: 'computer#1', tr: [], ctx: { shown } };
    expect(serversOf(after(checkpoint, step), charts)).toMatchObject([
      { name: 'web', state: 'ready' },
      { name: 'off', state: 'disabled', mood: 'off', words: 'is disabled in its config', needsLook: false },
    ]);
  });

  it('is down: it tells why, and when it is tried again', () => {
    expect(serversOf(after(checkpoint, ...down), charts)).toMatchObject([
      {
        mood: 'bad',
        words: 'is down, and waits for its next try',
        why: 'it ended with exit code 7',
        remedy: 'Mend it',
        nextAt: 3_210,
        attempt: 'try 2 of 5',
        since: 10,
      },
    ]);
  });

  it('is connecting: it tells when its try ends without an answer', () => {
    const ctx = {
      ...context,
      waits: { for: 'initialize', since: new Date(1_000).toISOString(), came: '' },
      timing: { connectMs: 10_000 },
    };
    const step: Row = { s: 2, t: 6, k: 'step', a: client, v: { connected: 'handshaking' }, ctx };
    const told = { incidents: [], counts: new Map(), nowMs: 3_006, wallNow: 4_000 };
    expect(serversOf(after(checkpoint, step), charts, told)).toMatchObject([
      {
        words: 'is connecting',
        why: 'waits for the answer to initialize for 3 s; nothing came',
        endsAt: 10_006,
      },
    ]);
  });

  it('has its calls counted while they live', () => {
    const call = 'computer/client:web/call:1#3';
    const opened: Row = { s: 2, t: 6, k: 'open', a: call, kind: 'call', from: client, input: {} };
    const alive = after(checkpoint, opened);
    expect(serversOf(alive, charts)[0]?.calls).toBe(1);
    expect(treeOf(alive).map(({ actor, depth }) => [actor.kind, depth])).toEqual([
      ['computer', 0],
      ['client', 1],
      ['call', 2],
    ]);
    expect(
      serversOf(after(checkpoint, opened, { s: 3, t: 7, k: 'end', a: call, why: 'done' }), charts)[0]?.calls,
    ).toBe(0);
  });
});

it('what is wrong, under way or fine is told by its state', () => {
  const told = (kind: string, ...texts: string[]) => texts.map((text) => moodOf(kind, text));
  expect(told('client', 'off.open', 'off.waiting', 'off.login.unauthorized')).toEqual(['bad', 'bad', 'bad']);
  expect(told('client', 'connected.handshaking', 'connected.ready.steady', 'off.idle')).toEqual([
    ...['busy', 'good', 'off'],
  ]);
  // The state `open` of a collection means that it answers requests, not that it has given up.
  expect(told('desktop', 'open.answering.steady + routing.free + telling.calm')).toEqual(['good']);
  expect(told('cache', 'open.refreshing.standby + retrying.calm')).toEqual(['good']);
  expect(told('computer', 'serving.degraded')).toEqual(['busy']);
});

describe('the history with its lanes', () => {
  const process = (n: number): Row => ({
    ...{ s: n, t: n, k: 'open', a: `computer/client:web/connection/process#${n}`, kind: 'process' },
    from: 'computer/client:web/connection#2',
  });

  it('counts how often a server was started again', () => {
    const history = historyOf(checkpoint, process(6), process(7), process(8));
    expect([5, 6, 7, 8].map((until) => restartsOf(history, client, until))).toEqual([0, 0, 1, 2]);
  });

  it('has spans of states and the end of each', () => {
    const step: Row = { s: 0, t: 7, k: 'step', a: client, v: 'waiting', tr: [], ev: 'x' };
    const gone: Row = { s: 0, t: 30, k: 'end', a: client, why: 'closed' };
    const lane = historyOf(checkpoint, step, gone).lane(client);
    expect(lane).toMatchObject({
      to: 30,
      isOlder: true,
      spans: [
        { state: 'connected.ready.steady', from: 5 },
        { state: 'waiting', from: 7 },
      ],
    });
  });

  it('ends actors that are not in a later checkpoint', () => {
    const call = 'computer/client:web/call:1#3';
    const opened: Row = { s: 2, t: 6, k: 'open', a: call, kind: 'call', from: client };
    const history = historyOf(checkpoint, opened, { ...checkpoint, s: 9, t: 50 });
    expect(history.lane(call)?.to).toBe(50);
    expect(history.lane(client)?.to).toBeUndefined();
  });
});
