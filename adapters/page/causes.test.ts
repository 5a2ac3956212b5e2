import type { Row } from '../../machines/trace/row.ts';
import { describe, expect, it } from 'vitest';
import { causesOf, changesOf } from './causes.ts';

const rowsOf = (rows: readonly object[]): { length: number; row(index: number): Row | undefined } => {
  const all = rows.map((row, at): Row => ({ k: '', ...row, s: at, t: at }));
  return { length: all.length, row: (index) => all[index] };
};
const client = 'computer/client:web#1';

describe('what led to a record', () => {
  const records = rowsOf([
    { k: 'in', via: 'leaf', a: `${client}/session#1`, ev: { type: 'session.lost' } },
    { k: 'step', a: client, ev: 'session.lost', tr: ['one'], v: 'waiting' },
    { k: 'timer', op: 'set', via: 'deadline', a: client, n: 4, ms: 200 },
    { k: 'in', via: 'host', a: 'computer', ev: { type: 'call.request' } },
    { k: 'in', via: 'deadline', a: client, n: 4 },
    { k: 'step', a: client, ev: 'deadline.passed', tr: ['two'], v: 'launching' },
    { k: 'open', a: 'computer/client:web/process#2', kind: 'process', from: client },
    { k: 'step', a: 'computer/client:web/process#2', ev: 'xstate.init', tr: [], v: 'starting' },
    { k: 'out', port: 'process', a: 'computer/client:web/process#2/process#1', ev: { type: 'leaf.open' } },
    { k: 'post', a: 'computer/client:web', from: 'computer/client:web/process#2', ev: { type: 'hello' } },
    { k: 'step', a: client, ev: 'hello', tr: [], v: 'launching' },
  ]);

  it('goes from a command through timers and messages back to the fact from outside', () => {
    expect(causesOf(records, 8)).toEqual([7, 6, 5, 4, 2, 1, 0]);
  });
  it('is the last step of its sender for a message', () => {
    expect(causesOf(records, 10).slice(0, 3)).toEqual([9, 7, 6]);
  });
  it('is nothing for a fact from outside', () => {
    expect(causesOf(records, 0)).toEqual([]);
    expect(causesOf(records, 3)).toEqual([]);
  });
  it('is the question for an answer', () => {
    const asked = rowsOf([
      { k: 'step', a: client, ev: 'x', tr: [], v: 'a' },
      { k: 'out', ch: 'ask tools/list of web/1', port: 'ask', a: client, ev: { type: 'ask' } },
      { k: 'out', ch: 'ask tools/list of web/2', port: 'ask', a: client, ev: { type: 'ask' } },
      { k: 'in', ch: 'ask tools/list of web/1', via: 'ask', a: client, ev: { type: 'ask.answered' } },
    ]);
    expect(causesOf(asked, 3)).toEqual([1, 0]);
  });
  it('is the last step of who said it for what a host hears; for a mark and a list it is nothing', () => {
    const said = rowsOf([
      { k: 'step', a: client, ev: 'x', tr: [], v: 'a' },
      { k: 'said', ch: 'host:computer', from: client, a: 'host:computer.1', ev: { type: 'server.changed' } },
      { k: 'mark', text: 'checkout' },
      { k: 'list', h: 'f', v: [] },
    ]);
    expect([1, 2, 3].map((at) => causesOf(said, at))).toEqual([[0], [], []]);
  });
});

it('a context differs by path, with what was before and what is after', () => {
  const before = { link: { stage: 'a', same: 1 }, list: [1], gone: true };
  const after = { link: { stage: 'b', same: 1 }, list: [1, 2], fresh: null };
  expect(changesOf(before, after)).toEqual([
    { path: 'link.stage', before: 'a', after: 'b' },
    { path: 'list', before: [1], after: [1, 2] },
    { path: 'gone', before: true, after: undefined },
    { path: 'fresh', before: undefined, after: null },
  ]);
  expect(changesOf(before, { ...before })).toEqual([]);
});
