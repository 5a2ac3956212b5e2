import { describe, expect, it, vi } from 'vitest';
import { mostKept, Session } from './session.ts';

const client = 'computer/client:web#1';
const host = { kind: 'up', name: 'here', pid: 1, started: null, version: '0' } as const;
const line = (row: object): string => `${JSON.stringify(row)}\n`;
const checkpoint = (s: number, inState: number): string =>
  line({
    ...{ s, t: s, k: 'key' },
    roots: [
      {
        ...{ a: client, kind: 'client', owner: null, age: s, inState, holds: [] },
        snapshot: { value: 'waiting', context: { server: 'web' } },
      },
    ],
  });
const posts = (from: number, until: number): string => {
  let lines = '';
  for (let s = from; s < until; s++)
    lines += line({ s, t: s, k: 'post', a: client, from: 'x', ev: { type: 'y' } });
  return lines;
};
function attached(mode: 'live' | 'file'): Session {
  const session = new Session(() => 0);
  const lines = line({ s: 0, t: 0, k: 'head', format: 'a2c-trace/2', next: 1 }) + checkpoint(1, 1);
  session.take({ type: 'welcome', protocol: 1, host, mode, control: false, charts: {}, past: false, lines });
  return session;
}

describe('a page of a host that runs', () => {
  it('knows since when a machine is in its state, although it came late', () => {
    const session = attached('live');
    session.take({ type: 'records', lines: checkpoint(500, 400) });
    expect(session.history.at(Infinity).get(client)).toMatchObject({ since: 0 });
    const late = new Session(() => 0);
    late.take({ type: 'records', lines: checkpoint(500, 400) });
    expect(late.history.at(Infinity).get(client)).toMatchObject({ since: 100 });
  });
  it('has the charts that its host tells later', () => {
    const session = attached('live');
    const charts = { link: { kind: 'link', fingerprint: '', nodes: [], transitions: [] } };
    session.take({ type: 'beat', charts });
    session.take({ type: 'beat' });
    expect(session.charts).toEqual(charts);
  });
  it('asks for all records when it shows some, and goes on from the checkpoint with which they begin', () => {
    const session = attached('live');
    const asked: unknown[] = [];
    session.connect((message) => asked.push(message));
    session.take({ type: 'records', lines: posts(5, 6) });
    session.choose({ panel: 'calls', moment: 1 });
    expect(asked).toEqual([]);
    session.choose({ panel: 'records', moment: 2 });
    expect(asked).toEqual([{ type: 'ask', id: 0, what: 'records', isWhole: true }]);
    session.take({ type: 'gap', missed: 0, lines: checkpoint(7, 1) });
    session.take({ type: 'records', lines: posts(8, 10) });
    expect(session.history.rows().map(({ s }) => s)).toEqual([0, 1, 5, 7, 8, 9]);
    expect([session.history.row(session.at)?.s, session.missed]).toEqual([5, 0]);
  });
  it('opens the memory of its host for a record that it does not have', async () => {
    const session = attached('live');
    session.connect((message) => {
      if (message.type !== 'ask' || message.what !== 'story') return;
      const lines = [1, 2, 3].map((s) => ({ ...{ s, t: s * 10, w: s * 10, k: 'mark' }, text: 'x' }));
      const text = [{ s: 0, t: 0, k: 'head' }, ...lines].map(line).join('');
      session.take({ type: 'answer', id: message.id, ok: true, value: { text, checks: null } });
    });
    session.goToNumber(300, 20);
    await vi.waitFor(() => expect(session.opened?.history.row(session.opened.at)?.s).toBe(2));
  });
  it('lets go what is older than a checkpoint once it has too much, and says how much', () => {
    const session = attached('live');
    const middle = mostKept / 2 + 10;
    session.take({ type: 'records', lines: posts(2, middle) + checkpoint(middle, 3) });
    session.choose({ moment: middle + 1 });
    expect([session.history.length, session.dropped]).toEqual([middle + 1, 0]);
    session.take({ type: 'records', lines: posts(middle + 1, mostKept + 5) });
    // The history now has a head, the checkpoint, and all records since the checkpoint.
    expect(session.history.length).toBe(mostKept + 5 - middle + 1);
    expect(session.dropped).toBe(middle - 1);
    expect(session.history.row(0)).toMatchObject({ k: 'head', next: middle });
    expect(session.history.row(1)).toMatchObject({ k: 'key', s: middle });
    expect(session.history.row(session.at)?.s).toBe(middle + 1);
    expect(session.history.at(session.at).get(client)).toMatchObject({ state: 'waiting', since: middle - 3 });
    expect(
      session.history.lane(client)?.rows.every((index) => session.history.row(index)?.k === 'post'),
    ).toBe(true);
  });
  it('keeps the lists of that checkpoint, which stand before it', () => {
    const session = attached('live');
    const middle = mostKept / 2 + 10;
    const list = line({ s: middle, t: 1, k: 'list', h: 'aa', v: ['tool'] });
    session.take({ type: 'records', lines: posts(2, middle) + list + checkpoint(middle + 1, 3) });
    session.take({ type: 'records', lines: posts(middle + 2, mostKept + 5) });
    expect(session.history.row(1)).toMatchObject({ k: 'list', s: middle });
    const ctx = { tools: { $list: 'aa' } };
    const step = { s: mostKept + 5, t: 1, k: 'step', a: client, ev: 'x', tr: [], ctx };
    session.take({ type: 'records', lines: line(step) });
    expect(session.history.at(Infinity).get(client)?.context).toEqual({ server: 'web', tools: ['tool'] });
  });
  it('keeps all of a file', () => {
    const session = attached('file');
    session.take({ type: 'records', lines: posts(2, mostKept + 5) });
    expect([session.history.length, session.dropped]).toEqual([mostKept + 5, 0]);
  });
});

it('a recording of an office alone opens on its calls, as the office does; one with a computer on its servers', () => {
  const home = (...kinds: readonly string[]): string => {
    const session = new Session(() => 0);
    const facts = { ...host, kind: 'file' as const };
    const welcome = { type: 'welcome', protocol: 1, mode: 'file', control: false, charts: {} } as const;
    session.take({ ...welcome, host: facts, past: false, lines: '' });
    const opened = kinds.map((kind, s) => line({ s, t: s, k: 'open', a: `${kind}#1`, kind, input: {} }));
    session.take({ type: 'records', lines: opened.join('') });
    return session.choice.panel;
  };
  expect(home('office', 'seat')).toBe('calls');
  expect(home('office', 'seat', 'computer')).toBe('servers');
  expect(home('agent')).toBe('servers');
});
it.each([
  ['callUnknown pay', 'host.r-1'],
  ['callFailed pay, callFailed probe', 'host.r-2'],
  ['callFailed nothing', undefined],
  ['closed', undefined],
])('a file opens on the call for which it was written first: %s', (reason, call) => {
  const session = attached('file');
  const said = (s: number, reqId: string, tool: string, outcome: string): string => {
    const about = { s, t: s, w: 1_000 + s, ch: 'host:computer', a: 'computer', via: 'host' };
    const asked = { ...about, k: 'in', ev: { type: 'callTool', ticket: reqId, reqId, tool } };
    const end = { type: 'call.settled', ticket: reqId, reqId, tool, end: outcome, outcome };
    return line(asked) + line({ ...about, k: 'said', ev: end });
  };
  const calls = [
    said(2, 'r-1', 'pay', 'unknown'),
    said(3, 'r-2', 'pay', 'failed'),
    said(4, 'r-3', 'probe', 'failed'),
    said(5, 'r-4', 'list', 'failed'),
  ];
  session.take({ type: 'records', lines: calls.join('') + line({ s: 6, t: 9, k: 'tail', reason }) });
  session.take({ type: 'complete', records: 6 });
  const panel = call === undefined ? 'servers' : 'calls';
  expect([session.choice.panel, session.choice.call]).toEqual([panel, call]);
});
it('a file that is damaged, or whose host wrote no end, says so as an incident', () => {
  const told = (damage: object, tail: string): readonly string[] => {
    const session = new Session(() => 0);
    const lines = line({ s: 0, t: 0, k: 'head', format: 'a2c-trace/2', next: 1 });
    const welcome = { type: 'welcome', protocol: 1, host, mode: 'file', control: false, charts: {} } as const;
    session.take({ ...welcome, past: false, ...damage, lines });
    session.take({ type: 'records', lines: line({ s: 1, t: 5, w: 1_000, k: 'mark', text: 'here' }) + tail });
    session.take({ type: 'complete', records: 1 });
    return session.story.at(session.wallEnd).map(({ what }) => what);
  };
  const tail = line({ s: 2, t: 6, k: 'tail', reason: 'closed' });
  expect(told({}, tail)).toEqual([]);
  expect(told({}, '')).toEqual([expect.stringContaining('The recording has no end')]);
  expect(told({ damage: 'The file is damaged in line 9' }, '')).toEqual(['The file is damaged in line 9']);
});
