import type { EventObject } from 'xstate';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical, revived } from './canonical.ts';
import { ChannelNames, type Crossing } from './channels.ts';
import type { DirectoryRecord } from './record.ts';
import { redactorOf } from '../secrets/redaction.ts';

const plain = {
  order: (_: string, event: EventObject) => event,
  news: (_: string, event: EventObject) => event,
};
const namesOf = (): ChannelNames => new ChannelNames(plain);
const crossingsOf = (records: readonly object[], names = namesOf()): Crossing[] =>
  records.flatMap((record) => names.of(record as DirectoryRecord) ?? []);
const channelsOf = (records: readonly object[], names = namesOf()): string[] =>
  crossingsOf(records, names).map(({ ch }) => ch);

interface Naming {
  readonly client: string;
  readonly process: string;
  readonly session: string;
  readonly list: string;
}
const life = ({ client, process, session, list }: Naming): object[] => {
  const ask = (id: string, params: object): object => ({
    ...{ k: 'out', port: 'ask', a: list },
    ev: { type: 'ask', id, target: session, method: 'tools/list', params },
  });
  return [
    { k: 'in', via: 'start', a: 'computer', ev: { type: 'start', tell: 'host:computer.1', input: {} } },
    {
      k: 'out',
      port: 'process',
      a: `${process}/process#1`,
      ev: { type: 'leaf.open', input: { server: 'files' } },
    },
    { k: 'in', via: 'leaf', a: `${process}/process#1`, ev: { type: 'child.started' } },
    {
      k: 'out',
      port: 'session',
      a: `${session}/session#1`,
      ev: { type: 'leaf.open', input: { server: 'files', process } },
    },
    ask('x1', {}),
    ask('x2', {}),
    ask('x3', { cursor: 'next' }),
    { k: 'in', via: 'ask', a: list, id: 'x2', ev: { type: 'ask.answered', id: 'x2', result: 1 } },
    { k: 'timer', op: 'set', via: 'timer', a: client, n: 7, for: 'backoff', ms: 500 },
    { k: 'in', via: 'timer', a: client, n: 7 },
    { k: 'draw', a: client, port: 'random', v: 0.5 },
    { k: 'post', from: client, a: 'host:computer.1', ev: { type: 'client.changed' } },
    { k: 'post', from: client, a: 'computer#1', ev: { type: 'client.changed' } },
    { k: 'out', port: 'process', a: `${process}/process#1`, ev: { type: 'leaf.close' } },
  ];
};
const usual: Naming = {
  client: 'computer/client:files#2',
  process: 'computer/client:files/process#3',
  session: 'computer/client:files/session#4',
  list: 'computer/client:files/catalog:tools#5',
};

describe('the name of a channel', () => {
  it('is its purpose', () => {
    expect(channelsOf(life(usual))).toEqual([
      'host:computer',
      'process:files/1',
      'process:files/1',
      'session:files/1',
      'ask tools/list of files {}/1',
      'ask tools/list of files {}/2',
      'ask tools/list of files {"cursor":"next"}/1',
      'ask tools/list of files {}/2',
      'timer backoff of files 500/1',
      'random of files',
      'host:computer',
      'process:files/1',
    ]);
  });
  it('does not depend on incarnations, numbers of timers and kinds of machines', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    fc.assert(
      fc.property(fc.tuple(word, word, word, word), fc.integer({ min: 1, max: 999 }), (kinds, n) => {
        const [client, process, session, list] = kinds;
        const renamed = life({
          client: `computer/${client}:files#${n}`,
          process: `computer/${client}:files/${process}#${n + 1}`,
          session: `computer/${client}:files/${session}#${n + 2}`,
          list: `computer/${client}:files/${list}:tools#${n + 3}`,
        }).map((record) => ('n' in record ? { ...record, n } : record));
        fc.pre(process !== session);
        expect(channelsOf(renamed)).toEqual(channelsOf(life(usual)));
      }),
    );
  });
  it('is the next number for a reader that comes again', () => {
    const names = namesOf();
    expect(channelsOf(life(usual), names)[1]).toBe('process:files/1');
    const again = channelsOf(life({ ...usual, process: 'computer/client:files/process#9' }), names);
    expect([again[0], again[1], again[4], again[8]]).toEqual([
      'host:computer/2',
      'process:files/2',
      'ask tools/list of files {}/3',
      'timer backoff of files 500/2',
    ]);
  });
  it('has no id of ours for a question, and the id that a call was given', () => {
    const ask = (method: string, req_id: string): object => ({
      ...{ k: 'out', port: 'ask', a: usual.list },
      ev: { type: 'ask', id: req_id, target: usual.session, method, params: { req_id, name: 'read' } },
    });
    expect(
      channelsOf([ask('server:list_room', '1'), ask('server:list_room', '2'), ask('client:tool_call', 'r7')]),
    ).toEqual([
      'ask server:list_room of computer/client:files/session {"name":"read"}/1',
      'ask server:list_room of computer/client:files/session {"name":"read"}/2',
      'ask client:tool_call of computer/client:files/session {"name":"read","req_id":"r7"}/1',
    ]);
  });
});

it('an answer says whether it is one to its question, whatever counter of ours that had', () => {
  const target = usual.session;
  const asks = { k: 'out', port: 'ask', a: 'agent#1' };
  const ev = { type: 'ask', id: 'room', target, method: 'server:list_room', params: { req_id: 'room.7' } };
  const answerTo = (req_id: string): object | undefined => {
    const answer = { type: 'ask.answered', id: 'room', result: { req_id, sessions: [] } };
    return crossingsOf([
      { ...asks, ev },
      { k: 'in', via: 'ask', a: 'agent#1', id: 'room', ev: answer },
    ])[1]?.ev;
  };
  expect(answerTo('room.7')).toMatchObject({ result: { req_id: '$own' } });
  expect(answerTo('room.6')).toMatchObject({ result: { req_id: 'room.6' } });
});

const asked = (params: unknown, id = 'q'): object => ({
  ...{ k: 'out', port: 'ask', a: usual.list },
  ev: { type: 'ask', id, target: usual.session, method: 'tools/call', params },
});

describe('a name with parameters', () => {
  it('is the same in a recorder, which hides a secret, and in a replay, which is given what was written', () => {
    const redactor = () => redactorOf((text) => String(text.length).padStart(16, '0'));
    for (const secret of ['hunter22', 'a'.repeat(300)]) {
      const params = { name: 'login', arguments: { user: 'ann', password: secret } };
      const written: unknown = revived(JSON.parse(canonical(params, redactor())));
      const [recorded] = channelsOf([asked(params)], new ChannelNames(plain, redactor()));
      expect(channelsOf([asked(written)])).toEqual([recorded]);
      expect(recorded).not.toContain(secret);
    }
  });
  it('is short, and another one for other parameters', () => {
    const [one = '', two = ''] = channelsOf([
      asked({ text: `${'x'.repeat(5_000)}1` }),
      asked({ text: `${'x'.repeat(5_000)}2` }),
    ]);
    expect(one.length).toBeLessThan(200);
    expect(one).not.toBe(two);
  });
  it('is forgotten, the oldest first, once there are too many', () => {
    const names = namesOf();
    const ask = (n: number): string | undefined => {
      const [ch] = channelsOf([asked({ n }, `q${n}`)], names);
      names.of({ k: 'in', via: 'ask', a: usual.list, id: `q${n}`, ev: { type: 'ask.answered' } });
      return ch;
    };
    for (let n = 0; n <= 20_000; n++) expect(ask(n)?.endsWith('/1')).toBe(true);
    expect(ask(20_000)?.endsWith('/2')).toBe(true);
    expect(ask(0)?.endsWith('/1')).toBe(true);
  });
});

describe('a timer', () => {
  const a = usual.client;
  const set = { k: 'timer', op: 'set', via: 'deadline', a, n: 3, for: 'callMs', ms: 60 };
  it('is told when it was due and is cleared before it has fired: in a replay it would fire', () => {
    expect(crossingsOf([set, { k: 'timer', op: 'clear', a, n: 3, late: true }])).toEqual([
      { k: 'in', ch: 'timer callMs of files 60/1', ev: { type: 'late' } },
    ]);
  });
  it('is not told when it is cleared in time', () => {
    expect(crossingsOf([set, { k: 'timer', op: 'clear', a, n: 3 }])).toEqual([]);
  });
});

describe('a record of what crosses', () => {
  it('has the id of the call that it belongs to, wherever it passes', () => {
    const order = { type: 'call.request', ticket: 't1', reqId: 'r1', tool: 'read' };
    const crossings = crossingsOf([
      { k: 'in', via: 'host', a: 'computer', ev: order },
      {
        k: 'out',
        port: 'ask',
        a: 'computer/client:files/call:t1#6',
        ev: { type: 'ask', id: 'a', target: 'x', method: 'm' },
      },
      { k: 'post', from: 'x', a: 'host:computer.1', ev: { type: 'call.settled', ticket: 't1', reqId: 'r1' } },
    ]);
    expect(crossings.map(({ req }) => req)).toEqual(['r1', 'r1', 'r1']);
  });
  it('has no address of a machine in its event', () => {
    const crossed = crossingsOf(life(usual)).filter(({ k }) => k !== 'defect');
    expect(JSON.stringify(crossed)).not.toMatch(/#\d|host:computer\.1/);
  });
});
