import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byRecency, defaultRemembered, withCall, type KnownCall } from './history.ts';

const callOf = (server: string, n = 0): KnownCall => ({
  at: '2026-02-14T10:30:00Z',
  endedAt: '2026-02-14T10:30:01Z',
  agent: null,
  state: 'ended',
  waitsFor: null,
  outcome: 'succeeded',
  reason: null,
  reqId: `r${n}`,
  server,
  tool: 't',
  arguments: {},
  phase: null,
  progress: null,
  timeoutMs: 30_000,
});
const numbersOf = (history: readonly KnownCall[]): string[] => history.map(({ reqId }) => reqId);

describe('the history of calls', () => {
  it('holds the last ten calls, the oldest first', () => {
    let history: readonly KnownCall[] = [];
    for (let n = 1; n <= 13; n += 1) history = withCall(history, callOf('s', n));
    expect(defaultRemembered).toBe(10);
    expect(numbersOf(history)).toEqual(Array.from({ length: 10 }, (_, n) => `r${n + 4}`));
  });
  it('holds as many as it is told to, and none when that is 0', () => {
    fc.assert(
      fc.property(fc.nat(20), fc.integer({ min: -2, max: 12 }), (calls, most) => {
        let history: readonly KnownCall[] = [];
        for (let n = 0; n < calls; n += 1) history = withCall(history, callOf('s', n), most);
        const held = Math.min(calls, Math.max(0, most));
        expect(numbersOf(history)).toEqual(Array.from({ length: held }, (_, n) => `r${calls - held + n}`));
      }),
    );
  });
  it('is not changed by what comes after it', () => {
    const before = [callOf('a', 1)];
    withCall(before, callOf('b', 2), 1);
    expect(numbersOf(before)).toEqual(['r1']);
  });
});

describe('the order of servers', () => {
  const order = (servers: readonly string[], history: readonly string[]): readonly string[] =>
    byRecency(
      servers,
      history.map((server) => ({ server })),
    );
  it('begins with the one that was called last, each once; the others follow by name', () => {
    expect(order(['A', 'B', 'C'], ['A', 'C'])).toEqual(['C', 'A', 'B']);
    expect(order(['d', 'b', 'a', 'c'], ['b', 'a', 'b', 'a', 'b'])).toEqual(['b', 'a', 'c', 'd']);
  });
  it('has every server once, whatever was called', () => {
    const names = fc.array(fc.string({ unit: 'binary', maxLength: 3 }), { maxLength: 8 });
    fc.assert(
      fc.property(names, names, (servers, history) => {
        expect([...order(servers, history)].sort()).toEqual([...new Set(servers)].sort());
      }),
    );
  });
});
