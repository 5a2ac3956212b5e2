import { describe, expect, it } from 'vitest';
import { collectionChangesOf, shownOf } from './collections.ts';
import { History } from './history.ts';

const desktop = 'computer/desktop#2';
const context = (...uris: readonly string[]): object => ({
  lists: { web: { uris, reason: null } },
});
const listed = (...uris: readonly string[]): object => ({
  ...{ k: 'step', a: desktop, ev: 'resources.listed', tr: [], v: 'open', ctx: context(...uris) },
});
const updated = { k: 'post', a: 'computer/desktop', from: 'computer#1' };
const told = { k: 'post', a: 'computer#1', from: desktop, ev: { type: 'aggregate.changed' } };
const changesAfter = (...all: readonly object[]): ReturnType<typeof collectionChangesOf> => {
  const history = new History();
  for (const [at, row] of all.entries()) history.add({ k: '', ...row, s: at, t: at * 10 });
  return collectionChangesOf(history, Infinity);
};
const opened = { k: 'open', a: desktop, kind: 'desktop', from: 'computer#1', input: {} };

describe('a change of the Desktop', () => {
  it('has what came and what went, of which server, and when it was announced', () => {
    expect(changesAfter(opened, listed('w://a', 'w://b'), told, listed('w://b'), {}, told)).toMatchObject([
      { t: 30, server: 'web', why: 'its list is another one', added: [], removed: ['w://a'], toldAfter: 20 },
      { t: 10, collection: 'desktop', added: ['w://a', 'w://b'], removed: [], toldAfter: 10 },
    ]);
  });
  it('is none where a step tells of another field only', () => {
    const other = { k: 'step', a: desktop, ev: 'tick', tr: [], v: 'open', ctx: { sequence: 2 } };
    expect(changesAfter(opened, listed('w://a'), other, listed('w://b'))).toMatchObject([
      { added: ['w://b'], removed: ['w://a'] },
      { added: ['w://a'] },
    ]);
  });
  it('says so when it was not announced', () => {
    const ev = { type: 'resource.updated', server: 'web', uri: 'window://other' };
    const untouched = { k: 'step', a: desktop, ev: 'resource.updated', tr: [], v: 'open' };
    const all = [opened, listed('w://a'), told, { ...updated, ev }, untouched, told];
    expect(changesAfter(...all)).toMatchObject([
      { why: 'it said that window://other is another one', isTouching: false, toldAfter: undefined },
      { isTouching: true, toldAfter: 10 },
    ]);
    // A changed document does not concern the Desktop.
    expect(changesAfter(opened, { ...updated, ev: { ...ev, uri: 'dpe://other' } })).toEqual([]);
  });
  it('begins with what it showed then for one that was there before', () => {
    const root = { a: desktop, kind: 'desktop', owner: 'computer#1', holds: [] };
    const key = { k: 'key', roots: [{ ...root, snapshot: { value: 'open', context: context('w://a') } }] };
    expect(changesAfter(key, listed('w://a'))).toEqual([]);
    expect(changesAfter(key, listed('w://b'))).toMatchObject([{ added: ['w://b'], removed: ['w://a'] }]);
  });
});

it('what is shown is told by server, with why it cannot be had', () => {
  const lists = {
    web: { uris: ['w://a'], reason: 'its list cannot be had' },
    other: { uris: [], reason: null },
  };
  expect(shownOf({ lists })).toEqual([{ server: 'web', uris: ['w://a'], reason: 'its list cannot be had' }]);
  expect(shownOf(undefined)).toEqual([]);
});
