import { describe, expect, it } from 'vitest';
import type { Row } from './trace-lines.ts';
import { isOf, Messages } from './messages.ts';

const client = 'computer/client:fs#1';
const session = `${client}/session#1`;
const frame = (dir: 'in' | 'out', json: object, more: object = {}): object => ({
  ...{ k: 'frame', a: session, via: 'mcp', dir, json },
  ...more,
});
const asks = (a: string, method: string): object => ({
  k: 'out',
  a,
  port: 'ask',
  ev: { type: 'ask', method },
});
const read = (...all: readonly object[]): ReturnType<Messages['read']> => {
  const rows = all.map((row, at): Row => ({ k: '', ...row, s: at, t: at * 10 }));
  return new Messages(client).read(rows, rows.length);
};

describe('messages', () => {
  it('have the call or the list that asked, and an answer has what its request has', () => {
    const rows = read(
      asks('computer/client:fs/catalog:tools#2', 'tools/list'),
      asks('computer/client:fs/call:1#3', 'tools/call'),
      frame('out', { method: 'tools/call' }, { name: 'tools/call', req: '5' }),
      frame('out', { method: 'tools/list' }, { name: 'tools/list', req: '6' }),
      frame('in', { result: 1 }, { req: '6' }),
      frame('in', { result: 2 }, { req: '5' }),
    );
    expect(rows.map(({ name, by, isAnswer, afterMs }) => [name, by, isAnswer, afterMs])).toEqual([
      ['tools/call', 'computer/client:fs/call:1#3', false, null],
      ['tools/list', 'computer/client:fs/catalog:tools#2', false, null],
      ['tools/list', 'computer/client:fs/catalog:tools#2', true, 10],
      ['tools/call', 'computer/client:fs/call:1#3', true, 30],
    ]);
  });

  it('of both sides that have one number are told apart', () => {
    const rows = read(
      frame('out', { method: 'ping' }, { name: 'ping', req: '1' }),
      frame('in', { method: 'roots/list' }, { name: 'roots/list', req: '1' }),
      frame('out', { result: {} }, { req: '1' }),
      frame('in', { result: {} }, { req: '1' }),
    );
    expect(rows.map(({ name, isAnswer }) => [name, isAnswer])).toEqual([
      ...[
        ['ping', false],
        ['roots/list', false],
        ['roots/list', true],
        ['ping', true],
      ],
    ]);
  });

  it('of another actor are left out, also of one whose name begins the same', () => {
    expect(read(frame('in', {}, { a: 'computer/client:fs2#1/session#1' }))).toEqual([]);
    expect(['computer/client:fs#9', 'computer/client:f#1'].map((actor) => isOf(actor, session))).toEqual([
      true,
      false,
    ]);
  });

  it('that were cut say by how much', () => {
    const cut = { k: 'frame', a: session, via: 'mcp', dir: 'in', text: '{"a":', cut: 7 };
    expect(read(cut)).toMatchObject([{ body: '{"a":', cut: 7, isAnswer: true }]);
  });
});
