import type { Plan, Step } from '../../stage/plan/plan.ts';
import { VirtualClock } from '../../stage/virtual-clock.ts';
import { expand } from '../../simulator/drawing/expand.ts';
import { simulate } from '../../simulator/simulate.ts';
import { textOf, type Chain } from './chain.ts';

const names = ['s1', 's2', 's3', 's4'];
const seconds = 60;
const takesMs = 20;

/** Sixty virtual seconds, four servers, a call of the agent to each of them every second. */
const busyMinute: Plan = {
  title: 'a busy minute',
  servers: names.map((name) => ({ name, tools: { [`${name}.t`]: { takes: takesMs } } })),
  office: true,
  virtualOnly: 'a benchmark',
  steps: [
    { do: 'fault', fault: { fault: 'sched.permuteTies', seed: 1 } },
    ...Array.from({ length: seconds }, (_, second): Step[] => [
      ...names.map((name): Step => {
        const call = `${name}.${second}`;
        return { do: 'call', call, by: 'agent', tool: `${name}.t`, reqId: call, timeoutMs: 30_000 };
      }),
      { do: 'run', ms: 1_000 },
    ]).flat(),
  ],
};

const chainOf = (runToEnd: (n: number) => void): Promise<Chain> =>
  Promise.resolve({
    pids: [],
    call: async (n) => {
      runToEnd(n);
      return textOf(n);
    },
    close: async () => {},
  });
const clean = (plan: Plan): void => {
  const { violations } = simulate(plan);
  if (violations.length > 0) throw new Error(`${plan.title}: ${violations[0]?.what}`);
};

/** The same calls on the same clock without machines: a map, a time-out and an answer each. */
export const callsOnAClock = (): Promise<Chain> =>
  chainOf((n) => {
    const clock = new VirtualClock(n);
    const pending = new Map<string, unknown>();
    for (let second = 0; second < seconds; second += 1) {
      for (const name of names) {
        const call = `${name}.${second}`;
        pending.set(
          call,
          clock.setTimeout(() => pending.delete(call), 30_000),
        );
        clock.setTimeout(() => {
          clock.clearTimeout(pending.get(call));
          pending.delete(call);
        }, takesMs);
      }
      clock.advance(1_000);
    }
    if (pending.size > 0) throw new Error(`${pending.size} calls have no answer`);
  });
/** A busy minute in which nothing goes wrong. */
export const busyMinutes = (): Promise<Chain> => chainOf(() => clean(busyMinute));
/** A minute generated from a seed, with all faults, and the time in which it settles. */
export const drawnRuns = (): Promise<Chain> =>
  chainOf((n) => clean(expand(n % 1_000, { forMs: 60_000, among: () => true })));
