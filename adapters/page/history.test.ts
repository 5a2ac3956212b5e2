import type { Row } from '../../machines/trace/row.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyRow, History, type Living } from './history.ts';

const a = 'computer/client:s#1';
const open = { k: 'open', a, kind: 'client', from: 'computer' };
const placed = (rows: readonly object[]): Row[] =>
  rows.map((row, at) => ({ k: '', ...row, s: at + 1, t: at * 10 }));
const historyOf = (rows: readonly Row[]): History => {
  const history = new History();
  for (const row of rows) history.add(row);
  return history;
};
const last = (rows: readonly object[]): Living | undefined => historyOf(placed(rows)).at(Infinity).get(a);

describe('an actor that lives after a record', () => {
  it('is in the state of its last step, since the step that changed it', () => {
    const ctx = { tries: 1, why: 'it died' };
    const step = { k: 'step', a, ev: 'x', tr: ['one'], v: { up: 'ready' }, ctx };
    const quiet = { ...step, tr: [], ctx: undefined };
    const living = last([open, step, quiet, { ...step, ctx: { more: 2 }, gone: ['why'] }]);
    expect(living?.context).toEqual({ tries: 1, more: 2 });
    expect(last([open, step, quiet])).toMatchObject({
      state: { up: 'ready' },
      since: 10,
      context: ctx,
      taken: ['one'],
    });
  });
  it('is ready since it was, also after a ping and after a checkpoint', () => {
    const v = (health: string): object => ({ connected: { ready: { health, lists: 'known' } } });
    const step = (health: string): object => ({ k: 'step', a, ev: 'x', tr: ['one'], v: v(health) });
    const roots = [{ a, kind: 'client', owner: null, snapshot: { value: v('pinging') }, inState: 1 }];
    expect(last([open, step('steady'), step('pinging'), step('steady')])).toMatchObject({ since: 10 });
    expect(last([open, step('steady'), { k: 'key', roots }])).toMatchObject({
      since: 10,
      state: v('pinging'),
    });
  });
  it('is found by its first step where a ring has forgotten its beginning, and not after its end', () => {
    const step = { k: 'step', a, ev: 'x', tr: ['one'], v: 'waiting', ctx: { tries: 1 } };
    const owner = { ...step, a: 'computer#1', v: 'serving' };
    expect(last([owner, step])).toMatchObject({
      kind: 'client',
      owner: 'computer#1',
      state: 'waiting',
      since: null,
    });
    expect(last([step, { k: 'end', a, why: 'closed' }, { ...step, st: 'stopped' }])).toBeUndefined();
  });
  it('has no timer that was cleared or that has fired', () => {
    const set = (n: number): object => ({ k: 'timer', op: 'set', a, n, ms: 500 });
    const rows = [open, set(1), set(2), set(3), { k: 'timer', op: 'clear', a, n: 1 }];
    const living = last([...rows, { k: 'in', via: 'deadline', a, n: 3 }]);
    expect([...(living?.timers.values() ?? [])]).toMatchObject([{ n: 2, due: 520 }]);
  });
  it('comes whole out of a checkpoint, with its age and the timers that run', () => {
    const snapshot = { value: 'waiting', context: { tries: 2 } };
    const holds = [{ held: 'deadline', n: 4, left: 70 }];
    const root = { a, kind: 'client', owner: 'computer', age: 30, holds, snapshot };
    const gone = { k: 'open', a: 'gone', kind: 'call', from: a };
    const living = last([gone, {}, {}, {}, { k: 'key', roots: [root] }]);
    expect(living).toMatchObject({ state: 'waiting', context: { tries: 2 }, opened: 10, since: null });
    expect([...(living?.timers.values() ?? [])]).toMatchObject([{ n: 4, due: 110 }]);
  });
  it('has no timer that a checkpoint after a gap does not know', () => {
    const root = { a, kind: 'client', owner: 'computer', holds: [{ held: 'timer', n: 2, left: 480 }] };
    const set = (n: number): object => ({ k: 'timer', op: 'set', a, n, ms: 500 });
    const history = historyOf(placed([open, set(1), set(2), { k: 'key', roots: [root] }]));
    expect([...(history.at(Infinity).get(a)?.timers.keys() ?? [])]).toEqual([2]);
  });
});

describe('a history of 3,500 records', () => {
  const kinds = [
    (n: number) => ({ k: 'open', a: `r#${n % 7}`, kind: 'call', from: 'computer' }),
    (n: number) => ({ k: 'step', a: `r#${n % 5}`, ev: 'e', tr: [`t${n}`], v: `v${n % 3}`, ctx: n }),
    (n: number) => ({ k: 'timer', op: n % 2 ? 'set' : 'clear', a: `r#${n % 7}`, n: n % 4, ms: n }),
    (n: number) => ({ k: 'end', a: `r#${n % 7}`, why: 'done' }),
  ];
  const rows = placed(Array.from({ length: 3_500 }, (_, n) => kinds[(n * 7 + (n >> 3)) % 4]?.(n) ?? {}));
  const history = historyOf(rows);

  it('shows any moment as a reader does who stopped there', () => {
    fc.assert(
      fc.property(fc.integer({ min: -5, max: rows.length + 5 }), (index) => {
        const alive = new Map<string, Living>();
        for (const row of rows.slice(0, Math.max(0, index + 1))) applyRow(alive, row);
        expect(history.at(index)).toEqual(alive);
      }),
    );
  });
  it('finds the last record of a time', () => {
    expect([-1, 0, 19, 20, 1e9].map((t) => history.indexAt(t))).toEqual([-1, 0, 1, 2, rows.length - 1]);
  });
});
