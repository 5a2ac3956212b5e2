import { expect, it } from 'vitest';
import { CallHistoryWatch } from './computer-calls.ts';

const host = 'computer#1';
const client = 'computer/client:s#2';

it('the history remembers a call whose parameters throw as they are read, and the calls after it', () => {
  const watch = new CallHistoryWatch({
    most: 10,
    now: () => 0,
    snapshotOf: () => undefined,
    contextOf: () => undefined,
    redact: (value) => JSON.parse(JSON.stringify(value)) as typeof value,
  });
  const ask = (reqId: string, params: object): void => {
    const call = { ticket: `host.${reqId}`, reqId, tool: 'echo', params, timeoutMs: 0, replyTo: 'host' };
    const ev = { type: 'call.request', ...call };
    watch.record({ k: 'post', from: 'host', a: host, ev } as never);
    watch.record({ k: 'post', from: host, a: client, ev } as never);
  };
  const settle = (reqId: string): void => {
    const call = { ticket: `host.${reqId}`, reqId, server: 's', tool: 'echo', outcome: 'succeeded' };
    watch.record({ k: 'post', from: client, a: 'host', ev: { type: 'call.settled', ...call } } as never);
  };
  ask('r1', {
    get text() {
      throw new Error('of the getter');
    },
  });
  ask('r2', { text: 'hi' });
  expect(watch.running().map(({ reqId }) => reqId)).toEqual(['r1', 'r2']);
  settle('r1');
  settle('r2');
  expect(watch.newestFirst()).toMatchObject([
    { reqId: 'r2', arguments: { text: 'hi' } },
    { reqId: 'r1', arguments: { not_kept: 'cannot be read' } },
  ]);
});

type Event = Readonly<Record<string, unknown>>;
const watching = () => {
  const snapshots: Record<string, unknown> = {};
  const watch = new CallHistoryWatch({
    most: 10,
    now: () => 0,
    redact: (value) => value,
    snapshotOf: (address) => snapshots[address] as never,
    contextOf: () => undefined,
  });
  const post = (from: string, a: string, ev: Event): void =>
    watch.record({ k: 'post', from, a, ev } as never);
  const base = {
    ticket: '2.r1',
    reqId: 'r1',
    agent: 'a',
    tool: 't',
    params: {},
    timeoutMs: 5,
    replyTo: 'computer/link#2',
  };
  const request = { ...base, type: 'call.request' };
  const settled = { ...request, type: 'call.settled', server: '', outcome: 'failed', result: null };
  return { watch, post, request, settled, snapshots };
};

it('the history says what a call waits for, first for servers, then for the permit of its own, a person, its server', () => {
  const { watch, post, request, snapshots } = watching();
  const servers = [{ rules: { server: 's' } }];
  snapshots['computer'] = { context: { servers, catalogs: {}, stages: { s: 'connecting' } } };
  post('computer/link#2', 'computer', request);
  const now = (): unknown => [watch.running()[0]?.waitsFor, watch.running()[0]?.reason];
  expect(now()).toEqual(['servers', expect.stringContaining("'s' still starting")]);
  post('computer#1', 'computer/client:s', request);
  const address = 'computer/client:s/call:2.r1';
  const stands = (phase: string, value: string): void => {
    snapshots[address] = { context: { server: 's', phase, isPending: true } };
    snapshots['computer/client:s'] = { value, hasTag: (tag: string) => tag === 'connecting' };
  };
  stands('queued', 'queued');
  expect(now()).toEqual(['permit', "Server 's' waits for its permit to connect"]);
  stands('queued', 'launching');
  expect(now()).toEqual(['server', "Server 's' is connecting"]);
  stands('confirming', 'launching');
  expect(now()).toEqual(['person', 'A person is asked to confirm it']);
  expect(watch.newestFirst()).toMatchObject([
    {
      reqId: 'r1',
      agent: 'a',
      server: 's',
      state: 'waiting',
      waitsFor: 'person',
      outcome: null,
    },
  ]);
  stands('running', 'ready');
  expect([now(), watch.newestFirst()[0]?.state]).toEqual([[null, null], 'running']);
});

it('the history has one entry for a call that is refused without a server, and one for a call of its host that is never sent', () => {
  const { watch, post, request, settled } = watching();
  post('computer/link#2', 'computer', request);
  post('computer#1', 'computer/link#2', { ...settled, failure: { code: 409, message: 'in flight' } });
  post('computer#1', 'computer/link#2', { ...settled, failure: { code: 409, message: 'in flight' } });
  const failure = { code: 409, message: 'here, too' };
  watch.refused(request, { ...settled, reqId: 'r2', failure } as never, undefined);
  expect(watch.running()).toEqual([]);
  expect(watch.newestFirst()).toMatchObject([
    { reqId: 'r2', agent: null, server: '', outcome: 'failed', reason: 'here, too' },
    { reqId: 'r1', agent: 'a', server: '', outcome: 'failed', reason: 'in flight' },
  ]);
});

it('the history ends what nobody answers any more with its computer: unknown where a server had it', () => {
  const { watch, post, request } = watching();
  post('computer/link#2', 'computer', request);
  post('computer/link#2', 'computer', { ...request, ticket: '2.r2', reqId: 'r2' });
  post('computer#1', 'computer/client:s', { ...request, ticket: '2.r2', reqId: 'r2' });
  watch.record({ k: 'end', a: 'computer#1', why: 'failed' } as never);
  expect(watch.newestFirst()).toMatchObject([
    { reqId: 'r2', outcome: 'unknown', reason: 'Its computer ended before it was answered' },
    { reqId: 'r1', outcome: 'failed' },
  ]);
});
