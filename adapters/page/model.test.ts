import { describe, expect, it } from 'vitest';
import { History } from './history.ts';
import type { Row } from './living.ts';
import { serversOf, stateText, treeOf } from './model.ts';

const client = 'computer/client:web#1';
const context = { server: 'web', budget: 5, attempt: 0 };
const checkpoint: Row = {
  s: 1,
  t: 5,
  k: 'key',
  roots: [
    {
      a: 'computer#1',
      kind: 'computer',
      owner: null,
      snapshot: { value: { serving: 'whole' }, context: {} },
    },
    {
      a: client,
      kind: 'client',
      owner: 'computer#1',
      snapshot: { value: { connected: { ready: 'steady' } }, context },
    },
  ],
};
const failure = { message: 'it ended with exit code 7', remedy: 'Mend it' };
const down: readonly Row[] = [
  { s: 2, t: 10, k: 'step', a: client, v: 'waiting', ctx: { ...context, attempt: 2, failure } },
  { s: 3, t: 10, k: 'timer', op: 'set', a: client, n: 4, ms: 3_200 },
];
const after = (...rows: readonly Row[]): ReturnType<History['at']> => {
  const history = new History();
  for (const row of rows) history.add(row);
  return history.at(Infinity);
};

describe('a server, for somebody who knows nothing of machines', () => {
  it('is ready', () => {
    expect(serversOf(after(checkpoint))).toMatchObject([
      { name: 'web', mood: 'good', words: 'ready', why: '', nextAt: null, attempt: '', calls: 0 },
    ]);
  });

  it('is down: why, and when it is tried again', () => {
    expect(serversOf(after(checkpoint, ...down))).toMatchObject([
      {
        mood: 'bad',
        words: 'down, waits for its next try',
        why: 'it ended with exit code 7. Mend it',
        nextAt: 3_210,
        attempt: 'try 2 of 5',
        since: 10,
      },
    ]);
  });

  it('has its calls counted while they live', () => {
    const call = 'computer/client:web/call:1#3';
    const opened: Row = { s: 2, t: 6, k: 'open', a: call, kind: 'call', from: client, input: {} };
    const alive = after(checkpoint, opened);
    expect(serversOf(alive)[0]?.calls).toBe(1);
    expect(treeOf(alive).map(({ actor, depth }) => [actor.kind, depth])).toEqual([
      ['computer', 0],
      ['client', 1],
      ['call', 2],
    ]);
    expect(
      serversOf(after(checkpoint, opened, { s: 3, t: 7, k: 'end', a: call, why: 'done' }))[0]?.calls,
    ).toBe(0);
  });
});

it('a state has one text in every form', () => {
  expect(stateText({ a: { b: 'c' }, d: 'e' })).toBe('a.b.c + d.e');
  expect(stateText('waiting')).toBe('waiting');
  expect(stateText(undefined)).toBe('');
});
