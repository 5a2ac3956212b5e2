import { beforeEach, describe, expect, it } from 'vitest';
import type { RequestFact } from '../../machines/kernel/ports.ts';
import type { LinkFact } from '../../machines/link/questions.ts';
import { PROTOCOL_VERSION } from '../../machines/protocol/protocol.ts';
import { mostLevels } from '../../machines/protocol/json.ts';
import { LinkRegistry, type LinkConnection } from './link-connection.ts';

type Ack = (...args: unknown[]) => void;
interface Emitted {
  event: string;
  body: unknown;
  onAck: Ack | undefined;
}
let facts: LinkFact[];
let emitted: Emitted[];
let registry: LinkRegistry;
const call = { agent: 'a', req_id: 'r', computer: 'c', tool_name: 't', params: {}, timeout: 0 };

const open = (role: 'agent' | 'computer', key = 'k'): LinkConnection => {
  const name = role === 'agent' ? 'a' : 'c';
  const connection = registry.open(
    'computer/link/socket#7',
    { url: '', role, name, office: 'o', key, version: PROTOCOL_VERSION },
    (fact) => void facts.push(fact),
    {
      emit: (event, ...[body, onAck]) => void emitted.push({ event, body, onAck: onAck as Ack | undefined }),
      close: () => {},
    },
  );
  connection.up();
  return connection;
};
const asked = (connection: LinkConnection, event: string, payload: unknown): unknown[][] => {
  const acks: unknown[][] = [];
  connection.received(event, [payload, (...ack: unknown[]) => void acks.push(ack)]);
  return acks;
};
const types = (): string[] => facts.map(({ type }) => type);

beforeEach(() => {
  facts = [];
  emitted = [];
  registry = new LinkRegistry({ setTimer: () => {}, clearTimer: () => {} }, { newId: () => 'u' });
});

describe('the door of a computer', () => {
  it('serves a call while its own join is not answered yet', () => {
    const connection = open('computer');
    connection.tell({ type: 'link.join' });
    asked(connection, 'client:tool_call', call);
    expect([emitted.map(({ event }) => event), types()]).toEqual([
      ['server:join_office'],
      ['link.up', 'agent.called'],
    ]);
  });
  it.each([
    ['client:tool_call', { ...call, timeout: 1.5 }, { isError: true, meta: { error_code: 400 } }],
    ['client:tool_call', { ...call, computer: 'd' }, { isError: true, meta: { error_code: 404 } }],
    ['client:get_tools', {}, { error: { code: 400 } }],
    ['client:get_tools', { ...call, computer: 'd' }, { error: { code: 404 } }],
    ['client:dance', call, { error: { code: 501 } }],
  ])('answers at once what is wrong, unknown or for somebody else: %s %j', (event, payload, ack) => {
    expect(asked(open('computer'), event, payload)).toMatchObject([[ack]]);
    expect(types()).toEqual(['link.up']);
  });
  it.each([
    ['client:get_config', {}, 'agent.askedConfig', {}],
    [
      'client:get_desktop',
      { desktop_size: 2 },
      'agent.askedCollection',
      { collection: 'desktop', query: { desktop_size: 2 } },
    ],
    [
      'client:get_finder',
      { limit: 2 },
      'agent.askedCollection',
      { collection: 'finder', query: { limit: 2 } },
    ],
    [
      'client:read_resource',
      { uri: 'dpe://h' },
      'agent.askedResource',
      { collection: 'finder', uri: 'dpe://h' },
    ],
  ])('is asked %s, after it looked at the payload, and answers once', (event, more, type, fact) => {
    const connection = open('computer');
    const request = { ...call, ...more };
    const acks = asked(connection, event, request);
    expect(facts.at(-1)).toMatchObject({ type, ticket: '7.r', reqId: 'r', ...fact });
    connection.tell({ type: 'link.answer', ticket: '7.r', body: { req_id: 'r' } });
    connection.tell({ type: 'link.answer', ticket: '7.r', body: { req_id: 'r' } });
    expect(acks).toEqual([[{ req_id: 'r' }]]);
    expect(asked(connection, event, { ...request, computer: 'd' })).toMatchObject([
      [{ error: { code: 404 } }],
    ]);
    expect(asked(connection, event, { agent: 'a' })).toMatchObject([[{ error: { code: 400 } }]]);
  });
  it('refuses to read what is no URI of a window or a document, and asks nobody', () => {
    const acks = asked(open('computer'), 'client:read_resource', { ...call, uri: 'dpe://h/d/pages/x' });
    expect(acks).toMatchObject([
      [{ error: { code: 4204, details: { uri: 'dpe://h/d/pages/x' } }, req_id: 'r' }],
    ]);
    expect(types()).toEqual(['link.up']);
  });
  it.each(['ab*d', 'abc', 'a===', '=', 'abcd=', 'ab d', 'ab==cdef'])(
    'refuses a part of a file that is not base64: %s',
    (blob) => {
      const declared = { total_size: 3, sha256: 'f'.repeat(64) };
      const part = { ...call, chunk_offset: 0, eof: true, blob, ...declared };
      const acks = asked(open('computer'), 'client:put_blob', part);
      expect(acks).toMatchObject([[{ error: { message: 'blob is not base64' } }]]);
      expect(types()).toEqual(['link.up']);
    },
  );
  it('hears that an agent left, whose ids another may use at once', () => {
    const connection = open('computer');
    const acks = [asked(connection, 'client:tool_call', call)];
    for (const notice of [
      { office_id: 'p', agent: 'a' },
      { office_id: 'o', computer: 'd' },
      { office_id: 'o', agent: null },
      null,
    ])
      connection.received('notify:leave_office', [notice]);
    connection.received('notify:leave_office', [{ office_id: 'o', agent: 'a' }]);
    acks.push(asked(connection, 'client:tool_call', { ...call, agent: 'b' }));
    expect(facts.slice(1)).toMatchObject([
      { type: 'agent.called', ticket: '7.r' },
      { type: 'agent.left', agent: 'a' },
      { type: 'agent.called', ticket: '7.r~1' },
    ]);
    for (const ticket of ['7.r', '7.r~1']) connection.tell({ type: 'link.answer', ticket, body: ticket });
    expect(acks).toEqual([[['7.r']], [['7.r~1']]]);
  });
  it('gives a repeated req_id a ticket of its own until the first is answered', () => {
    const connection = open('computer');
    const acks = [asked(connection, 'client:tool_call', call), asked(connection, 'client:tool_call', call)];
    asked(connection, 'client:get_tools', call);
    expect(facts.slice(1)).toMatchObject([
      { type: 'agent.called', ticket: '7.r', timeoutMs: 0 },
      { type: 'agent.repeated', ticket: '7.r~1', reqId: 'r' },
      { type: 'agent.askedTools', ticket: '7.r~2' },
    ]);
    connection.tell({ type: 'link.answer', ticket: '7.r~1', body: 'no' });
    connection.received('notify:tool_call_cancel', [{ agent: 'a', req_id: 'r' }]);
    connection.tell({ type: 'link.answer', ticket: '7.r', body: 'yes' });
    connection.received('notify:tool_call_cancel', [{ agent: 'a', req_id: 'r' }]);
    asked(connection, 'client:tool_call', call);
    expect(acks).toEqual([[['yes']], [['no']]]);
    expect(facts.slice(4)).toMatchObject([
      { type: 'agent.cancelled', ticket: '7.r' },
      { type: 'agent.called', ticket: '7.r' },
    ]);
  });
  it('drops answers to calls of a connection that is gone', () => {
    const connection = open('computer');
    const acks = asked(connection, 'client:tool_call', call);
    connection.down('transport close');
    connection.tell({ type: 'link.answer', ticket: '7.r', body: {} });
    expect([acks, types()]).toEqual([[], ['link.up', 'agent.called', 'link.down']]);
  });
  it('fails an answer that is nested too deep, or in itself, with the levels that there may be', () => {
    const ring: unknown[] = [];
    ring.push(ring);
    const deep = Array.from({ length: 20_000 }).reduce<unknown>((inner) => [inner], 1);
    for (const body of [ring, { content: [], structuredContent: deep }]) {
      const connection = open('computer');
      const failure = {
        code: 413,
        message: expect.stringContaining('too deep'),
        details: { limit_levels: mostLevels },
      };
      const acks = asked(connection, 'client:get_tools', call);
      connection.tell({ type: 'link.answer', ticket: '7.r', body });
      expect(acks).toEqual([[{ ...failure, error: failure }]]);
      const called = asked(connection, 'client:tool_call', call);
      connection.tell({ type: 'link.answer', ticket: '7.r', body });
      expect(called).toMatchObject([[{ isError: true, structuredContent: { error: failure } }]]);
    }
  });
  it('ignores notices of its neighbours', () => {
    const connection = open('computer');
    connection.received('notify:enter_office', [{ office_id: 'o', computer: 'd' }]);
    expect(types()).toEqual(['link.up']);
  });
});

describe('an agent', () => {
  it.each([
    ['notify:enter_office', { office_id: 'p', computer: 'c' }],
    ['notify:enter_office', { office_id: 'o', agent: 'b' }],
    ['notify:leave_office', { office_id: 'o', computer: null }],
    ['notify:update_tool_list', {}],
    ['notify:update_tool_list', null],
    ['notify:update_config', { computer: 1 }],
    ['notify:update_desktop', {}],
    ['notify:update_finder', { computer: 1 }],
    ['notify:something', {}],
  ])('ignores %s %j', (event, body) => {
    open('agent').received(event, [body]);
    expect(types()).toEqual(['link.up']);
  });
  it('answers no questions', () => {
    expect(asked(open('agent'), 'client:get_tools', call)).toMatchObject([[{ error: { code: 501 } }]]);
  });
});

describe('the answer to a join', () => {
  it.each([
    [[true, null], { type: 'join.accepted' }],
    [[[true, null]], { type: 'join.accepted' }],
    [[false, 'no'], { type: 'join.refused', text: 'no' }],
    [[[false, 'no']], { type: 'join.refused', text: 'no' }],
    [[{ error: { code: 403, message: 'not you' } }], { type: 'join.refused', text: 'not you' }],
    [[false, null], { type: 'join.refused', text: 'The office gave no reason' }],
    [[], { type: 'join.refused', text: 'The office gave no reason' }],
  ])('is read as it is: %j', (ack, fact) => {
    open('computer').tell({ type: 'link.join' });
    emitted[0]?.onAck?.(...ack);
    expect(facts.at(-1)).toEqual(fact);
  });
  it('is not told when the connection is gone before it comes', () => {
    const connection = open('computer');
    connection.tell({ type: 'link.join' });
    connection.down('transport close');
    emitted[0]?.onAck?.(true, null);
    expect(types()).toEqual(['link.up', 'link.down']);
  });
});

describe('a link', () => {
  it.each([
    ['agent', 'notify:x'],
    ['agent', 'agent:x'],
    ['computer', 'notify:x'],
    ['computer', 'client:tool_call'],
  ] as const)('sends nothing in the role of %s that this role never sends: %s', (role, method) => {
    open(role);
    const told: RequestFact[] = [];
    registry.request(
      'asker#1',
      { id: 'q', target: 'k', method, params: call },
      (fact) => void told.push(fact),
    );
    expect(told).toMatchObject([{ type: 'ask.refused', sent: false, failure: { code: 403 } }]);
    expect(emitted).toEqual([]);
  });
});

describe('the book of links', () => {
  it('keeps the key of a successor when the predecessor closes late', () => {
    const first = open('computer');
    open('computer');
    first.close();
    expect(registry.has('k')).toBe(true);
  });
});

describe('calls of a computer that are over', () => {
  it('are taken back by the office with a reason, which is one of three words or none', () => {
    const connection = open('computer');
    for (const [n, reason] of ['timeout', 'left', 'closing', undefined, 'because', 7].entries()) {
      asked(connection, 'client:tool_call', { ...call, req_id: `r${n}` });
      connection.received('notify:tool_call_cancel', [{ agent: 'a', req_id: `r${n}`, reason }]);
    }
    const told = facts.flatMap((fact) => (fact.type === 'agent.cancelled' ? [fact] : []));
    const tickets = told.map(({ ticket }) => ticket);
    expect(tickets).toEqual(['7.r0', '7.r1', '7.r2', '7.r3', '7.r4', '7.r5']);
    expect(told.flatMap(({ reason }) => reason ?? [])).toEqual(['timeout', 'left', 'closing']);
  });
  it('are answered before it leaves', () => {
    const connection = open('computer');
    const acks = asked(connection, 'client:tool_call', call);
    connection.tell({ type: 'link.leave' });
    expect(emitted).toEqual([]);
    connection.tell({ type: 'link.answer', ticket: '7.r', body: 'cancelled' });
    connection.tell({ type: 'link.answer', ticket: '7.r', body: 'again' });
    expect([acks, emitted.map(({ event }) => event)]).toEqual([[['cancelled']], ['server:leave_office']]);
  });
});

it.each(['agent', 'computer'] as const)(
  'a link tells why the office has closed the connection of the %s',
  (role) => {
    const connection = open(role);
    connection.received('notify:disconnecting', [{ code: 401, message: 'it has expired' }]);
    connection.received('notify:disconnecting', [{ code: 'x' }]);
    connection.down('transport close');
    expect(facts).toEqual([{ type: 'link.up' }, { type: 'link.down', reason: 'it has expired' }]);
  },
);
