import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RollingHash } from './rolling-hash.ts';
import type { DirectoryRecord } from '../../machines/trace/record.ts';

const checkOf = (...records: readonly DirectoryRecord[]): string => {
  const rollingHash = new RollingHash();
  for (const record of records) rollingHash.take(record);
  return rollingHash.text;
};
const a = 'computer/client:fs#1';
const post: DirectoryRecord = { k: 'post', from: 'computer#1', a, ev: { type: 'close' } };
const told = (ev: { type: string; [field: string]: unknown }): DirectoryRecord => ({ ...post, ev });
const set = (n: number, ms: number): DirectoryRecord => ({ k: 'timer', op: 'set', via: 'timer', a, n, ms });

const pairs: readonly (readonly [what: string, DirectoryRecord, DirectoryRecord])[] = [
  ['address', post, { ...post, a: 'computer/client:fs#2' }],
  ['word', post, { ...post, ev: { type: 'open' } }],
  ['turn', told({ type: 'call.settled', end: 'failed' }), told({ type: 'call.settled', end: 'succeeded' })],
  ['turn', told({ type: 'client.changed', stage: 'ready' }), told({ type: 'client.changed', stage: 'idle' })],
  [
    'turn',
    told({ type: 'child.signal', signal: 'SIGTERM' }),
    told({ type: 'child.signal', signal: 'SIGKILL' }),
  ],
  ['kind', { k: 'open', a, kind: 'x', from: a, input: {} }, { k: 'out', a, port: 'x', ev: { type: 'x' } }],
  ['kind', { k: 'draw', a, port: 'x' }, { k: 'defect', a, what: 'x' }],
  ['kind', { k: 'post', from: a, a, ev: { type: 'x' } }, { k: 'in', via: 'host', a, ev: { type: 'x' } }],
  ['way in', { k: 'in', via: 'host', a, ev: post.ev }, { k: 'in', via: 'leaf', a, ev: post.ev }],
  ['port', { k: 'out', port: 'link', a, ev: post.ev }, { k: 'out', port: 'office', a, ev: post.ev }],
  ['end', { k: 'end', a, why: 'done' }, { k: 'end', a, why: 'failed' }],
  ['number of a timer', { k: 'in', via: 'timer', a, n: 1 }, { k: 'in', via: 'timer', a, n: 2 }],
  ['delay', set(1, 100), set(1, 200)],
  ['number and delay of a timer', set(1, 131), set(2, 100)],
  ['kind of timer', set(1, 0), { ...set(1, 0), via: 'deadline' } as DirectoryRecord],
  ['what a timer is told', set(1, 0), { k: 'timer', op: 'clear', a, n: 1 }],
];

describe('a rolling hash', () => {
  it.each(pairs)('is another one for another %s', (_what, one, other) => {
    expect(checkOf(one)).not.toBe(checkOf(other));
    expect(checkOf(post, one, post)).not.toBe(checkOf(post, other, post));
  });

  it('is another one for another order, and for one record more or less', () => {
    const [one, other] = [post, set(1, 100)];
    expect(checkOf(one, other)).not.toBe(checkOf(other, one));
    expect(checkOf(one)).not.toBe(checkOf(one, one));
    expect(checkOf()).not.toBe(checkOf(one));
  });

  it('is the same for another payload: it is there for traces that have none', () => {
    const told = { ...post, ev: { type: 'close', because: 'of nothing' } } as DirectoryRecord;
    expect(checkOf(told)).toBe(checkOf(post));
  });

  it('goes on where another one stood', () => {
    const after = new RollingHash(checkOf(post));
    after.take(set(1, 100));
    expect(after.text).toBe(checkOf(post, set(1, 100)));
  });

  it('is eight hex digits, and no two of many ordinary records have the same', () => {
    const many = new Map<string, string>();
    const record = fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 60_000 }));
    fc.assert(
      fc.property(record, ([n, ms]) => {
        const value = checkOf(set(n, ms));
        expect(value).toMatch(/^[0-9a-f]{8}$/);
        expect(many.get(value) ?? `${n} ${ms}`).toBe(`${n} ${ms}`);
        many.set(value, `${n} ${ms}`);
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });
});
