import type { Row } from '../trace/row.ts';
import { describe, expect, it } from 'vitest';
import { standingOf, whyOf } from './calls.ts';
import { needsLook } from './incident.ts';
import { Story } from './incidents.ts';

/** Records by their wall clock, which is their time here. */
const storyOf = (...rows: readonly (readonly [at: number, row: object])[]): Story => {
  const story = new Story({ timeOf: Date.parse });
  for (const [at, row] of rows) story.add({ k: 'in', s: at, t: at, w: at, ...row }, at);
  return story;
};
const changed = (state: string, message?: string, more = {}): object => ({
  k: 'said',
  ch: 'host:computer',
  ev: {
    type: 'server.changed',
    name: 'db',
    state,
    failure: message === undefined ? null : { code: 'ServerLost', message },
    nextTryMs: null,
    ...more,
  },
});
const said = (ev: object): object => ({ k: 'said', ch: 'host:computer', ev });
const listed = (more: object): object =>
  said({ type: 'list.changed', name: 'db', list: 'tools', added: [], removed: [], changed: [], ...more });
const confirm = (k: string, ev: object): object => ({
  k,
  a: 'computer/client:db/call:host.r1#2',
  ch: 'ask confirm of confirm {}/1',
  ev,
});
const question = confirm('out', { type: 'ask', params: { tool: 'write' } });
const ofSession = (ev: object): object => ({ a: 'computer/client:db#1/session#1', ch: 'session:db/1', ev });
const waits = (since: number, came: string): object =>
  ofSession({
    type: 'session.waits',
    waits: { for: 'initialize', since: new Date(since).toISOString(), came },
  });
const asked = (reqId: string, tool = 'read'): object => ({
  ch: 'host:computer',
  ev: { type: 'callTool', reqId, tool, arguments: { path: 'a' }, timeoutMs: 60_000 },
});
const settled = (reqId: string, outcome: string, failure: object | null): object =>
  said({ type: 'call.settled', reqId, tool: 'read', server: 'db', outcome, end: outcome, failure });

it('an office whose port is taken is over when it is opened at another one', () => {
  const crossed = (ev: object): object => ({ ch: 'port:office', a: 'office#1', ev });
  const story = storyOf(
    [10, crossed({ type: 'office.failed', message: 'Port 3000 is in use' })],
    [20, crossed({ type: 'office.opened', url: 'http://127.0.0.1:3001', port: 3001 })],
  );
  expect(story.at(15)).toMatchObject([{ kind: 'host', subject: 'office', to: undefined }]);
  expect(story.at(30)).toMatchObject([{ kind: 'host', subject: 'office', to: 20 }]);
});
describe('a server that fails', () => {
  const lost = [
    [10, asked('r1')],
    [100, changed('recovering', 'its output ended')],
    [101, changed('waiting', "Server 'db' ended with exit code 3", { nextTryMs: 400 })],
    [102, settled('r1', 'unknown', { code: 'ServerLost', message: 'it died' })],
    [300, asked('r2')],
    [301, settled('r2', 'failed', { code: 'ServerNotActive', details: { server_name: 'db' } })],
    [501, changed('connecting')],
    [700, changed('ready')],
  ] as const;

  it('a server that fails is one incident with its reason, its calls, and the time until it was back', () => {
    const story = storyOf(...lost);
    expect(story.at(99)).toEqual([]);
    expect(story.at(350)).toMatchObject([
      { kind: 'down', subject: 'db', what: "Server 'db' ended with exit code 3", to: undefined },
    ]);
    const [view] = story.at(1_000);
    expect(view).toMatchObject({
      from: 100,
      to: 700,
      times: 1,
      lost: [{ reqId: 'r1' }],
      refused: [{ reqId: 'r2' }],
    });
  });
  it('is in a crash loop, which is one incident, when it fails again within a minute', () => {
    const again = [
      [5_000, changed('recovering', 'again')],
      [5_500, changed('connecting')],
      [5_600, changed('recovering', 'and again')],
    ] as const;
    const story = storyOf(...lost, ...again);
    expect(story.at(6_000)).toMatchObject([{ times: 3, from: 100, to: undefined, what: 'and again' }]);
    expect(story.at(1_000)).toMatchObject([{ times: 1, to: 700 }]);
    expect(storyOf(...lost, [90_000, changed('recovering', 'later')]).at(90_000)).toHaveLength(2);
  });
  it('is worth a look for a quarter of an hour after it was back, and not when it was stopped', () => {
    const [back] = storyOf(...lost).at(Infinity);
    expect(back && [needsLook(back)]).toEqual([true]);
    const [stopped] = storyOf(...lost.slice(0, 3), [400, changed('idle')]).at(500);
    expect(stopped).toMatchObject({ to: 400, isStopped: true });
    expect(stopped && needsLook(stopped)).toBe(false);
  });
  it('wants a login, an input or a config, which is not called a death', () => {
    const login = storyOf([10, changed('recovering', 'HTTP 401')], [11, changed('unauthorized', 'log in')]);
    expect(login.at(20)).toMatchObject([{ kind: 'login', what: 'log in' }]);
    expect(storyOf([10, changed('needsInput', 'no token')]).at(20)).toMatchObject([{ kind: 'input' }]);
  });
});

it('a start that nobody answers is told after three seconds, with what came instead', () => {
  const silent = waits(1_000, 'Server listening');
  const story = storyOf([2_000, silent]);
  expect(story.at(3_500)).toEqual([]);
  expect(story.at(9_000)).toMatchObject([{ kind: 'silent', subject: 'db', from: 1_000, to: undefined }]);
  expect(story.at(9_000)[0]?.what).toContain('Server listening');
  const opened = ofSession({ type: 'session.opened' });
  expect(storyOf([2_000, silent], [5_000, opened]).at(9_000)).toEqual([]);
  expect(storyOf([2_000, silent], [15_000, opened]).at(20_000)).toMatchObject([{ to: 15_000 }]);
});

it('a start without an answer is one incident with the failure of its server, told by what it waits for', () => {
  const waiting = (at: number): readonly [number, object] => [at, waits(at, '')];
  const failed = changed('waiting', 'it did not answer in 10 s', { nextTryMs: 500 });
  const story = storyOf(waiting(1_000), [11_000, failed], [11_500, changed('connecting')], waiting(11_500));
  expect(story.at(9_000)).toMatchObject([{ kind: 'silent' }]);
  expect(story.at(11_100)).toMatchObject([{ kind: 'down', what: 'it did not answer in 10 s' }]);
  expect(story.at(20_000)).toMatchObject([
    { kind: 'down', what: expect.stringContaining('nothing came') as string, to: undefined },
  ]);
});

it('a person who is asked is an incident until the answer', () => {
  const answer = confirm('in', { type: 'ask.answered', result: 'allow' });
  expect(storyOf([10, question]).at(20)).toMatchObject([{ kind: 'person', subject: 'db' }]);
  expect(storyOf([10, question], [15, answer]).at(20)).toEqual([]);
});

it('tools that are refused are an incident until they are not', () => {
  const refused = {
    type: 'tools.refused',
    name: 'dup',
    failure: { message: '6 tools have names of others' },
  };
  const story = storyOf([10, said(refused)], [90, said({ ...refused, failure: null })]);
  expect(story.at(50)).toMatchObject([{ kind: 'tools', subject: 'dup', to: undefined }]);
  expect(story.at(100)).toMatchObject([{ to: 90 }]);
});

it('a lost connection, a lost call of another server, a defect and a death of the host are incidents', () => {
  const link = (state: string, reason: string | null): object =>
    said({ type: 'link.changed', state, reason });
  const unknown = settled('r1', 'unknown', { code: 4004, message: 'no answer' });
  const story = storyOf(
    [1, link('connecting', null)],
    [2, link('joined', null)],
    [3, link('waiting', 'the office is gone')],
    [4, asked('r1')],
    [5, unknown],
    [6, { k: 'defect', what: 'a TypeError' }],
  );
  story.died();
  const kinds = story.at(10).map(({ kind, to }) => [kind, to]);
  expect(kinds).toEqual([
    ['host', undefined],
    ['host', undefined],
    ['call', 5],
    ['link', undefined],
  ]);
});

it('lost calls of one tool that follow each other are one incident with all of them', () => {
  const lost = (at: number): (readonly [number, object])[] => [
    [at, asked(`r${at}`)],
    [at + 1, settled(`r${at}`, 'unknown', { code: 4004, message: 'no answer' })],
  ];
  const [first, ...others] = storyOf(...lost(10), ...lost(2_000), ...lost(5_000)).at(6_000);
  expect(others).toEqual([]);
  expect(first).toMatchObject({ kind: 'call', times: 3, from: 11, to: 5_001 });
  expect(first?.lost.map(({ reqId }) => reqId)).toEqual(['r10', 'r2000', 'r5000']);
});

describe('the list of the calls of a host', () => {
  it('has the end of a call that its host hears', () => {
    const failure = { code: 4004, message: 'no answer', remedy: 'Wait' };
    const [call] = storyOf([1, asked('r1')], [9, settled('r1', 'timedOut', failure)]).calls.all;
    expect(call && standingOf(call, 9)).toMatchObject({
      words: 'timed out',
      isBad: true,
      why: 'no answer. Wait',
    });
  });
  it('has those that no server got, and tells what each waits for', () => {
    const called = {
      ch: 'link:computer:c1/1',
      ev: { type: 'agent.called', ticket: '1.q', reqId: 'q', agent: 'ann', tool: 'nope' },
    };
    const failure = { code: 4001, message: 'no such tool', remedy: 'List them' };
    const body = { isError: true, meta: { a2c_outcome: 'failed' }, structuredContent: { error: failure } };
    const answered = { k: 'out', ch: 'link:computer:c1/1', ev: { type: 'link.answer', ticket: '1.q', body } };
    const [call] = storyOf([1, called], [9, answered]).calls.all;
    expect(call).toMatchObject({ agent: 'ann', tool: 'nope', server: '' });
    expect(call && standingOf(call, 5)).toMatchObject({ words: 'waits for a server', isOver: false });
    expect(call && standingOf(call, 9)).toMatchObject({
      words: 'failed',
      isBad: true,
      why: 'no such tool. List them',
    });
  });
  it('has those that an office relays, once, with what their computer here knows', () => {
    const about = { req_id: 'q', agent: 'ann', office: 'o' };
    const relay = (json: object): object => ({
      k: 'frame',
      via: 'relay',
      a: 'office',
      json: { ...about, ...json },
    });
    const asks = relay({ event: 'client:tool_call', tool: 'read', computer: 'c1', timeout: 30 });
    const ends = relay({ ack: 'client:tool_call', outcome: 'failed', server: 'db', message: 'disk full' });
    const [call] = storyOf([1, asks], [9, ends]).calls.all;
    expect(call).toMatchObject({
      agent: 'ann',
      computer: 'c1',
      tool: 'read',
      server: 'db',
      timeoutMs: 30_000,
    });
    expect(call && standingOf(call, 5).words).toBe('waits for its computer');
    expect(call && standingOf(call, 9)).toMatchObject({ words: 'failed', isBad: true, why: 'disk full' });

    const ev = { type: 'agent.called', ticket: '1.q', reqId: 'q', agent: 'ann', tool: 'read' };
    const body = { content: [{ type: 'text', text: 'a' }] };
    const answer = { k: 'out', ch: 'link:computer:c1/1', ev: { type: 'link.answer', ticket: '1.q', body } };
    const called = { ch: 'link:computer:c1/1', ev };
    const ok = relay({ ack: 'client:tool_call', outcome: 'succeeded' });
    const { all } = storyOf([1, asks], [2, called], [8, answer], [9, ok]).calls;
    expect(all).toMatchObject([{ ended: { at: 9, outcome: 'succeeded', result: body } }]);
  });
  it('has the steps of a call with their times, also when its beginning is older than the page', () => {
    const a = 'computer/client:db/call:host.r1#2';
    const of = (k: string, ch: string, ev: object): object => ({ k, a, ch, ev });
    const tool = 'ask tools/call of db {}/1';
    const story = new Story();
    const row = (at: number, each: object): Row => ({ k: 'in', s: at, t: at, w: at, ...each });
    story.add(row(1, asked('r1')), null);
    story.add(
      row(2, { k: 'draw', a, ch: 'judge of db host.r1', v: { decision: 'allow', reason: 'all' } }),
      null,
    );
    story.add(row(3, of('out', tool, { type: 'ask' })), null);
    // The page does not know the name of a question that was asked before it came.
    story.add(row(7, of('in', `${a} call`, { type: 'ask.answered' })), 1);
    story.add(row(8, settled('r1', 'succeeded', null)), 2);
    const [call] = story.calls.all;
    expect(call?.moments.map(({ step, at, s }) => [step, at, s])).toEqual([
      ['asked', 1, null],
      ['found', 2, null],
      ['sent', 3, null],
      ['answered', 7, 1],
      ['ended', 8, 2],
    ]);
    expect(call && standingOf(call, 5).words).toBe('under way');
  });
});

describe('what a person has to look at', () => {
  const cancelled = { code: 'ToolCallCancelled', message: 'it was cancelled' };
  const lostEnd = { outcome: 'unknown', end: 'cancelled', failure: cancelled };
  const lost = [
    [10, asked('r1', 'charge')],
    [20, said({ type: 'call.settled', reqId: 'r1', server: 'pay', ...lostEnd })],
  ] as const;
  it('an incident is a call that was cancelled under way, until somebody has looked', () => {
    const story = storyOf(...lost);
    const [view] = story.at(30);
    expect(view).toMatchObject({ kind: 'call', subject: 'pay', lost: [{ tool: 'charge' }] });
    expect(view?.what).toContain('charge may have happened');
    expect(view && needsLook(view)).toBe(true);
    story.see([view?.incident.id ?? ''], 40);
    expect(story.at(50).map(needsLook)).toEqual([false]);
  });
  it('an incident is a tool that has left a list, with the calls that wanted it, until it is back', () => {
    const refused = settled('r1', 'failed', { code: 4001, message: 'no such tool' });
    const story = storyOf(
      [10, listed({ added: ['read', 'write'] })],
      [20, listed({ removed: ['read'] })],
      [30, asked('r1')],
      [31, refused],
      [90, listed({ added: ['read'] })],
    );
    expect(story.at(50)).toMatchObject([
      { kind: 'gone', subject: 'db', to: undefined, refused: [{ tool: 'read' }] },
    ]);
    expect(story.at(100)).toMatchObject([{ to: 90 }]);
  });
  it('every incident says what to do, also a tool that is gone, and a server that failed stands before refused tools', () => {
    const refused = { type: 'tools.refused', name: 'twin', failure: { message: 'a name twice' } };
    const story = storyOf(
      [10, listed({ added: ['read'] })],
      [20, listed({ removed: ['read'] })],
      [30, changed('waiting', 'it died')],
      [40, said(refused)],
    );
    const views = story.at(50);
    expect(views.map(({ kind }) => kind)).toEqual(['down', 'tools', 'gone']);
    expect(views[2]?.remedy).toBe("Look at what has changed at 'db', or start it again.");
  });
  it('a cancelled call is told without its id, which stands beside the text', () => {
    const failure = { message: "Call '41a1de5b' was cancelled: agent_requested" };
    expect(
      whyOf({ ended: { at: 1, end: 'cancelled', outcome: 'unknown', phase: '', failure, result: null } }),
    ).toBe('It was cancelled: agent_requested');
  });
  it('an incident is a person who was asked and not reached, and not one who has answered', () => {
    const story = storyOf([10, question], [70, confirm('out', { type: 'withdraw' })]);
    expect(story.at(80)).toMatchObject([{ kind: 'person', to: 70 }]);
    expect(story.at(80)[0]?.what).toBe('A call of write waited for a person, and nobody answered.');
  });
  it('an incident is a document that is refused or does not answer, by its URI, until it is read', () => {
    const a = 'computer/client:desk#1/cache#1';
    const read = (n: number, k: string, ev: object): object => ({
      k,
      a,
      ch: `ask resources/read of desk {}/${n}`,
      ev,
    });
    const ask = { type: 'ask', params: { uri: 'window://a' } };
    const failure = { message: 'no such window' };
    const story = storyOf(
      [10, read(1, 'out', ask)],
      [20, read(1, 'in', { type: 'ask.refused', failure })],
      [30, read(2, 'out', ask)],
      [40, read(2, 'in', { type: 'ask.answered' })],
      [50, read(3, 'out', ask)],
      [9_000, { k: 'mark', text: 'later' }],
    );
    expect(story.at(25)).toMatchObject([
      { kind: 'window', subject: 'desk', what: 'window://a could not be read: no such window' },
    ]);
    expect(story.at(45)).toMatchObject([{ to: 40 }]);
    expect(story.at(9_500)).toMatchObject([{ kind: 'window', to: undefined, times: 2 }]);
  });
  it('an incident is a call that takes over ten seconds, or ten times as long as its tool does', () => {
    const a = (n: number): string => `computer/client:db/call:host.r${n}#${n}`;
    const call = (n: number, from: number, ms: number): (readonly [number, object])[] => [
      [from, asked(`r${n}`)],
      [from, { k: 'out', a: a(n), ch: `ask tools/call of db {}/${n}`, ev: { type: 'ask' } }],
      [from + ms, settled(`r${n}`, 'succeeded', null)],
    ];
    const usual = [1, 2, 3, 4, 5].flatMap((n) => call(n, n * 1_000, 100));
    expect(storyOf(...usual, ...call(6, 10_000, 900)).at(20_000)).toEqual([]);
    expect(storyOf(...usual, ...call(6, 10_000, 1_500)).at(20_000)).toMatchObject([
      { kind: 'slow', what: 'read took 1.5 s.', to: 11_500 },
    ]);
    const waiting = storyOf(...call(1, 1_000, 30_000).slice(0, 2));
    waiting.look(12_000);
    expect(waiting.at(12_000)).toMatchObject([{ kind: 'slow', subject: 'db', to: undefined }]);
  });
  it('is a peer of an office whose connection broke, and not one that left', () => {
    const closed = (reason: string): object => ({
      a: 'office',
      ch: 'office/1',
      ev: { type: 'socket.closed', socket: 's', reason },
    });
    const left = said({
      type: 'seat.changed',
      stage: 'left',
      seat: { role: 'computer', name: 'buildbox', office: 'o' },
    });
    expect(storyOf([10, closed('transport close')], [10, left]).at(20)).toMatchObject([
      {
        kind: 'seat',
        subject: 'buildbox',
        what: "The computer 'buildbox' left without a word: transport close.",
      },
    ]);
    expect(storyOf([10, closed('client namespace disconnect')], [10, left]).at(20)).toEqual([]);
    expect(storyOf([10, left]).at(20)).toEqual([]);
  });
  it('is at most 500 incidents, of which those that nobody has seen stay the longest', () => {
    const story = storyOf(...lost);
    for (let n = 0; n < 600; n++) {
      const a = `computer/client:s${n}/session#1`;
      const [ch, at] = [`ask resources/read of s${n} {}/1`, 1_000 + n];
      story.add({ k: 'out', s: n, t: at, w: at, a, ch, ev: { type: 'ask', params: { uri: 'x' } } }, n);
      const ev = { type: 'ask.refused', failure: { message: 'no' } };
      story.add({ k: 'in', s: n, t: at, w: at, a, ch, ev }, n);
      if (n < 590)
        story.see(
          story.all.filter(({ kind }) => kind === 'window').map(({ id }) => id),
          at,
        );
    }
    expect(story.all.length).toBeLessThanOrEqual(500);
    expect(JSON.stringify(story.all[0]).length).toBeLessThan(4_096);
  });
});
