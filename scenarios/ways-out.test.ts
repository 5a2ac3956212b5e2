import { describe, expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { machines } from '../actors/assemble.ts';
import { statesOf } from '../actors/charts.ts';
import { walkOut } from './charts.ts';
import { everythingFor, livesOf } from './lives.ts';
import { samples } from './samples/index.ts';
import { placed } from './samples/sample.ts';

describe('from every state, close and timers alone lead to an end, whatever else is said meanwhile', () => {
  test.each(Object.entries(samples))('%s', (kind, sample) => {
    const machine = machines[kind] as AnyStateMachine;
    const events = everythingFor(livesOf(kind, machine, sample));
    const { notAfterClose = [], passedThrough = [], tellApart } = sample;
    const walk = walkOut(machine, {
      input: { ...placed, ...sample.input },
      events,
      meanwhile: events.filter(({ type }) => !notAfterClose.includes(type)),
      timers: [{ type: 'deadline.passed' }],
      ...(tellApart && { tellApart }),
    } as never);
    expect(walk.withoutWayOut).toEqual([]);
    expect(statesOf(machine).filter((state) => !walk.reached.has(state))).toEqual(passedThrough);
  });
});
