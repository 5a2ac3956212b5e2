import assert from 'node:assert/strict';
import { noLimits } from '../../../machines/call/policy/call-limiters.ts';
import { casesOf, type ContractCase, type Rule } from '../contract.ts';
import { fits } from '../fits.ts';
import { always } from './limiters.days.ts';
import { harnessOf, type Entered, type LimitersStage, type LimitersUnderTest } from './limiters.stage.ts';

const go = ['go'];
const waits = ['waits'];
const begun = ['waits', 'go'];
const one = { concurrency: 1, queue: 9 };
const heard = (all: readonly Entered[], words: readonly (readonly string[])[]): void =>
  assert.deepEqual(
    all.map((each) => each.heard),
    words,
  );

const rule = (title: string, holds: Rule<LimitersStage>['holds']): Rule<LimitersStage> => ({ title, holds });

const entering = [
  rule(
    'goes within the call where there is room, and nothing is said of a line',
    async ({ limits, enter, settled }) => {
      limits['a'] = { concurrency: 2, queue: 0 };
      const both = [enter(), enter()];
      heard(both, [go, go]);
      await settled();
      heard(both, [go, go]);
    },
  ),
  rule('has no limit where the limit is 0', async ({ limits, enter }) => {
    limits['a'] = noLimits;
    const all = Array.from({ length: 50 }, () => enter());
    assert.ok(all.every(({ heard }) => heard.length === 1 && heard[0] === 'go'));
  }),
  rule('waits where there is none, and is told how many come before', async ({ limits, enter, settled }) => {
    limits['a'] = one;
    const all = [enter(), enter(), enter()];
    await settled();
    heard(all, [go, waits, waits]);
    assert.deepEqual(
      all.map(({ ahead }) => ahead),
      [undefined, 0, 1],
    );
  }),
  rule(
    'is refused within the call where the line is full, with the limits that hold',
    async ({ limits, enter, settled }) => {
      limits['a'] = { concurrency: 1, queue: 1 };
      const [running, waiting, refused] = [enter(), enter(), enter()];
      assert.deepEqual(refused.heard, ['busy']);
      fits(refused.failure, {
        code: 'Busy',
        message: /server 'a'.*was not sent/,
        details: { server_name: 'a', concurrency: 1, queue: 1 },
        remedy: /a2c\.concurrency/,
      });
      refused.leave();
      await settled();
      assert.deepEqual([running.heard, waiting.heard, refused.heard], [go, waits, ['busy']]);
    },
  ),
  rule(
    'asks for the limits again: a later call has the room of a changed config',
    async ({ limits, enter, settled }) => {
      limits['a'] = one;
      const [, waiting] = [enter(), enter()];
      limits['a'] = { concurrency: 3, queue: 9 };
      enter('a').leave();
      await settled();
      assert.deepEqual(waiting.heard, begun);
    },
  ),
  rule(
    'begins no sooner than a moment later because of a changed config, and never within the call',
    async ({ limits, enter, settled }) => {
      limits['a'] = one;
      const [, waiting] = [enter(), enter()];
      limits['a'] = { concurrency: 3, queue: 9 };
      const late = enter();
      assert.deepEqual([waiting.heard, late.heard], [waits, waits]);
      await settled();
      assert.deepEqual([waiting.heard, late.heard], [begun, begun]);
    },
  ),
  rule('lets those that waited go where a limit was taken away, before those that come later', async (s) => {
    s.limits['a'] = one;
    s.total = { concurrency: 1, queue: 9 };
    const [, own, other] = [s.enter(), s.enter(), s.enter('b')];
    s.limits['a'] = noLimits;
    s.total = noLimits;
    const [late, another] = [s.enter(), s.enter('b')];
    await s.settled();
    await s.settled();
    assert.deepEqual([own.heard, other.heard], [begun, begun]);
    assert.deepEqual([late.heard.at(-1), another.heard.at(-1)], ['go', 'go']);
  }),
];

const leaving = [
  rule(
    'frees one place, for the first to come, a moment later and never in between',
    async ({ limits, enter, settled }) => {
      limits['a'] = one;
      const [running, next, last] = [enter(), enter(), enter()];
      running.leave();
      assert.deepEqual([next.heard, last.heard], [waits, waits]);
      await settled();
      assert.deepEqual([next.heard, last.heard], [begun, waits]);
      next.leave();
      await settled();
      assert.deepEqual(last.heard, begun);
    },
  ),
  rule('twice is leaving once', async ({ limits, enter, settled }) => {
    limits['a'] = one;
    const [running, next, last] = [enter(), enter(), enter()];
    running.leave();
    running.leave();
    await settled();
    running.leave();
    await settled();
    assert.deepEqual([next.heard, last.heard], [begun, waits]);
  }),
  rule('while one waits ends the news, and those behind move up', async ({ limits, enter, settled }) => {
    limits['a'] = { concurrency: 1, queue: 2 };
    const [running, leaves, next] = [enter(), enter(), enter()];
    leaves.leave();
    leaves.leave();
    const last = enter();
    assert.deepEqual([last.heard, last.ahead], [waits, 1]);
    running.leave();
    await settled();
    assert.deepEqual([leaves.heard, next.heard, last.heard], [waits, begun, waits]);
  }),
  rule('out of `go` frees the place like any other', async ({ limits, enter, settled }) => {
    limits['a'] = one;
    const running = enter();
    const passing: Entered = enter('a', () => passing.leave());
    const last = enter();
    running.leave();
    await settled();
    assert.deepEqual([passing.heard, last.heard], [begun, begun]);
  }),
  rule(
    'lets nobody pass who comes in the moment before the next begins',
    async ({ limits, enter, settled }) => {
      limits['a'] = one;
      const [running, next] = [enter(), enter()];
      running.leave();
      const late = enter();
      assert.deepEqual(late.heard, waits);
      await settled();
      assert.deepEqual([next.heard, late.heard], [begun, waits]);
    },
  ),
];

const total = [
  rule('holds for all servers together, after the own limit of each', async (s) => {
    s.total = { concurrency: 2, queue: 9 };
    const [a, b, c] = [s.enter('a'), s.enter('b'), s.enter('c')];
    assert.deepEqual([a.heard, b.heard, c.heard], [go, go, waits]);
    a.leave();
    await s.settled();
    assert.deepEqual(c.heard, begun);
  }),
  rule('says so when it is the one that has no place', async (s) => {
    s.total = { concurrency: 1, queue: 0 };
    const [first, refused] = [s.enter('a'), s.enter('b')];
    fits(refused.failure, { code: 'Busy', message: /this computer/, remedy: /totalConcurrency/ });
    first.leave();
    await s.settled();
    assert.deepEqual(s.enter('b').heard, go);
  }),
  rule('is not waited in by those who wait for their own server', async (s) => {
    s.limits['a'] = one;
    s.total = { concurrency: 2, queue: 0 };
    const [first, second, other] = [s.enter('a'), s.enter('a'), s.enter('b')];
    assert.deepEqual([first.heard, second.heard, other.heard], [go, waits, go]);
  }),
  rule('is told of once, however many lines one waits in', async (s) => {
    s.limits['a'] = one;
    s.total = { concurrency: 1, queue: 9 };
    const [first, second, other] = [s.enter('a'), s.enter('a'), s.enter('b')];
    first.leave();
    await s.settled();
    assert.deepEqual([second.heard, other.heard], [waits, begun]);
    other.leave();
    await s.settled();
    assert.deepEqual(second.heard, begun);
  }),
  rule(
    'refuses one whose own server has let him in when its line is full, and his place there is free again',
    async (s) => {
      s.limits['a'] = one;
      s.total = { concurrency: 1, queue: 1 };
      const running = s.enter('b');
      const [first, second, third] = [s.enter('a'), s.enter('a'), s.enter('a')];
      assert.deepEqual([first.heard, second.heard, third.heard], [waits, waits, waits]);
      first.leave();
      const faster = s.enter('b');
      await s.settled();
      assert.deepEqual([faster.heard, second.heard], [waits, ['waits', 'busy']]);
      second.leave();
      await s.settled();
      assert.deepEqual(third.heard, ['waits', 'busy']);
      running.leave();
      await s.settled();
      assert.deepEqual(faster.heard, begun);
    },
  ),
  rule('is left by one who leaves while he waits in it, and so is his own limiter', async (s) => {
    s.limits['a'] = one;
    s.total = { concurrency: 1, queue: 9 };
    const running = s.enter('b');
    const [leaves, next] = [s.enter('a'), s.enter('a')];
    leaves.leave();
    running.leave();
    await s.settled();
    assert.deepEqual([leaves.heard, next.heard], [waits, begun]);
  }),
];

export const limitersContract = (open: () => LimitersUnderTest): readonly ContractCase[] =>
  casesOf(
    {
      'an entry into a limiter': entering,
      leaving,
      'the limiter of all servers': total,
      'a limiter': [always(() => harnessOf(open()))],
    },
    (rule) => rule.holds(harnessOf(open())),
  );
