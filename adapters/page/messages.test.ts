import type { Row } from '../../machines/trace/row.ts';
import { describe, expect, it } from 'vitest';
import { Messages, type MessageRow } from './messages.ts';
import { isBelow } from '../../machines/kernel/effects.ts';

const client = 'computer/client:fs#1';
const session = `${client}/session#1`;
const frame = (dir: 'in' | 'out', json: object, more: object = {}): object => ({
  ...{ k: 'frame', a: session, via: 'mcp', dir, json },
  ...more,
});
const read = (...all: readonly object[]): readonly MessageRow[] => {
  const messages = new Messages();
  for (const [at, row] of all.entries()) messages.add({ k: 'frame', t: 0, s: at + 1, ...row }, at * 10);
  return messages.of(client);
};

describe('the messages of a call', () => {
  it('have for an answer what their request has, also when it comes later', () => {
    const [list, call] = ['computer/client:fs/catalog:tools#2', 'computer/client:fs/call:1#3'];
    const rows = read(
      frame('out', { method: 'tools/list' }, { name: 'tools/list', req: '6', by: list, s: 2 }),
      frame('in', { result: 1 }, { req: '6', s: 3 }),
      frame('in', { result: 2 }, { req: '5', s: 4 }),
      frame('out', { method: 'tools/call' }, { name: 'tools/call', req: '5', by: call, s: 1 }),
    );
    expect(rows.map(({ name, by, isAnswer, afterMs }) => [name, by, isAnswer, afterMs])).toEqual([
      ['tools/call', call, false, null],
      ['tools/list', list, false, null],
      ['tools/list', list, true, 10],
      ['tools/call', call, true, -10],
    ]);
  });

  it('are those of its actor and those on sockets with its req_id, each once', () => {
    const call = 'computer/client:fs#1/call:1#3';
    const all = new Messages();
    const link = { a: 'computer/link#1/socket#1', via: 'socket', req: 'r-1', name: 'client:tool_call' };
    const rows = [
      frame('in', { event: 'client:tool_call' }, { ...link, s: 1 }),
      frame('out', { method: 'tools/call' }, { name: 'tools/call', req: 'r-1', s: 2 }),
      frame('out', { method: 'tools/call' }, { name: 'tools/call', req: '5', by: call, s: 3 }),
      frame('out', { ack: 'client:tool_call' }, { ...link, s: 4 }),
    ];
    for (const row of [...rows, ...rows]) all.add({ t: 0, ...row } as Row, 0);
    const found = all.ofCall({ address: call, reqId: 'r-1' });
    expect(found.map(({ id, isAnswer }) => (isAnswer ? -id : id))).toEqual([1, 3, -4]);
  });

  it('are told apart where both sides have one number', () => {
    const rows = read(
      frame('out', { method: 'ping' }, { name: 'ping', req: '1' }),
      frame('in', { method: 'roots/list' }, { name: 'roots/list', req: '1' }),
      frame('out', { result: {} }, { req: '1' }),
      frame('in', { result: {} }, { req: '1' }),
    );
    const told = rows.map(({ name, isAnswer }) => `${name}${isAnswer ? ', answered' : ''}`);
    expect(told).toEqual(['ping', 'roots/list', 'roots/list, answered', 'ping, answered']);
  });

  it('leave out those of another actor, also of one whose name begins the same', () => {
    expect(read(frame('in', {}, { a: 'computer/client:fs2#1/session#1' }))).toEqual([]);
    expect(['computer/client:fs#9', 'computer/client:f#1'].map((actor) => isBelow(actor, session))).toEqual([
      true,
      false,
    ]);
  });

  it('say by how much they were cut', () => {
    const cut = { k: 'frame', a: session, via: 'mcp', dir: 'in', text: '{"a":', cut: 7 };
    expect(read(cut)).toMatchObject([{ body: '{"a":', cut: 7, isAnswer: true }]);
  });
});
