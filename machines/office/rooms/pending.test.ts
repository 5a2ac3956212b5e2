import { beforeEach, describe, expect, it } from 'vitest';
import { mostInFlight } from '../../protocol/protocol.ts';
import { oversized, Pending, type Routed } from './pending.ts';

let timers: Map<number, { run: () => void; ms: number }>;
let answers: [name: string, ...ack: unknown[]][];
let pending: Pending;
let last = 0;
const add = (routed: Routed): number => Number(pending.add(routed));
const route = (name: string, more: Partial<Routed> = {}): Routed => ({
  from: 'agent',
  to: 'computer',
  office: 'o',
  event: 'client:get_tools',
  timeoutMs: 1000,
  onAnswer: (...ack) => void answers.push([name, ...ack]),
  ...more,
});

beforeEach(() => {
  timers = new Map();
  answers = [];
  pending = new Pending({
    setTimer: (run, ms) => {
      timers.set(++last, { run, ms });
      return last;
    },
    clearTimer: (timer) => void timers.delete(timer as number),
  });
});

describe('a routed question', () => {
  it('settles once, with the answer as it came', () => {
    const id = add(route('q'));
    expect([pending.settle(id, 1, 2), pending.settle(id, 3)]).toEqual([true, false]);
    expect([answers, timers.size, pending.size]).toEqual([[['q', 1, 2]], 0, 0]);
  });
  it('ends with 408 after its time-out, and a late answer is dropped', () => {
    const id = add(route('q'));
    const [timer] = timers.values();
    timer?.run();
    expect(pending.settle(id, 'late')).toBe(false);
    expect([timer?.ms, answers]).toMatchObject([1000, [['q', { error: { code: 408 } }]]]);
  });
  it('has no timer where it has no limit', () => {
    pending.add(route('q', { timeoutMs: 0 }));
    expect([timers.size, pending.size]).toEqual([0, 1]);
  });
  it('is answered at once when its target goes', () => {
    pending.add(route('q'));
    pending.add(route('call', { event: 'client:tool_call' }));
    pending.add(route('other', { to: 'another' }));
    pending.leave('computer', 'transport close');
    expect(answers).toMatchObject([
      ['q', { error: { code: 404, details: { reason: 'left' } } }],
      ['call', { isError: true, meta: { error_code: 404 } }],
    ]);
    expect([pending.size, timers.size]).toEqual([1, 1]);
  });
  it('is dropped when its asker is gone, and answered when it only left', () => {
    pending.add(route('gone'));
    pending.leave('agent', 'transport close');
    pending.add(route('left'));
    pending.leave('agent');
    expect([answers.map(([name]) => name), pending.size, timers.size]).toEqual([['left'], 0, 0]);
  });
  it('is refused with an id that the same asker has in flight', () => {
    const call = route('call', { reqId: 'r' });
    const id = add(call);
    expect(pending.add(call)).toMatchObject({ code: 409 });
    expect(pending.add({ ...call, from: 'another' })).toEqual(expect.any(Number));
    pending.settle(id);
    expect(pending.add(call)).toEqual(expect.any(Number));
  });
  it('is one of a limited number that one asker may have', () => {
    for (let i = 0; i < mostInFlight; i++) add(route('q', { to: `c${i}` }));
    expect(pending.add(route('one more'))).toMatchObject({
      code: 429,
      details: { reason: 'limit', limit: 'callsPerSocket', most: mostInFlight },
    });
    expect(pending.add(route('of another', { from: 'another' }))).toEqual(expect.any(Number));
    pending.leave('c0');
    expect(pending.add(route('next'))).toEqual(expect.any(Number));
  });
  it('says so when its target was cut off for a message that was too large', () => {
    pending.add(route('call', { event: 'client:tool_call' }));
    pending.leave('computer', oversized);
    const error = { code: 404, message: expect.stringContaining('8388608 bytes') as string };
    expect(answers).toMatchObject([
      ['call', { structuredContent: { error: { ...error, details: { reason: 'too_large' } } } }],
    ]);
  });
  it('may be asked again from within its answer', () => {
    pending.add(route('q', { onAnswer: () => void pending.add(route('next', { to: 'computer' })) }));
    pending.leave('computer');
    expect([pending.size, answers]).toEqual([1, []]);
  });
});
