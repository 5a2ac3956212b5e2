import { beforeEach, describe, expect, it } from 'vitest';
import { openGate, type Gate } from './limits.ts';
import { Notices } from './notices.ts';

interface Waiting {
  readonly run: () => void;
  readonly ms: number;
}
let told: string[];
let timers: Map<number, Waiting>;
let seated: Record<string, string[]>;
/** Number of deliveries that all rooms together may send now. */
let budget: number;
let spacingMs: number;
let notices: Notices;
const limited: Gate = {
  ...openGate,
  notice: () => spacingMs,
  deliver: (_, wanted) => {
    const now = Math.min(wanted, budget, 2);
    budget -= now;
    return { now, waitMs: now === 0 ? 50 : 0 };
  },
};
function open(gate: Gate): void {
  let last = 0;
  notices = new Notices({
    timers: {
      setTimer: (run, ms) => {
        timers.set(++last, { run, ms });
        return last;
      },
      clearTimer: (timer) => void timers.delete(timer as number),
    },
    gate,
    hearers: ({ office, from }) => (seated[office] ?? []).filter((socket) => socket !== from),
    deliver: (sockets, event) => void told.push(`${event.slice('notify:update_'.length)}→${sockets.join()}`),
  });
}
function pass(): number[] {
  const due = [...timers.values()];
  timers.clear();
  for (const { run } of due) run();
  return due.map(({ ms }) => ms);
}
const say = (from: string, what: 'desktop' | 'finder' = 'desktop', office = 'o'): void =>
  notices.tell({ office, from, event: `notify:update_${what}`, body: {} });

beforeEach(() => {
  told = [];
  timers = new Map();
  seated = { o: ['a', 'b', 'c', 'd'], p: ['x', 'y'] };
  budget = 1_000;
  spacingMs = 0;
  open(limited);
});

describe('notices that may wait', () => {
  it('go out at once and to all where nothing limits them', () => {
    open(openGate);
    say('a');
    say('a');
    expect([told, timers.size]).toEqual([['desktop→b,c,d', 'desktop→b,c,d'], 0]);
  });

  it('go out in parts, between which others have their turn', () => {
    say('a');
    expect(told).toEqual(['desktop→b,c']);
    say('x', 'finder', 'p');
    expect(told).toEqual(['desktop→b,c', 'finder→y']);
    expect(pass()).toEqual([1]);
    expect([told, timers.size]).toEqual([['desktop→b,c', 'finder→y', 'desktop→d'], 0]);
  });

  it('are one for each computer and kind until they go out, and none is lost', () => {
    budget = 0;
    // The first notice is sent at once, so a later change is a new notice.
    for (let count = 0; count < 100; count++) say('a');
    say('a', 'finder');
    say('b');
    expect(pass()).toEqual([50]);
    budget = 1_000;
    while (timers.size > 0) pass();
    expect(told).toEqual([
      ...['desktop→b,c', 'desktop→d', 'desktop→b,c', 'desktop→d'],
      ...['finder→b,c', 'finder→d', 'desktop→a,c', 'desktop→d'],
    ]);
  });

  it('wait while their computer tells too often, whatever others tell', () => {
    spacingMs = 200;
    for (let count = 0; count < 100; count++) say('x', 'desktop', 'p');
    spacingMs = 0;
    say('y', 'desktop', 'p');
    expect(told).toEqual(['desktop→x']);
    expect(pass()).toEqual([200]);
    expect(told).toEqual(['desktop→x', 'desktop→y']);
  });

  it('are dropped with their computer, and with the office', () => {
    spacingMs = 200;
    say('a');
    notices.drop('a');
    expect(timers.size).toBe(0);
    spacingMs = 0;
    budget = 0;
    say('b');
    say('c');
    notices.drop('c');
    budget = 1_000;
    while (timers.size > 0) pass();
    expect(told).toEqual(['desktop→a,c', 'desktop→d']);
    budget = 0;
    say('b');
    notices.close();
    expect(timers.size).toBe(0);
  });

  it('go to those who sit there when they go out', () => {
    spacingMs = 200;
    say('x', 'desktop', 'p');
    seated['p'] = ['x', 'z'];
    pass();
    say('x', 'finder', 'empty');
    expect(told).toEqual(['desktop→z']);
  });
});
