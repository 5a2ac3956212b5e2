import type { Plan, Step } from '../../stage/plan/plan.ts';
import { expand } from '../../simulator/drawing/expand.ts';
import { simulate } from '../../simulator/simulate.ts';
import { absolute, pairs } from '../measure.ts';
import { atLeast, type Row } from '../row.ts';

const names = ['s1', 's2', 's3', 's4'];
const seconds = 60;

/** Sixty virtual seconds, four servers, a call of the agent to each of them every second. */
const busyMinute: Plan = {
  title: 'a busy minute',
  servers: names.map((name) => ({ name, tools: { [`${name}.t`]: { takes: 20 } } })),
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

const clean = (plan: Plan): void => {
  const { violations } = simulate(plan);
  if (violations.length > 0) throw new Error(`${plan.title}: ${violations[0]?.what}`);
};
const perSecond = async (run: (n: number) => void, forMs: number): Promise<number> => {
  const start = performance.now();
  let count = 0;
  for (; performance.now() - start < forMs; count += 1) run(count);
  return (count * 1_000) / (performance.now() - start);
};

/** A busy minute in which nothing goes wrong, beside one drawn from a seed, with all faults, and the time in which it settles. */
export const measureSimulation: Row['measure'] = async ({ rounds, sliceMs }, tell) => {
  const busy = (): Promise<number> => perSecond(() => clean(busyMinute), sliceMs);
  const drawn = (): Promise<number> =>
    perSecond((n) => clean(expand(n, { forMs: 60_000, among: () => true })), sliceMs);
  for (const each of [busy, drawn]) await each();
  tell(
    absolute(
      'busy minutes a second, beside drawn ones',
      await pairs(rounds, drawn, busy),
      '/s',
      atLeast(100),
    ),
  );
};
